"""One UGI session: the client's lines become a position, searches, and answers.

It reads no socket and starts no thread: a driver (server.py, stdio.py) brings the bytes, takes the answers away and
lends a thread for each search, and for what else takes a player time. All methods are called in one place at a time,
the driver's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

import protocol
from engine.answers import best_of, declared, info_of
from engine.search import Driver, Failure, Result, Search, tried
from engine.shares import Shares
from engine.standing import Standing
from engine.timeman import seconds_for
from games import Game
from native import IllegalMoveError, Limits, Position, PositionError, SearchInfo
from players import Player
from protocol import Limit, ugi
from protocol.ugi import ServerMessages, State
from support.errors import UsageError, WorkError

AUTHOR = "the Fiedler developers"
DEFAULT_SECONDS = 1.0
"""Time for a bare `go`, where neither the client nor the player's options say when to end."""
HEARTBEAT_SECONDS = 0.1
"""Between two signs of life to a client that has closed its writing side and waits for a search."""
_LISTENING = (State.NEW, State.IDLE, State.SEARCHING)


class Session:
    """A conversation with one client, who plays with one player."""

    def __init__(self, game: Game, player: Player, driver: Driver, shares: Shares | None = None) -> None:
        """`shares` bound what all sessions take together; raises UsageError if this one does not fit into them."""
        self._shares = shares or Shares()
        self._shares.enter(player)
        self._game = game
        self._player = player
        self._driver = driver
        self._ugi = ServerMessages()
        self._busy = False
        self._standing = Standing(game)
        self._search: Search | None = None
        self._endless = False  # `go infinite`: no bestmove before `stop`
        self._eof = False
        self._closed = False
        self.congested = False
        """The driver cannot get rid of what is said: reports of running searches are dropped."""

    @property
    def listening(self) -> bool:
        """Tell whether the client may still say something."""
        return not self._eof and not self._closed and self._ugi.state in _LISTENING

    @property
    def over(self) -> bool:
        """Tell whether nothing more will be said on either side."""
        return not (self.listening or self._busy or self._search)

    @property
    def busy(self) -> bool:
        """Tell whether the player makes ready or forgets; what the client says meanwhile waits for the end of that."""
        return self._busy

    @property
    def waiting(self) -> bool:
        """Tell whether lines could be heard now that have not been."""
        return self._ugi.waiting and not self._busy and not self._closed

    @property
    def searching(self) -> bool:
        """Tell whether a search runs, or has ended and waits for `stop`."""
        return self._search is not None

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the client; `hear` does what they say."""
        self._ugi.receive_data(data)

    def receive_eof(self) -> None:
        """Take note that the client says nothing more. Answers that it has asked for still come.

        A search that only `stop` would end, ends now.
        """
        self._ugi.receive_eof()

    def hear(self, enough: Callable[[], bool] = lambda: False) -> None:
        """Do what has been said, a line at least, until `enough` says so or a line makes the session busy."""
        while self.waiting:
            if (event := self._ugi.next_event()) is not None:
                self._handlers[type(event)](self, event)
            if enough():
                return

    def data_to_send(self) -> bytes:
        """Return, once, the bytes for the client."""
        return self._ugi.data_to_send()

    def heartbeat(self) -> None:
        """Say that a search still runs. Only by writing does one learn that a client has gone and not just ended."""
        self._ugi.send_info_string("searching")

    def refuse(self, why: str) -> None:
        """Say why the session ends, or does not begin."""
        self._ugi.send_error(why)

    def close(self) -> None:
        """Stop thinking at once: nobody listens. The player is given back when its search has ended."""
        if self._closed:
            return
        self._closed = True
        if self._search is not None and self._search.result is None:
            self._search.stop.set()
        elif not self._busy:
            self._part()

    def _part(self) -> None:
        """Give back the player, and its shares."""
        self._search = None
        self._player.close()
        self._shares.leave(self._player)

    # --- what the client says -----------------------------------------------------------------------------------------

    @cached_property
    def _introduction(self) -> tuple[str, tuple[protocol.Option, ...]]:
        """The name and the options, which stay the same."""
        options = tuple(declared(option) for option in self._player.options() if not option.at_start)
        return " ".join(f"{ugi.OUR_NAME} {self._player.title}".split()), options

    def _hello(self, _event: ugi.Hello) -> None:
        name, options = self._introduction
        self._ugi.send_hello(name, AUTHOR, options)

    def _isready(self, _event: ugi.IsReady) -> None:
        if self._search is None and not self._player.prepared:
            self._aside(self._player.prepare, self._ugi.send_readyok)
        else:
            self._ugi.send_readyok()

    def _setoption(self, event: ugi.SetOption) -> None:
        text = event.value or ""
        try:
            value = self._player.read_option(event.name, text)
            self._shares.change(self._player, event.name, value)
            self._player.set_option(event.name, text)
        except UsageError as error:
            self._ugi.send_error(str(error))

    def _newgame(self, _event: ugi.NewGame) -> None:
        self._standing = Standing(self._game)
        self._aside(self._player.new_game)

    def _setposition(self, event: ugi.SetPosition) -> None:
        try:
            self._standing = self._standing.moved(event)
        except (PositionError, IllegalMoveError) as error:
            self._ugi.send_error(str(error))

    def _go(self, event: ugi.Go) -> None:
        position = self._standing.position
        if position.result is not None:
            self._ugi.send_bestmove(None)
            return
        limits = self._limits(event.limit)
        self._endless = event.limit.infinite and not self._ends(limits)
        search = self._search = Search(self._player, position, limits, self._heard, self._ended)
        if self._player.instant:
            search.run_inline()
        else:
            search.run(self._driver)

    def _limits(self, limit: Limit) -> Limits:
        position = self._standing.position
        seconds = seconds_for(limit, position.side_to_move, position.cells.count(0))
        depth, nodes = limit.depth or 0, limit.nodes or 0
        limits = Limits(depth, nodes, seconds)
        if self._ends(limits) or limit.infinite or self._player.bounded:
            return limits
        return Limits(depth, nodes, DEFAULT_SECONDS)

    def _ends(self, limits: Limits) -> bool:
        """Tell whether `limits` end a search of this player: a depth is no end to one that does not heed it."""
        return bool(limits.seconds or limits.nodes or (limits.depth and self._player.deepens))

    def _stop(self, _event: ugi.Stop) -> None:
        search = self._search
        if search is None:
            return
        self._endless = False
        search.stop.set()
        if search.result is not None:
            self._answer(search, search.result)

    def _query(self, event: ugi.Query) -> None:
        rows, response = self._standing.answer(event.what)
        for row in rows:
            self._ugi.send_info_string(row)
        self._ugi.send_response(response)

    def _quit(self, event: ugi.Quit) -> None:  # noqa: ARG002
        self._stop(ugi.Stop())

    def _malformed(self, event: protocol.Malformed) -> None:
        self._ugi.send_error(event.why)

    def _ended_input(self, _event: protocol.Eof) -> None:
        self._eof = True
        if self._endless:
            self._stop(ugi.Stop())

    # --- what takes the player time, and is no search -----------------------------------------------------------------

    def _aside(self, job: Callable[[], None], then: Callable[[], None] = lambda: None) -> None:
        """Let the player do a job where it keeps nobody else waiting; `then` answers, also when the job has failed."""
        if self._player.instant:
            self._attempt(self._standing.position, job)
            then()
            return
        position = self._standing.position

        def work() -> None:
            outcome = tried(self._player, position, job)
            self._driver.post(lambda: self._done(outcome, then))

        self._busy = True
        try:
            self._driver.work(work)
        except WorkError as error:
            self._done(Failure(str(error)), then)

    def _done(self, outcome: Failure | None, then: Callable[[], None]) -> None:
        self._busy = False
        if self._closed:
            self._part()
            return
        if isinstance(outcome, Failure):
            self._ugi.send_error(outcome.why)
        then()

    def _attempt(self, position: Position, job: Callable[[], Result]) -> Result | None:
        """Return what the job gives; None if it fails, which the client is told."""
        outcome = tried(self._player, position, job)
        if isinstance(outcome, Failure):
            self._ugi.send_error(outcome.why)
            return None
        return outcome

    # --- what the search says -----------------------------------------------------------------------------------------

    def _heard(self, search: Search, info: SearchInfo) -> None:
        if search is self._search and search.result is None and not self._closed and not self.congested:
            self._tell(search, info)

    def _ended(self, search: Search, outcome: SearchInfo | Failure) -> None:
        search.result = outcome
        if self._closed:
            self._part()
        elif not self._endless:
            self._answer(search, outcome)

    def _answer(self, search: Search, outcome: SearchInfo | Failure) -> None:
        self._search = None
        if isinstance(outcome, Failure):
            self._ugi.send_error(outcome.why)
            self._ugi.send_bestmove(None)
            return
        self._tell(search, outcome)
        self._ugi.send_bestmove(self._attempt(search.position, lambda: best_of(search.position, outcome)))

    def _tell(self, search: Search, found: SearchInfo) -> None:
        """Say what a search has found; figures that cannot be said are no reason to lose the move."""
        position = search.position
        self._attempt(position, lambda: self._ugi.send_info(info_of(position, found, search.waited)))

    _handlers: ClassVar[dict[type, Callable[[Session, Any], None]]] = {
        ugi.Hello: _hello,
        ugi.IsReady: _isready,
        ugi.SetOption: _setoption,
        ugi.NewGame: _newgame,
        ugi.SetPosition: _setposition,
        ugi.Go: _go,
        ugi.Stop: _stop,
        ugi.Query: _query,
        ugi.Quit: _quit,
        protocol.Malformed: _malformed,
        protocol.Eof: _ended_input,
    }
