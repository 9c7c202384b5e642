"""The sides of the moves of a game, as a record has them: a figure for each ply, 0 or 1; nothing where they take turns.

`[0, 0, 1]` is `001`; `[0, 1, 0]` is empty.
"""

from __future__ import annotations

from collections.abc import Sequence


def sides_of(movers: Sequence[int]) -> str:
    """Return the figures of the sides that moved; empty if they took turns from the first player on."""
    found = "".join(map(str, movers))
    return "" if found == ("01" * len(found))[: len(found)] else found


def turns(first: int, plies: int) -> str:
    """Return the figures of plies whose sides take turns, from this side on."""
    return ("10" * plies)[:plies] if first else ""


def side_at(sides: str, ply: int) -> int:
    """Return the side that made a move, 0 or 1; plies count from 0."""
    return int(sides[ply]) if sides else ply % 2
