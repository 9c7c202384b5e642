"""One UGI session: what a client says becomes a position, searches, and answers.

It reads no socket and starts no thread: a driver (server.py, stdio.py) brings the bytes, takes the answers away and
lends a thread for each search, and for what else takes a player time. All methods are called in one place at a time,
the driver's.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, ClassVar

import protocol
from engine.answers import ANSWERS, best_of, declared, info_of
from engine.memory import Memory
from engine.search import Driver, Failure, Result, Search, tried
from engine.timeman import seconds_for
from games import Game, UsageError
from native import IllegalMoveError, Limits, Position, PositionError, SearchInfo
from players import MEMORY_OPTION, Player
from protocol import Limit, State, UgiServer

AUTHOR = "the Fiedler developers"
DEFAULT_SECONDS = 1.0
"""Time for a bare `go`, where neither the client nor the player's options say when to end."""
HEARTBEAT_SECONDS = 0.1
"""Between two signs of life to a client that has closed its writing side and waits for a search."""
_START = protocol.SetPosition("startpos", ())
_LISTENING = (State.NEW, State.IDLE, State.SEARCHING)


class Session:
    """A conversation with one client, who plays with one player."""

    def __init__(self, game: Game, player: Player, driver: Driver, memory: Memory | None = None) -> None:
        """`memory` bounds what all sessions take together; raises UsageError if this one does not fit into it."""
        self._memory = memory or Memory()
        self._memory.exchange(0, player.memory_mb)
        self._game = game
        self._player = player
        self._driver = driver
        self._ugi = UgiServer()
        self._inbox: deque[bytes] = deque()  # lines that are still to be heard; an empty one is the end of the input
        self._busy = False
        self._position = game.position()
        self._last: int | None = None  # the move that led to it
        self._set = _START  # what the position was made from
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
    def searching(self) -> bool:
        """Tell whether a search runs, or has ended and waits for `stop`."""
        return self._search is not None

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the client and do what they say."""
        # line by line: what the state is at a line depends on what the lines before it did
        self._inbox.extend(data.splitlines(keepends=True))
        self._hear()

    def receive_eof(self) -> None:
        """Take note that the client says nothing more. Answers that it has asked for still come.

        A search that only `stop` would end, ends now.
        """
        self._inbox.append(b"")
        self._hear()

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
        """Give back the player, and the memory that it could have taken."""
        self._search = None
        self._player.close()
        self._memory.exchange(self._player.memory_mb, 0)

    # --- what the client says -----------------------------------------------------------------------------------------

    def _hear(self) -> None:
        while self._inbox and not self._busy:
            line = self._inbox.popleft()
            for event in self._ugi.receive_data(line) if line else self._ugi.receive_eof():
                self._handlers[type(event)](self, event)

    def _hello(self, _event: protocol.Hello) -> None:
        options = [declared(option) for option in self._player.options() if not option.at_start]
        name = " ".join(f"{protocol.OUR_NAME} {self._player.title}".split())
        self._ugi.send_hello(name, AUTHOR, options)

    def _isready(self, _event: protocol.IsReady) -> None:
        if self._search is None:
            self._aside(self._player.prepare, self._ugi.send_readyok)
        else:
            self._ugi.send_readyok()

    def _setoption(self, event: protocol.SetOption) -> None:
        text = event.value or ""
        try:
            value = self._player.read_option(event.name, text)
            if event.name == MEMORY_OPTION:
                assert isinstance(value, int)
                self._memory.exchange(self._player.memory_mb, value)
            self._player.set_option(event.name, text)
        except UsageError as error:
            self._ugi.send_error(str(error))

    def _newgame(self, _event: protocol.NewGame) -> None:
        self._position, self._last, self._set = self._game.position(), None, _START
        self._aside(self._player.new_game)

    def _setposition(self, event: protocol.SetPosition) -> None:
        try:
            self._position, self._last = self._moved(event)
        except (PositionError, IllegalMoveError) as error:
            self._ugi.send_error(str(error))
        else:
            self._set = event

    def _moved(self, event: protocol.SetPosition) -> tuple[Position, int | None]:
        """Return the position of `event` and its last move: from the one that stands, if it only goes on from there."""
        known = len(self._set.moves)
        if event.text == self._set.text and event.moves[:known] == self._set.moves:
            position, last = self._position.copy(), self._last
        else:
            position, last, known = self._game.position(event.text), None, 0
        for move in event.moves[known:]:
            last = position.parse_move(move)
            position.play(last)
        return position, last

    def _go(self, event: protocol.Go) -> None:
        if self._position.result is not None:
            self._ugi.send_bestmove(None)
            return
        limits = self._limits(event.limit)
        self._endless = event.limit.infinite and not self._ends(limits)
        search = Search(self._player, self._position, limits, self._heard, self._ended)
        self._search = search
        if self._player.instant:
            search.run_inline()
        else:
            search.run(self._driver)

    def _limits(self, limit: Limit) -> Limits:
        seconds = seconds_for(limit, self._position.side_to_move, self._position.cells.count(0))
        depth, nodes = limit.depth or 0, limit.nodes or 0
        limits = Limits(depth, nodes, seconds)
        if self._ends(limits) or limit.infinite or self._player.bounded:
            return limits
        return Limits(depth, nodes, DEFAULT_SECONDS)

    def _ends(self, limits: Limits) -> bool:
        """Tell whether `limits` end a search of this player: a depth is no end to one that does not heed it."""
        return bool(limits.seconds or limits.nodes or (limits.depth and self._player.deepens))

    def _stop(self, _event: protocol.Stop) -> None:
        search = self._search
        if search is None:
            return
        self._endless = False
        search.stop.set()
        if search.result is not None:
            self._answer(search, search.result)

    def _query(self, event: protocol.Query) -> None:
        if event.what == "board":
            for row in self._game.draw(self._position, self._last).splitlines():
                self._ugi.send_info_string(row)
            self._ugi.send_response("ok")
        else:
            self._ugi.send_response(ANSWERS[event.what](self._position))

    def _quit(self, event: protocol.Quit) -> None:  # noqa: ARG002
        self._stop(protocol.Stop())

    def _malformed(self, event: protocol.Malformed) -> None:
        self._ugi.send_error(event.why)

    def _ended_input(self, _event: protocol.Eof) -> None:
        self._eof = True
        if self._endless:
            self._stop(protocol.Stop())

    # --- what takes the player time, and is no search -----------------------------------------------------------------

    def _aside(self, job: Callable[[], None], then: Callable[[], None] = lambda: None) -> None:
        """Let the player do a job where it keeps nobody else waiting; `then` answers, also when the job has failed."""
        if self._player.instant:
            self._attempt(self._position, job)
            then()
            return
        self._busy = True

        def work() -> None:
            outcome = tried(self._player, self._position, job)
            self._driver.post(lambda: self._done(outcome, then))

        self._driver.work(work)

    def _done(self, outcome: Failure | None, then: Callable[[], None]) -> None:
        self._busy = False
        if self._closed:
            self._part()
            return
        if isinstance(outcome, Failure):
            self._ugi.send_error(outcome.why)
        then()
        self._hear()

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
        protocol.Hello: _hello,
        protocol.IsReady: _isready,
        protocol.SetOption: _setoption,
        protocol.NewGame: _newgame,
        protocol.SetPosition: _setposition,
        protocol.Go: _go,
        protocol.Stop: _stop,
        protocol.Query: _query,
        protocol.Quit: _quit,
        protocol.Malformed: _malformed,
        protocol.Eof: _ended_input,
    }
