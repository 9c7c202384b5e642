"""The games of a run on boards, inside the page: it needs no server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from fiedler.games import AnyGame
from fiedler.games.geometry import geometry
from fiedler.games.position import fills_cells
from fiedler.games.replay import Replay, TextReplay, replay
from fiedler.games.scripts import plain, script, style
from fiedler.support.text import counted
from fiedler.tournament.evaluation import scores
from fiedler.tournament.game import GameRecord, reason
from fiedler.tournament.report.findings import Findings
from fiedler.tournament.report.html import PageSection, note, section, viewer

_HERE = Path(__file__).parent
MOST = 1000
"""The most games in a page; a game takes about a kilobyte."""
MOST_BYTES = 8_000_000
"""The most bytes of games in a page; those of games whose boards are text are longer."""
_TEXT = "Choose two players, or click on a cell of the crosstable. Arrow keys, Home and End step through a game."


def games_viewer(found: Findings) -> PageSection | None:
    """Return the section with the games, if there are any."""
    chosen = list(_chosen(found))
    if not chosen:
        return None
    left_out = len(found.run.finished) - len(chosen)
    rest = f" {counted(left_out, 'game')} are not in this page; `tournament serve` shows them all." if left_out else ""
    game = found.run.game
    data = {
        "geometry": msgspec.to_builtins(geometry(game)) if game.has_cells else None,
        "names": found.ranking.names,
        "games": chosen,
    }
    return section("Games", note(_TEXT + rest), viewer(data))


def viewer_script() -> str:
    """Return the script of the viewer, with that of the boards."""
    return f"{script()}\n{plain((_HERE / 'viewer.js').read_text('utf-8'))}"


def viewer_style() -> str:
    """Return the style of the viewer, with that of the boards."""
    return style() + (_HERE / "viewer.css").read_text("utf-8")


def _chosen(found: Findings) -> Iterator[list[Any]]:
    """Yield games as the page has them, equally many of every pair if there are too many."""
    places = {name: place for place, name in enumerate(found.ranking.names)}
    rules = found.run.game
    pairs = {frozenset((first, second)) for first, second, *_ in found.run.played}
    each = max(1, MOST // max(1, len(pairs)))
    taken, size = Counter[frozenset[str]](), 0
    for game in found.run.replayed_games():
        pair = frozenset((game.first, game.second))
        if taken[pair] < each and taken.total() < MOST:
            taken[pair] += 1
            shown = replay(rules, game.moves, game.start, game.sides)
            line = [*_line(game, shown, places), *_rest(rules, shown)]
            size += len(msgspec.json.encode(line))
            if size > MOST_BYTES:
                return
            yield line


def _line(game: GameRecord, shown: Replay, places: dict[str, int]) -> list[Any]:
    forbidden = {ply: [(one.cell, one.kind, one.sign) for one in points] for ply, points in shown.forbidden.items()}
    ended = [str(game.result), reason(game)]
    moves = [" ".join(game.moves), "".join(shown.regions), forbidden, shown.lines]
    seen = [(ply, round(1000 * value)) for ply, _, value in scores(game)]
    return [game.number, places[game.first], places[game.second], *ended, *moves, seen]


def _rest(game: AnyGame, shown: Replay) -> Iterator[dict[str, Any]]:
    """Yield the fields of a replay that do not follow from its moves, if there are any."""
    found: dict[str, Any] = {"first": shown.first, "sides": shown.sides, "names": shown.names, "area": shown.area}
    if isinstance(shown, TextReplay):
        found["texts"] = list(_texts(shown.boards))
    elif not fills_cells(game.position()):
        found["changes"] = shown.changes
    if any(shown.stones):
        found["stones"] = shown.stones
    if kept := {name: value for name, value in found.items() if value}:
        yield kept


def _texts(boards: Sequence[str]) -> Iterator[str | list[tuple[int, str]]]:
    """Yield the first board, and of each other one the lines that differ from the board before, with their places.

    A board of a single line, or with another number of lines, is whole.
    """
    before: list[str] = []
    for board in boards:
        lines = board.split("\n")
        if len(lines) == 1 or len(lines) != len(before):
            yield board
        else:
            yield [(place, line) for place, (old, line) in enumerate(zip(before, lines, strict=True)) if old != line]
        before = lines
