"""The names of moves in a dialect that does not use the game's notation."""

from collections.abc import Sequence
from typing import Protocol


class Coordinates(Protocol):
    """Translates the moves of one game. A dialect gets it as an argument: only `games` knows what a move means.

    Moves are in the notation of the game. `before` are the moves from the start that led to the position: where stones
    fall, say, the same move names another cell later.
    """

    def write(self, move: str, before: Sequence[str]) -> str:
        """Return how the dialect names a legal move."""

    def read(self, name: str, before: Sequence[str]) -> str:
        """Return the move that a name means; raises ValueError, one line, if it means none."""
