"""A player with its game, as a dialect calls it: position, searches, options.

It reads no socket and starts no thread: a driver (connection.py, stdio.py) lends a thread for each search and for other
slow work of a player. The driver calls all methods, one at a time.
"""

from __future__ import annotations

import copy
import logging
import math
from collections.abc import Callable, Sequence

import protocol
from engine.host.analysis import move_scores
from engine.host.answers import best_of, choice_of, declared, info_of, not_among, without_file
from engine.host.coordinates import CurrentCoordinates
from engine.host.files import read_text
from engine.host.game_state import GameState
from engine.host.search import Driver, Failure, Result, Search, tried
from engine.host.terms import Terms
from engine.host.timeman import seconds_for
from engine.roster.engine_offer import EngineOffer
from engine.roster.roster import CHOICE, Roster
from games.coordinates import coordinates
from native import IllegalMoveError, Limits, Position, PositionError, SearchInfo
from players import Factory, Player
from protocol import HostError, Limit, MoveScore, Thinker
from support.errors import UsageError, WorkError
from support.provenance import release

log = logging.getLogger("engine.host")

DEFAULT_SECONDS = 1.0
"""The time of a search, if neither the client nor the player's options limit it."""
NEARLY = 0.9
"""The part of the longest time of a search after which its end is that of the time."""
AUTHOR = "the Fiedler developers"


