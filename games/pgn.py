"""One game as PGN: tags, moves in our own notation, and always a result. The first player is White."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from games.result import UNFINISHED

WIDTH = 79


def end_tags(result: str, *, resigned: bool) -> dict[str, str]:
    """Return the tags of the end of a game that no failure can end: by the rules, by resignation, or not yet."""
    if result == UNFINISHED:
        return {"Termination": "unterminated"}
    return {"Termination": "normal", "TerminationDetail": "resignation" if resigned else "rules"}


def pgn_of(
    tags: Mapping[str, str],
    moves: Sequence[str],
    result: str,
    comments: Sequence[str] = (),
    *,
    second_begins: bool = False,
) -> str:
    """Return the game, ended by an empty line. If the `second_begins`, the moves are numbered from Black's.

    `comments` are those of the first moves; an empty one is left out.
    """
    head = "\n".join(f'[{name} "{_escaped(value)}"]' for name, value in tags.items())
    return f"{head}\n\n{_wrapped([*_numbered(moves, comments, int(second_begins)), result])}\n\n"


def _escaped(value: str) -> str:
    if not value.isprintable():
        value = "".join(character if character.isprintable() else " " for character in value)
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _numbered(moves: Sequence[str], comments: Sequence[str], skipped: int) -> Iterator[str]:
    """Yield the moves with a number before each of White's, and before the first; their comments follow in braces."""
    for ply, (move, comment) in enumerate(zip_longest(moves, comments, fillvalue=""), start=skipped):
        if ply % 2 == 0:
            yield f"{ply // 2 + 1}."
        elif ply == skipped:
            yield f"{ply // 2 + 1}..."
        yield move
        if comment:
            yield f"{{{comment}}}"


def _wrapped(tokens: Iterable[str]) -> str:
    """Put tokens into lines of at most WIDTH characters; textwrap would take ten times as long."""
    lines: list[str] = []
    line = ""
    for token in tokens:
        if not line:
            line = token
        elif len(line) + 1 + len(token) > WIDTH:
            lines.append(line)
            line = token
        else:
            line = f"{line} {token}"
    return "\n".join([*lines, line])
