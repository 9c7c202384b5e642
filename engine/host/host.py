"""A session's player with its game, as a dialect calls it: a seat, its searches, and other work of the player.

It reads no socket and starts no thread: a driver (port/session_connection.py, port/stdio.py) lends a thread for each
search and for other slow work of a player. The driver calls all methods, one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fiedler import native, protocol
from fiedler.engine.host.analysis import move_scores
from fiedler.engine.host.files import read_text
from fiedler.engine.host.game_state import GameState
from fiedler.engine.host.jobs import Jobs
from fiedler.engine.host.search import Driver
from fiedler.engine.host.searcher import Searcher
from fiedler.engine.host.seat import Seat
from fiedler.engine.host.terms import Terms
from fiedler.engine.roster.engine_offer import EngineOffer
from fiedler.engine.roster.roster import CHOICE
from fiedler.protocol import HostError, Limit, MoveScore, Thinker
from fiedler.support.errors import UsageError
from fiedler.support.provenance import release

AUTHOR = "the Fiedler developers"


class Host:
    """`protocol.Host`: one player, one game, at most one search or job at a time."""

    author = AUTHOR

    def __init__(self, offer: EngineOffer, driver: Driver, terms: Terms | None = None) -> None:
        """Play with a new player of the offer; `terms` are those of the server.

        Raises:
            UsageError: The player cannot be made.
            SharesError: This session does not fit into the shares of the server.
        """
        terms = terms or Terms()
        self.seat = Seat(offer, terms.shares)
        self.searcher = Searcher(self.seat, driver, terms)
        self._jobs = Jobs(self.seat, driver)
        self._closed = False
        self.reads_files = False
        """Whether the client may name files of this machine: it has started this program."""

    @property
    def name(self) -> str:
        """The name of the player: that in the roster, and the kind of player."""
        return self.seat.name

    @property
    def version(self) -> str:
        """The version of this program."""
        return release()

    @property
    def game(self) -> str:
        """The id of the game."""
        return self.seat.game.id

    @property
    def games(self) -> tuple[str, ...]:
        """The ids of the games that `change_game` accepts."""
        return self.seat.games

    @property
    def model(self) -> str:
        """The model file that was chosen at the start; empty: the player has none."""
        return self.seat.model

    @property
    def options(self) -> tuple[protocol.Option, ...]:
        """The options that a client can set."""
        return self.seat.options

    @property
    def game_options(self) -> tuple[protocol.Option, ...]:
        """The options of UCI by which a client recognises the game; `configure` accepts their defaults alone."""
        return self.seat.game_options

    @property
    def state(self) -> GameState:
        """The state of the game."""
        return self.seat.state

    @property
    def searching(self) -> bool:
        """Whether a search runs, or has ended and waits for `stop`."""
        return self.searcher.searching

    @property
    def busy(self) -> bool:
        """Whether the player is getting ready or forgetting, or another one is loaded."""
        return self._jobs.busy

    def close(self) -> None:
        """Stop the search at once, without an answer. The player is given back when its search has ended."""
        if self._closed:
            return
        self._closed = True
        self.searcher.close()
        self._jobs.close()
        if not (self.searcher.running or self.busy):
            self.seat.leave()

    # --- options, the game, its position ------------------------------------------------------------------------------

    def configure(self, name: str, value: str, then: Callable[[str], None]) -> None:
        """Set an option, or play with another player of the roster; `then` receives the error, or an empty text.

        Raises:
            HostError: The name is unknown, or the value is wrong or too large; `then` is not called.
        """
        if name == CHOICE and self.seat.has_roster:
            self._choose(value, then)
        else:
            self.seat.set_option(name, value)
            then("")

    def _choose(self, name: str, then: Callable[[str], None]) -> None:
        """Play with another player from now on; its model may take time to load."""
        if self.searching:
            raise HostError(f"option {CHOICE!r}: a search is running; stop it first")
        if self.seat.take(name):
            then(self._change_player())
        else:
            self._jobs.lend(repr(name), lambda: self.seat.load(name), lambda why: then(why or self._change_player()))

    def _change_player(self) -> str:
        why = self.seat.change_player()
        if not why:
            self.searcher.forget()
        return why

    def change_game(self, game: str) -> None:
        """Play another game from now on, with a new player.

        Raises:
            HostError: This host does not play the game, or the player cannot be made.
        """
        self.seat.change_game(game)
        self.searcher.forget()

    def coordinates(self, kind: str) -> protocol.Coordinates:
        """Return the coordinates of the game that is played, also after `change_game`."""
        return self.seat.coordinates(kind)

    def set_position(self, start: str, moves: Sequence[str]) -> None:
        """Set the position after `moves` from `start`; raises HostError about the start or a move."""
        self.seat.set_position(start, moves)

    def play(self, move: str) -> None:
        """Play a move on the board; raises HostError if it is illegal."""
        self.seat.play(move)

    def read_file(self, name: str) -> str:
        """Return the text of a file that the client names.

        Raises:
            HostError: The client may not name files, or this one cannot be read.
        """
        if not self.reads_files:
            raise HostError("not available over TCP")
        try:
            return read_text(name)
        except UsageError as error:
            raise HostError(str(error)) from None

    # --- the work of the player ---------------------------------------------------------------------------------------

    def prepare(self, then: Callable[[str], None]) -> None:
        """Make the player ready; `then` receives the error, or an empty text."""
        player = self.seat.player
        if not self.searching and not player.prepared:
            self._jobs.run(player.prepare, then)
        else:
            then("")

    def new_game(self, then: Callable[[str], None]) -> None:
        """Forget the game and begin another; `then` receives the error, or an empty text."""
        self.seat.clear_board()
        self.searcher.forget()
        self._jobs.run(self.seat.player.new_game, then)

    def evaluate(self, limit: Limit, then: Callable[[Sequence[MoveScore], str], None]) -> None:
        """Search each legal move within `limit` in all; `then` receives those that were searched, or an error."""
        player, position, limits = self.seat.player, self.seat.position, self.searcher.limits(limit)
        scores: list[MoveScore] = []
        assert isinstance(position, native.Position)  # no dialect asks for it without `GameState.has_cells`
        self.searcher.keep_visits()  # they remain those of the last search, of which the evaluation is none

        def job() -> None:
            if position.result is None:
                scores.extend(move_scores(player, position, limits))

        self._jobs.run(job, lambda why: then(scores, why))

    def search(self, limit: Limit, thinker: Thinker) -> None:
        """Search the position; `thinker` receives the results, at once or later."""
        self.searcher.search(limit, thinker)

    def change_limit(self, limit: Limit) -> None:
        """End the search that runs within `limit`, counted from its beginning."""
        self.searcher.change_limit(limit)

    def visits(self) -> Sequence[tuple[str, int]]:
        """Return the moves at the root of the last search with their visits, the most visited first."""
        return self.searcher.visits()

    def stop(self) -> None:
        """End the search now, if one runs; its move still comes."""
        self.searcher.stop()

    def stop_endless(self) -> None:
        """End a search that only `stop` would end."""
        self.searcher.stop_endless()
