"""The result of a game. Its text is that of PGN and of the store of a run: `1-0`, `0-1`, `1/2-1/2`."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

T = TypeVar("T")

UNFINISHED = "*"
"""The text of PGN in place of a result."""


class Result(StrEnum):
    """The result of a finished game, the best one for the first player first; the first player moved first."""

    FIRST_WIN = "1-0"
    DRAW = "1/2-1/2"
    SECOND_WIN = "0-1"

    @classmethod
    def of(cls, native: int) -> Result:
        """Return the result of `Position.result`: 1 or -1 if the first or the second player won, else 0."""
        return cls.DRAW if native == 0 else cls.won_by(0 if native > 0 else 1)

    @classmethod
    def won_by(cls, side: int) -> Result:
        """Return the win of a side: 0 moved first, 1 second."""
        return cls.SECOND_WIN if side else cls.FIRST_WIN

    @property
    def points(self) -> tuple[float, float]:
        """The points of the first and of the second player."""
        return _POINTS[self]

    def winner(self, first: T, second: T) -> T | None:
        """Return the winner of the two players, None after a draw."""
        return None if self is Result.DRAW else first if self is Result.FIRST_WIN else second

    def loser(self, first: T, second: T) -> T | None:
        """Return the loser of the two players, None after a draw."""
        return self.winner(second, first)


_POINTS = {Result.FIRST_WIN: (1.0, 0.0), Result.DRAW: (0.5, 0.5), Result.SECOND_WIN: (0.0, 1.0)}
