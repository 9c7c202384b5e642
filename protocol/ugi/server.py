"""The engine's side of UGI."""

from collections.abc import Callable
from typing import Any, ClassVar

from fiedler.protocol.errors import HostError
from fiedler.protocol.events import Eof, Malformed
from fiedler.protocol.host import GameState, Host
from fiedler.protocol.info import Info
from fiedler.protocol.lines import encoded
from fiedler.protocol.ugi.events import Go, Hello, IsReady, NewGame, Query, Quit, SetOption, SetPosition, Stop
from fiedler.protocol.ugi.queries import BOARD, CAPABILITIES, EXTENSIONS, LEGAL_MOVES, POSITION, PUBLISHED
from fiedler.protocol.ugi.server_messages import ServerMessages, error_line
from fiedler.protocol.ugi.states import State
from fiedler.protocol.ugi.vocabulary import UCI, UGI, Vocabulary
from fiedler.protocol.words import MAX_LINE

_LISTENING = frozenset({State.NEW, State.IDLE, State.SEARCHING})
_ANSWERS: dict[str, Callable[[GameState], str]] = {
    **PUBLISHED,
    LEGAL_MOVES: lambda state: " ".join(state.legal_moves),
    POSITION: lambda state: state.notation,
    CAPABILITIES: lambda _: " ".join(EXTENSIONS),
    BOARD: lambda _: "ok",
}


def refusal(why: str) -> bytes:
    """Return the line for a client whose session is refused or ended."""
    return encoded(error_line(why))


class UgiServer(ServerMessages):
    """`fiedler.protocol.server.Server` in the messages of UGI, or of UCI."""

    def __init__(self, host: Host, line_limit: int = MAX_LINE, vocabulary: Vocabulary = UGI) -> None:
        super().__init__(line_limit, vocabulary)
        self._host = host

    @property
    def listening(self) -> bool:
        """Whether the client may still send requests."""
        return self._state in _LISTENING

    def handle_line(self) -> None:
        """Fulfil the request of the next line."""
        event = self.next_event()
        if event is None:
            return
        try:
            self._handlers[type(event)](self, event)
        except HostError as error:
            self.send_error(str(error))

    def heartbeat(self) -> None:
        """Report that a search still runs."""
        self.send_info_string("searching")

    def found(self, info: Info) -> None:
        """Report the state of a search."""
        self.send_info(info)

    def failed(self, why: str) -> None:
        """Report an error."""
        self.send_error(why)

    def remarked(self, why: str) -> None:
        """Send a remark about the search."""
        self.send_info_string(why)

    def moved(self, move: str | None) -> None:
        """Answer `go`."""
        self.send_bestmove(move)

    def _hello(self, _event: Hello) -> None:
        of_game = self._host.game_options if self._vocabulary is UCI else ()
        self.send_hello(self._host.name, self._host.author, (*self._host.options, *of_game))

    def _isready(self, _event: IsReady) -> None:
        self._host.prepare(self._ready)

    def _ready(self, why: str) -> None:
        self._report_error(why)
        self.send_readyok()

    def _setoption(self, event: SetOption) -> None:
        self._host.configure(event.name, event.value or "", self._report_error)

    def _newgame(self, _event: NewGame) -> None:
        self._host.new_game(self._report_error)

    def _report_error(self, why: str) -> None:
        if why:
            self.send_error(why)

    def _setposition(self, event: SetPosition) -> None:
        self._host.set_position(event.text, event.moves)

    def _go(self, event: Go) -> None:
        self._host.search(event.limit, self)

    def _query(self, event: Query) -> None:
        state = self._host.state
        if event.what == BOARD:
            for row in state.drawing:
                self.send_info_string(row)
        self.send_response(_ANSWERS[event.what](state))

    def _stop(self, _event: Stop | Quit) -> None:
        self._host.stop()

    def _malformed(self, event: Malformed) -> None:
        self.send_error(event.why)

    def _ended_input(self, _event: Eof) -> None:
        self._host.stop_endless()

    _handlers: ClassVar[dict[type, Callable[["UgiServer", Any], None]]] = {
        Hello: _hello,
        IsReady: _isready,
        SetOption: _setoption,
        NewGame: _newgame,
        SetPosition: _setposition,
        Go: _go,
        Stop: _stop,
        Query: _query,
        Quit: _stop,
        Malformed: _malformed,
        Eof: _ended_input,
    }
