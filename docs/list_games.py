"""Write the lists of games in the pages: `python docs/list_games.py` after a game was added."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from fiedler.games import FILLED, GAMES, Game
from fiedler.games.go import PASS, is_go

ROOT = Path(__file__).parents[1]


def moves(game: Game) -> str:
    """Return the names of the first and the last move, as people count, and a pass if there is one.

    Those of chess are the moves at its start.
    """
    start = game.position()
    every = range(start.num_actions) if game.id in FILLED or is_go(game) else start.legal_moves()
    names = sorted({*map(start.move_text, every)} - {PASS}, key=_by_place)
    return f"`{names[0]}` … `{names[-1]}`{f', `{PASS}`' if is_go(game) else ''}"


def _by_place(name: str) -> tuple[str, int, str]:
    return name.rstrip("0123456789"), len(name), name


def table() -> str:
    """Return the rows of the table of games."""
    rows = (f"| [`{one.id}`]({one.id}.md) | {one.name} | {moves(one)} | {one.description} |" for one in GAMES.values())
    return "\n".join(rows)


def index() -> str:
    """Return the rows of the games in the table of all pages."""
    return "\n".join(f"| [`{one.id}`](games/{one.id}.md) | {one.name} |" for one in GAMES.values())


LISTS = {
    "docs/README.md": (r"(^\| \[`[\w-]+`\]\(games/.*\n)+", index),
    "docs/games/README.md": (r"(^\| \[`.*\n)+", table),
}
"""The pattern of the rows of a page's list, and the function that makes them, by the path of the page."""


def pages() -> dict[str, str]:
    """Return the pages with their lists as they should be, by path."""
    return {name: _filled((ROOT / name).read_text("utf-8"), *LISTS[name]) for name in LISTS}


def _filled(page: str, pattern: str, made: Callable[[], str]) -> str:
    filled, found = re.subn(pattern, lambda _: f"{made()}\n", page, count=1, flags=re.MULTILINE)
    assert found, pattern
    return filled


def main() -> None:
    """Write the pages."""
    for name, text in pages().items():
        (ROOT / name).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
