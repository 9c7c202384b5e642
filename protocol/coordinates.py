"""The names of moves in a dialect that does not use the game's notation."""

from collections.abc import Sequence
from typing import Protocol


class Coordinates(Protocol):
    """Translates the moves of one game. A dialect gets it as an argument: only `games` knows the meaning of a move.

    Moves are in the notation of the game. `before` are the moves from the start to the position: where stones fall, for
    example, the same move names another cell later.
    """

    @property
    def game_id(self) -> str:
        """The id of the game."""

    @property
    def size(self) -> int:
        """Points along a side of the smallest square board that has all of these names."""

    @property
    def has_i(self) -> bool:
        """Whether a name may begin with the letter I, which boards of Go leave out."""

    @property
    def start(self) -> str:
        """The start of the games: `startpos`, or one that differs from it by its rules alone."""

    def is_bare(self, start: str) -> bool:
        """Return whether a start differs from that of the game by its rules alone."""

    def komi(self, start: str) -> float | None:
        """Return the points that the second player of Go gets in games from a start; None in other games."""

    def suicide(self, start: str) -> bool | None:
        """Return whether suicide is legal in games of Go from a start; None in other games."""

    def with_suicide(self, start: str, *, legal: bool) -> str:
        """Return a start of Go in which suicide is legal, or is not."""

    def with_komi(self, start: str, points: float) -> str:
        """Return a start of Go with another komi.

        Raises:
            ValueError: The rules have no such komi.
        """

    def write(self, move: str, before: Sequence[str]) -> str:
        """Return the dialect's name of a legal move."""

    def read(self, name: str, before: Sequence[str]) -> str:
        """Return the move of a name.

        Raises:
            ValueError: The name has no move; one line.
        """

    def legal(self, before: Sequence[str]) -> Sequence[str]:
        """Return the names of the legal moves; none when the game is over."""
