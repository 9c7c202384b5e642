"""A seat at a game: the player, its options and its shares, the game and its position."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable, Sequence

from fiedler import protocol
from fiedler.engine.host.answers import choice_of, declared, not_among, without_file
from fiedler.engine.host.coordinates import CurrentCoordinates
from fiedler.engine.host.game_state import GameState
from fiedler.engine.host.search import Failure, Result, tried
from fiedler.engine.roster.engine_offer import EngineOffer
from fiedler.engine.roster.roster import CHOICE
from fiedler.engine.roster.shares import Shares, SharesError
from fiedler.games import AnyGame
from fiedler.games.coordinates import coordinates
from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.position import Position
from fiedler.players import Factory, Player
from fiedler.protocol import HostError
from fiedler.support.errors import UsageError, WorkError
from fiedler.support.option import spelled

log = logging.getLogger("fiedler.engine.host")


class Seat:
    """One player and one game. A client changes both; the player neither searches nor works meanwhile."""

    def __init__(self, offer: EngineOffer, shares: Shares) -> None:
        """Begin with a new player of the offer.

        Raises:
            UsageError: The player cannot be made.
            SharesError: It does not fit into the shares of the server.
        """
        self._offer = offer
        self._shares = shares
        player = offer.factory.player()
        try:
            shares.enter(player)
        except SharesError:
            player.close()
            raise
        self._seat(player)
        self.game: AnyGame = offer.game
        self.state = GameState(self.game)
        self._held = ""
        """The player of the roster that the client has chosen; empty: none."""
        self._next: tuple[str, Factory] | None = None
        """The one that is loaded to replace it."""
        self._is_empty = False

    def _seat(self, player: Player) -> None:
        """Play with a player whose options no client has set."""
        self.player = player
        self._initial = copy.copy(player.settings)

    def leave(self) -> None:
        """Give back the player and its shares, once."""
        if self._is_empty:
            return
        self._is_empty = True
        self.player.close()
        self._shares.leave(self.player)
        self._let_go(self._held)
        if self._next is not None:
            self._let_go(self._next[0])

    # --- the player ---------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the player: that in the roster, and the kind of player."""
        title, chosen = self.player.title, self._chosen
        full = f"{chosen} ({title})" if chosen and chosen != title else title
        return " ".join(f"{protocol.OUR_NAME} {full}".split())

    @property
    def model(self) -> str:
        """The model file that was chosen at the start; empty: the player has none."""
        return str(getattr(self.player.settings, "model", ""))

    @property
    def options(self) -> tuple[protocol.Option, ...]:
        """The options that a client can set: the choice of a player, and those of that player.

        The defaults are the values at the start of the session, or those of the chosen player in the roster.
        """
        settable = (option for option in self.player.options() if not option.at_start)
        own = tuple(declared(option, getattr(self._initial, option.name)) for option in settable)
        roster = self._offer.roster
        return own if roster is None else (choice_of(roster.names, self._chosen), *own)

    @property
    def game_options(self) -> tuple[protocol.Option, ...]:
        """The options of UCI by which a client recognises the game: those that are on, such as `UCI_Chess960`."""
        needed = self.game.engine_options()
        return tuple(protocol.Option(name, "check", value) for name, value in needed.items() if value == "true")

    @property
    def has_roster(self) -> bool:
        """Whether a client may choose another player."""
        return self._offer.roster is not None

    @property
    def _chosen(self) -> str:
        """The name of the player in the roster; empty without a roster."""
        roster = self._offer.roster
        return "" if roster is None else self._held or roster.names[0]

    def set_option(self, name: str, value: str) -> None:
        """Set an option of the player; one that a game needs has one value.

        Raises:
            HostError: The name is unknown, or the value is wrong or too large.
        """
        needed = self.game.engine_options()
        if (of_game := spelled(name, needed)) in needed:
            if value != needed[of_game]:
                raise HostError(f"option {of_game!r}: expected {needed[of_game]} in {self.game.id}, got {value!r}")
            return
        try:
            own, read = self.player.named(name).name, self.player.read_option(name, value)
            self._shares.change(self.player, own, read)
            self.player.set_option(own, value)
        except UsageError as error:
            raise HostError(str(error)) from None

    def take(self, name: str) -> bool:
        """Hold a player of the roster for `change_player`; False if its model must be loaded first.

        Raises:
            HostError: The name is unknown.
        """
        roster = self._offer.roster
        assert roster is not None
        if name not in roster.names:
            raise HostError(f"option {CHOICE!r}: {not_among(roster.names, name)}")
        if (factory := roster.take(name)) is None:
            return False
        self._next = name, factory
        return True

    def load(self, name: str) -> None:
        """Load and hold a player of the roster for `change_player`; this takes time.

        Raises:
            WorkError: It cannot be loaded.
        """
        roster = self._offer.roster
        assert roster is not None
        self._next = name, _loaded(lambda: roster.hold(name), repr(name), roster.model(name))

    def change_player(self) -> str:
        """Play with the held player from now on, by its own options; return the error, or an empty text."""
        assert self._next is not None
        (name, factory), self._next = self._next, None
        player = tried(repr(name), CHOICE, factory.player)
        if isinstance(player, Failure):
            self._let_go(name)
            return player.why
        try:
            self._exchange(player)
        except SharesError as error:
            self._let_go(name)
            return str(error)
        self._let_go(self._held)
        self._held = name
        return ""

    def _exchange(self, player: Player) -> None:
        """Play with another player from now on; the one before is closed.

        Raises:
            SharesError: It does not fit into the shares of the server; it is closed.
        """
        try:
            self._shares.exchange(self.player, player)
        except SharesError:
            player.close()
            raise
        self.player.close()
        self._seat(player)

    def _let_go(self, name: str) -> None:
        """End the hold on a player of the roster."""
        if name and self._offer.roster is not None:
            self._offer.roster.release(name)

    # --- the game and its position ------------------------------------------------------------------------------------

    @property
    def games(self) -> tuple[str, ...]:
        """The ids of the games that `change_game` accepts."""
        return (self.game.id,) if self._offer.lineup is None else self._offer.lineup.games

    @property
    def position(self) -> Position:
        """The position on the board."""
        return self.state.position

    def coordinates(self, kind: str) -> protocol.Coordinates:
        """Return the coordinates of the game that is played, also after `change_game`."""
        fixed = self._offer.lineup is None
        return coordinates(self.game, kind) if fixed else CurrentCoordinates(lambda: self.game, kind)

    def change_game(self, game: str) -> None:
        """Play another game from now on, with a new player.

        Raises:
            HostError: The game is not on offer, or the player cannot be made.
        """
        lineup = self._offer.lineup
        if lineup is None or game not in lineup.games:
            raise HostError(f"expected one of {', '.join(self.games)}, got {game}")
        name = self.player.name
        made = tried(name, game, lambda: _loaded(lambda: lineup.player(game), name, self.model))
        if isinstance(made, Failure):
            raise HostError(made.why)
        try:
            self._exchange(made)
        except SharesError as error:
            raise HostError(str(error)) from None
        self.game = made.game
        self.clear_board()

    def clear_board(self) -> None:
        """Begin the game again."""
        self.state = GameState(self.game)

    def set_position(self, start: str, moves: Sequence[str]) -> None:
        """Set the position after `moves` from `start`.

        Raises:
            HostError: The start or a move is wrong.
        """
        self._reach(lambda: self.state.after(start, moves))

    def play(self, move: str) -> None:
        """Play a move on the board.

        Raises:
            HostError: The move is illegal.
        """
        self._reach(lambda: self.state.played(move))

    def _reach(self, reached: Callable[[], GameState]) -> None:
        try:
            self.state = reached()
        except (PositionError, IllegalMoveError) as error:
            raise HostError(str(error)) from None


def _loaded(load: Callable[[], Result], player: str, model: str) -> Result:
    """Return the result of loading a player with its model.

    Raises:
        WorkError: The model is not loaded; a client gets no path of this machine, the log does.
    """
    try:
        return load()
    except UsageError as error:
        log.warning("player %s: %s", player, error)
        raise WorkError(without_file(error, player, model)) from None
