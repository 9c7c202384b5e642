"""Moves in the wrong notation: what was probably meant."""

from __future__ import annotations

from collections.abc import Sequence

from engine.check import positions
from engine.check.subject import Subject
from games.coordinates import NAMINGS, coordinates, fits
from games.spelling import meant
from protocol.mistake import quoted_line

SHOWN = 8
"""The last moves before a position that a message shows."""


def expected(subject: Subject, moves: Sequence[str]) -> str:
    """Return the expectation of a legal move after `moves`."""
    position = subject.game.position(moves=moves)
    example = position.move_text(position.legal_moves()[0])
    return f"a legal move {after(moves)}, such as {subject.coordinates.write(example, moves)!r}"


def after(moves: Sequence[str]) -> str:
    """Return the place of a position in a game, in words."""
    if not moves:
        return "at the start"
    dots = "… " if len(moves) > SHOWN else ""
    return f"after {len(moves)} moves ({dots}{' '.join(moves[-SHOWN:])})"


def hint(subject: Subject, moves: Sequence[str], move: str) -> str:
    """Return the legal move that `move` probably means, for the end of a message; empty if none is alike."""
    if found := meant(subject.game.position(moves=moves), move):
        return f"; did you mean {found!r}?"
    if move in moves:
        return ", which has been played before"
    for kind in NAMINGS:
        if kind != "own" and fits(subject.game, kind) and (found := _read(subject, moves, move, kind)):
            return f"; in the notation of the game that is {found!r}"
    return ""


def _read(subject: Subject, moves: Sequence[str], name: str, kind: str) -> str:
    """Return the legal move of a name in other coordinates; empty if it has none."""
    try:
        found = coordinates(subject.game, kind).read(name.upper(), moves)
    except ValueError:
        return ""
    return found if found != name and found in positions.legal(subject.game.position(moves=moves)) else ""


def shown(data: bytes) -> str:
    """Return bytes that we send, for a message."""
    return quoted_line(data.decode(errors="backslashreplace").removesuffix("\n"))