class Host:
    """`protocol.Host`: one player, one game, at most one search or job at a time."""

    author = AUTHOR

    def __init__(self, offer: EngineOffer, driver: Driver, terms: Terms | None = None) -> None:
        """Play with a new player of the offer; `terms` are those of the server.

        Raises:
            UsageError: This session does not fit into the shares of the server.
        """
        self._offer = offer
        self._terms = terms or Terms()
        self._game = offer.game
        self._seat(self._entered(offer.factory.player()))
        self._driver = driver
        self._state = GameState(self._game)
        self._search: Search | None = None
        self._thinker: Thinker | None = None
        self._searched: Position | None = None
        """The position of the last search of the game."""
        self._visits: Sequence[tuple[str, int]] | None = None
        """The visits of that search, once the player has searched other positions; None: the player has them."""
        self._endless = False
        """Whether the search is infinite: no move before `stop`."""
        self._cut = False
        """Whether the terms of the server shorten the search."""
        self._closed = self._parted = False
        self._held = ""
        """The player of the roster that the client has chosen; empty: none."""
        self._next: tuple[str, Factory] | None = None
        """The one that is loaded to replace it."""
        self.busy = False
        """Whether the player is getting ready or forgetting, or another one is loaded."""
        self.reads_files = False
        """Whether the client may name files of this machine: it has started this program."""
        self.since: float | None = None
        """The moment from which the time of the next search counts, in seconds of `time.monotonic`; None: now."""
        self.congested = False
        """Whether the driver cannot send: reports of running searches are dropped."""

    def _entered(self, player: Player) -> Player:
        """Return the first player, after it has its shares; raises UsageError."""
        try:
            self._terms.shares.enter(player)
        except UsageError:
            player.close()
            raise
        return player

    def _seat(self, player: Player) -> None:
        """Play with a player whose options no client has set."""
        self._player = player
        self._initial = copy.copy(player.settings)

    @property
    def name(self) -> str:
        """The name of the player: that in the roster, and the kind of player."""
        title, chosen = self._player.title, self._chosen
        full = f"{chosen} ({title})" if chosen and chosen != title else title
        return " ".join(f"{protocol.OUR_NAME} {full}".split())

    @property
    def version(self) -> str:
        """The version of this program."""
        return release()

    @property
    def game(self) -> str:
        """The id of the game."""
        return self._game.id

    @property
    def games(self) -> tuple[str, ...]:
        """The ids of the games that `change_game` accepts."""
        return (self._game.id,) if self._offer.lineup is None else self._offer.lineup.games

    @property
    def model(self) -> str:
        """The model file that was chosen at the start; empty: the player has none."""
        return str(getattr(self._player.settings, "model", ""))

    @property
    def options(self) -> tuple[protocol.Option, ...]:
        """The options that a client can set: the choice of a player, and those of that player.

        The defaults are the values at the start of the session, or those of the chosen player in the roster.
        """
        settable = (option for option in self._player.options() if not option.at_start)
        own = tuple(declared(option, getattr(self._initial, option.name)) for option in settable)
        roster = self._offer.roster
        return own if roster is None else (choice_of(roster.names, self._chosen), *own)

    @property
    def _chosen(self) -> str:
        """The name of the player in the roster; empty without a roster."""
        roster = self._offer.roster
        return "" if roster is None else self._held or roster.names[0]

    @property
    def state(self) -> GameState:
        """The state of the game."""
        return self._state

    @property
    def searching(self) -> bool:
        """Whether a search runs, or has ended and waits for `stop`."""
        return self._search is not None

    def close(self) -> None:
        """Stop the search at once, without an answer. The player is given back when its search has ended."""
        if self._closed:
            return
        self._closed = True
        if self._search is not None and self._search.result is None:
            self._search.stop.set()
        elif not self.busy:
            self._part()

    def _part(self) -> None:
        """Give back the player, and its shares, once."""
        if self._parted:
            return
        self._parted = True
        self._search = None
        self._player.close()
        self._terms.shares.leave(self._player)
        self._let_go(self._held)
        if self._next is not None:
            self._let_go(self._next[0])

    def change_game(self, game: str) -> None:
        """Play another game from now on, with a new player.

        Raises:
            HostError: This host does not play the game, or the player cannot be made.
        """
        lineup = self._offer.lineup
        if lineup is None or game not in lineup.games:
            raise HostError(f"expected one of {', '.join(self.games)}, got {game}")
        made = tried(
            self._player.name, game, lambda: _loaded(lambda: lineup.player(game), self._player.name, self.model)
        )
        if isinstance(made, Failure):
            raise HostError(made.why)
        player = made
        try:
            self._terms.shares.exchange(self._player, player)
        except UsageError as error:
            raise HostError(str(error)) from None
        self._player.close()
        self._seat(player)
        self._game = player.game
        self._state = GameState(self._game)
        self._forget_search()

    def coordinates(self, kind: str) -> protocol.Coordinates:
        """Return the coordinates of the game that is played, also after `change_game`."""
        fixed = self._offer.lineup is None
        return coordinates(self._game, kind) if fixed else CurrentCoordinates(lambda: self._game, kind)

    # --- options and positions ----------------------------------------------------------------------------------------

    def configure(self, name: str, value: str, then: Callable[[str], None]) -> None:
        """Set an option, or play with another player of the roster; `then` receives the error, or an empty text.

        Raises:
            HostError: The name is unknown, or the value is wrong or too large; `then` is not called.
        """
        if name == CHOICE and self._offer.roster is not None:
            self._choose(self._offer.roster, value, then)
        else:
            self._set_option(name, value)
            then("")

    def _set_option(self, name: str, value: str) -> None:
        try:
            read = self._player.read_option(name, value)
            self._terms.shares.change(self._player, name, read)
            self._player.set_option(name, value)
        except UsageError as error:
            raise HostError(str(error)) from None

    def _choose(self, roster: Roster, name: str, then: Callable[[str], None]) -> None:
        """Play with another player from now on, by its own options; its model may take time to load."""
        if self.searching:
            raise HostError(f"option {CHOICE!r}: a search is running; stop it first")
        if name not in roster.names:
            raise HostError(f"option {CHOICE!r}: {not_among(roster.names, name)}")
        if (factory := roster.take(name)) is not None:
            self._next = name, factory
            then(self._take_over())
            return

        def load() -> None:
            self._next = name, _loaded(lambda: roster.hold(name), repr(name), roster.model(name))

        self._lend(load, lambda why: then(why or self._take_over()), player=repr(name))

    def _take_over(self) -> str:
        """Replace the player by the loaded one; return the error, or an empty text."""
        assert self._next is not None
        (name, factory), self._next = self._next, None
        player = tried(repr(name), CHOICE, factory.player)
        if isinstance(player, Failure):
            self._let_go(name)
            return player.why
        try:
            self._terms.shares.exchange(self._player, player)
        except UsageError as error:
            player.close()
            self._let_go(name)
            return str(error)
        self._player.close()
        self._let_go(self._held)
        self._seat(player)
        self._held = name
        self._forget_search()
        return ""

    def _let_go(self, name: str) -> None:
        """End the hold on a player of the roster."""
        if name and self._offer.roster is not None:
            self._offer.roster.release(name)

    def set_position(self, start: str, moves: Sequence[str]) -> None:
        """Set the position after `moves` from `start`.

        Raises:
            HostError: The start or a move is wrong.
        """
        self._stand(lambda: self._state.after(start, moves))

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

    def play(self, move: str) -> None:
        """Play a move on the board.

        Raises:
            HostError: The move is illegal.
        """
        self._stand(lambda: self._state.played(move))

    def _stand(self, reached: Callable[[], GameState]) -> None:
        try:
            self._state = reached()
        except (PositionError, IllegalMoveError) as error:
            raise HostError(str(error)) from None

    # --- slow work of the player besides searches ---------------------------------------------------------------------

    def prepare(self, then: Callable[[str], None]) -> None:
        """Make the player ready; `then` receives the error, or an empty text."""
        if self._search is None and not self._player.prepared:
            self._aside(self._player.prepare, then)
        else:
            then("")

    def new_game(self, then: Callable[[str], None]) -> None:
        """Forget the game and begin another; `then` receives the error, or an empty text."""
        self._state = GameState(self._game)
        self._forget_search()
        self._aside(self._player.new_game, then)

    def _aside(self, job: Callable[[], None], then: Callable[[str], None]) -> None:
        """Let the player do a job without blocking other sessions."""
        if self._player.instant:
            position = self._state.position
            then(_why(tried(self._player.name, position, job)))
        else:
            self._lend(job, then)

    def _lend(self, job: Callable[[], None], then: Callable[[str], None], player: str = "") -> None:
        """Do a job in another thread; `player` is whose job it is, by default that of the present player."""
        position, name = self._state.position, player or self._player.name

        def work() -> None:
            outcome = tried(name, position, job)
            self._driver.post(lambda: self._done(outcome, then))

        self.busy = True
        try:
            self._driver.work(work)
        except WorkError as error:
            self._done(Failure(str(error)), then)

    def _done(self, outcome: Failure | None, then: Callable[[str], None]) -> None:
        self.busy = False
        if self._closed:
            self._part()
        else:
            then(_why(outcome))

    # --- searches -----------------------------------------------------------------------------------------------------

    def search(self, limit: Limit, thinker: Thinker) -> None:
        """Search the position; `thinker` receives the results, at once or later."""
        position = self._state.position
        if position.result is not None:
            thinker.moved(None)
            return
        limits = self._limits(limit)
        self._cut = limits.seconds != self._asked_limits(limit).seconds
        self._endless = limit.infinite and not self._ends(self._asked_limits(limit))
        self._thinker = thinker
        self._searched, self._visits = position, None
        search = self._search = Search(self._player, position, limits, self._reported, self._ended, self.since)
        if self._player.instant:
            search.run_inline()
        else:
            search.run(self._driver)

    def change_limit(self, limit: Limit) -> None:
        """End the search that runs within `limit`, counted from its beginning."""
        if self._search is not None and (seconds := self._limits(limit).seconds):
            self._search.end_within(seconds)

    def evaluate(self, limit: Limit, then: Callable[[Sequence[MoveScore], str], None]) -> None:
        """Search each legal move within `limit` in all; `then` receives those that were searched, or an error."""
        position, limits = self._state.position, self._limits(limit)
        scores: list[MoveScore] = []
        self._visits = self.visits()  # they remain those of the last search, of which the evaluation is none

        def job() -> None:
            if position.result is None:
                scores.extend(move_scores(self._player, position, limits))

        self._aside(job, lambda why: then(scores, why))

    def visits(self) -> Sequence[tuple[str, int]]:
        """Return the moves at the root of the last search with their visits, the most visited first."""
        if self._searched is None or self._visits is not None:
            return self._visits or ()
        return [(self._searched.move_text(one.move), one.visits) for one in self._player.root_moves()]

    def _forget_search(self) -> None:
        self._searched = self._visits = None

    def stop(self) -> None:
        """End the search now, if one runs; its move still comes."""
        search = self._search
        if search is None:
            return
        self._endless = False
        search.stop.set()
        if search.result is not None:
            self._answer(search, search.result)

    def stop_endless(self) -> None:
        """End a search that only `stop` would end."""
        if self._endless:
            self.stop()

    def _limits(self, limit: Limit) -> Limits:
        """Return the limits of a search within the terms of the server."""
        asked, most = self._asked_limits(limit), self._terms.think_seconds
        if math.isinf(most):
            return asked
        return Limits(asked.depth, asked.nodes, min(asked.seconds or most, most))

    def _asked_limits(self, limit: Limit) -> Limits:
        position = self._state.position
        seconds = seconds_for(limit, position.side_to_move, position.cells.count(0))
        depth, nodes = limit.depth or 0, limit.nodes or 0
        limits = Limits(depth, nodes, seconds)
        if self._ends(limits) or limit.infinite or self._player.bounded:
            return limits
        return Limits(depth, nodes, DEFAULT_SECONDS)

    def _ends(self, limits: Limits) -> bool:
        """Return whether `limits` end a search of this player: not every player stops at a depth."""
        return bool(limits.seconds or limits.nodes or (limits.depth and self._player.deepens))

    def _reported(self, search: Search, info: SearchInfo) -> None:
        if search is self._search and search.result is None and not self._closed and not self.congested:
            self._send_info(search, info)

    def _ended(self, search: Search, outcome: SearchInfo | Failure) -> None:
        search.result = outcome
        if isinstance(outcome, SearchInfo):
            self._note(outcome)
        if self._closed:
            self._part()
        elif not self._endless:
            self._answer(search, outcome)

    def _note(self, outcome: SearchInfo) -> None:
        """Count a search; report that the server ended it."""
        self._terms.counts.searched(outcome.nodes, outcome.seconds)
        most = self._terms.think_seconds
        if self._cut and outcome.seconds >= NEARLY * most and not self._closed:
            self._asking.remarked(f"the search ended after {most:g} s, the limit of this server")

    def _answer(self, search: Search, outcome: SearchInfo | Failure) -> None:
        thinker = self._asking
        self._search = None
        if isinstance(outcome, Failure):
            thinker.failed(outcome.why)
            thinker.moved(None)
            return
        self._send_info(search, outcome)
        thinker.moved(self._attempt(search.position, lambda: best_of(search.position, outcome)))

    def _send_info(self, search: Search, found: SearchInfo) -> None:
        """Send the findings of a search; unprintable figures do not cost the move."""
        position = search.position
        self._attempt(position, lambda: self._asking.found(info_of(position, found, search.waited)))

    def _attempt(self, position: Position, job: Callable[[], Result]) -> Result | None:
        """Return the result of the job; None if it fails, which the thinker receives."""
        outcome = tried(self._player.name, position, job)
        if isinstance(outcome, Failure):
            self._asking.failed(outcome.why)
            return None
        return outcome

    @property
    def _asking(self) -> Thinker:
        assert self._thinker is not None
        return self._thinker


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


def _why(outcome: Failure | None) -> str:
    return outcome.why if isinstance(outcome, Failure) else ""
