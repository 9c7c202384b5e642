"""The coordinates of a game that may change."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fiedler.games import AnyGame
from fiedler.games.coordinates import Coordinates, coordinates


class CurrentCoordinates:
    """`protocol.Coordinates` of the game that is played now."""

    def __init__(self, game: Callable[[], AnyGame], kind: str) -> None:
        """`game` gives the game, `kind` is a key of `fiedler.games.coordinates.NAMINGS`."""
        self._game = game
        self._kind = kind
        self._last = coordinates(game(), kind)

    @property
    def game_id(self) -> str:
        """The id of the game."""
        return self._current.game_id

    @property
    def size(self) -> int:
        """Points along a side of the smallest square board that has all of these names."""
        return self._current.size

    @property
    def has_i(self) -> bool:
        """Whether a name may begin with the letter I."""
        return self._current.has_i

    @property
    def start(self) -> str:
        """The start of the games."""
        return self._current.start

    def is_bare(self, start: str) -> bool:
        """Return whether a start differs from that of the game by its rules alone."""
        return self._current.is_bare(start)

    def komi(self, start: str) -> float | None:
        """Return the points that the second player of Go gets in games from a start; None in other games."""
        return self._current.komi(start)

    def suicide(self, start: str) -> bool | None:
        """Return whether suicide is legal in games of Go from a start; None in other games."""
        return self._current.suicide(start)

    def with_suicide(self, start: str, *, legal: bool) -> str:
        """Return a start of Go in which suicide is legal, or is not."""
        return self._current.with_suicide(start, legal=legal)

    def with_komi(self, start: str, points: float) -> str:
        """Return a start of Go with another komi; raises ValueError if the rules have no such komi."""
        return self._current.with_komi(start, points)

    def write(self, move: str, before: Sequence[str]) -> str:
        """Return the dialect's name of a legal move."""
        return self._current.write(move, before)

    def read(self, name: str, before: Sequence[str]) -> str:
        """Return the move of a name.

        Raises:
            ValueError: The name has no move; one line.
        """
        return self._current.read(name, before)

    def legal(self, before: Sequence[str]) -> Sequence[str]:
        """Return the names of the legal moves; none when the game is over."""
        return self._current.legal(before)

    @property
    def _current(self) -> Coordinates:
        if self._last.game is not self._game():
            self._last = coordinates(self._game(), self._kind)
        return self._last
