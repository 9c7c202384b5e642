"""Moves in the wrong notation: what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fiedler.engine.check import positions
from fiedler.engine.check.subject import Subject
from fiedler.games.coordinates import NAMINGS, coordinates, fits
from fiedler.games.refusal import reason
from fiedler.games.spelling import meant
from fiedler.protocol.mistake import quoted_line
from fiedler.support.text import counted

_NUMBERS = re.compile(r"(\d+)([ ,])(\d+)")
SHOWN = 8
"""The last moves before a position that a message shows."""


def expected(subject: Subject, moves: Sequence[str]) -> str:
    """Return the expectation of a legal move after `moves`."""
    position = subject.game.position(moves=moves)
    if not subject.game.has_rules:
        return f"a move {_after(subject, moves)}"
    example = position.move_text(position.legal_moves()[0])
    return f"a legal move {_after(subject, moves)}, such as {subject.coordinates.write(example, moves)!r}"


def _after(subject: Subject, moves: Sequence[str]) -> str:
    """Return the place of a position in a game, in the names of the dialect."""
    if not moves:
        return "at the start"
    first = max(0, len(moves) - SHOWN)
    names = [subject.coordinates.write(moves[at], moves[:at]) for at in range(first, len(moves))]
    separator = "; " if any(" " in name for name in names) else " "
    return f"after {counted(len(moves), 'move')} ({'… ' if first else ''}{separator.join(names)})"


def hint(subject: Subject, moves: Sequence[str], move: str) -> str:
    """Return the legal move that `move` probably means, or why it is illegal; empty if neither is known."""
    position = subject.game.position(moves=moves)
    if found := meant(position, move):
        return f"; did you mean {found!r}?"
    why = reason(subject.game, position, move)
    if why and move in moves:
        return f": {why}"
    if found := _swapped(subject, moves, move):
        return f"; {found!r} would be legal: are row and column swapped?"
    for kind in NAMINGS:
        if kind != "own" and fits(subject.game, kind) and (found := _read(subject, moves, move, kind)):
            return f"; in the notation of the game that is {found!r}"
    return f": {why}" if why else ""


def _swapped(subject: Subject, moves: Sequence[str], move: str) -> str:
    """Return the legal move with row and column swapped, in a dialect whose moves are two numbers; empty if none."""
    try:
        numbers = _NUMBERS.fullmatch(subject.coordinates.write(move, moves))
    except (KeyError, ValueError):
        return ""
    swapped = numbers[3] + numbers[2] + numbers[1] if numbers else ""
    return swapped if swapped in subject.coordinates.legal(moves) else ""


def _read(subject: Subject, moves: Sequence[str], name: str, kind: str) -> str:
    """Return the legal move of a name in other coordinates; empty if it has none."""
    try:
        found = coordinates(subject.game, kind).read(name.upper(), moves)
    except ValueError:
        return ""
    return found if found != name and found in positions.legal(subject.game.position(moves=moves)) else ""


def shown(data: bytes) -> str:
    """Return bytes that we send, for a message."""
    return quoted_line(data.decode(errors="backslashreplace").rstrip("\r\n"))
