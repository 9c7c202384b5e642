"""The players of several games, of which a client chooses one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fiedler.games import Game
from fiedler.players import Factory, Player


class Lineup:
    """A factory of players for each game, made when it is first needed."""

    def __init__(self, make: Callable[[Game], Factory], games: Iterable[Game]) -> None:
        """`make` returns the factory of a game; the first of the games is that of a new session."""
        self._make = make
        self._games = {game.id: game for game in games}
        self._factories: dict[str, Factory] = {}

    @property
    def games(self) -> tuple[str, ...]:
        """The ids of the games."""
        return tuple(self._games)

    @property
    def first(self) -> Game:
        """The game of a new session."""
        return next(iter(self._games.values()))

    def factory(self, game: str) -> Factory:
        """Return the factory of players of a game.

        Raises:
            UsageError: The player, the model file or an option is wrong.
        """
        if game not in self._factories:
            self._factories[game] = self._make(self._games[game])
        return self._factories[game]

    def player(self, game: str) -> Player:
        """Return a new player of a game; raises as `factory`."""
        return self.factory(game).player()

    def close(self) -> None:
        """Free the shared resources of all players."""
        for factory in self._factories.values():
            factory.close()
