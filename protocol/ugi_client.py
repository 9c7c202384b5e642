"""The manager's side of UGI."""

import re
from collections import deque
from collections.abc import Callable, Sequence
from typing import ClassVar

from protocol import ugi_states
from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.events import (
    BestMove,
    ClientEvent,
    EngineId,
    Eof,
    InfoLine,
    InfoString,
    Malformed,
    OptionOffer,
    ReadyOk,
    Response,
    UgiOk,
)
from protocol.info import Info, read_info
from protocol.limit import Limit, go_line
from protocol.option import read_option, setoption_line
from protocol.position import GrowingPosition, position_line
from protocol.ugi_session import UgiSession, encoded
from protocol.ugi_states import State
from protocol.words import MAX_LINE, excerpt, one_word, quoted

_BESTMOVE = re.compile(rb"bestmove ([!-~]+)\r?\n")
_OF_UCI = {"uciok": "ugiok"}  # what engines say whose home is UCI
_NO_MOVE = ("none", "(none)")  # ours, and what UCI engines say


class UgiClient(UgiSession[ClientEvent]):
    """The manager's side: `send_*` asks, answers come in as events. States: ugi_states.CLIENT.

    send_go is followed by exactly one BestMove, unless Eof comes first. An answer that nobody asked for, a second
    bestmove included, is a Malformed: something to show, not to fail on. Lines may be written together (send_position,
    send_go, then one data_to_send).

    A search that was stopped still owes its bestmove: wait for it before the next send_go. Careless engines answer a
    late `stop` with a second bestmove; send_isready after the first and wait for ReadyOk, and the second shows up as
    Malformed before it, not as the answer to the next `go`.
    """

    def __init__(self, line_limit: int = MAX_LINE, *, reads_info: bool = True) -> None:
        """With `reads_info` off, an `info` line about the search is no event: only the last with a score is kept."""
        super().__init__(ugi_states.CLIENT, line_limit)
        self._reads_info = reads_info
        self._last_info = ""
        self._readyoks_due = 0
        self._queries: deque[str] = deque()  # asked, not answered
        self._limit: Limit | None = None
        self._go_line = b""

    @property
    def last_info(self) -> Info | None:
        """What the last `info` line with a score since send_go said, where `reads_info` is off; None before the first.

        Raises RemoteProtocolError if that line is none.
        """
        return read_info(self._last_info.split()) if self._last_info else None

    def send_ugi(self) -> None:
        """Open the conversation; ends in UgiOk."""
        self._say("ugi", "ugi")

    def send_isready(self) -> None:
        """Ask for a sign of life, also during a search; ends in ReadyOk."""
        self._say("isready", "isready")
        self._readyoks_due += 1

    def send_setoption(self, name: str, value: str | None = None) -> None:
        """Set an option; None presses a button. No answer."""
        self._say("setoption", setoption_line(name, value))

    def send_newgame(self) -> None:
        """Say that what follows is another game. No answer."""
        self._say("uginewgame", "uginewgame")

    def send_position(self, text: str = "startpos", moves: Sequence[str] = ()) -> None:
        """Set the position: "startpos" or a notation of the game, and the moves from there. No answer."""
        self._say("position", position_line(text, moves))

    def send_query(self, what: str) -> None:
        """Ask about the position; ends in one Response."""
        self._say("query", f"query {one_word(what, 'query')}")
        self._queries.append(what)

    def send_go(self, limit: Limit) -> None:
        """Start a search; ends in one BestMove."""
        self._say("go", go_line(limit))
        self._last_info = ""

    def send_search(self, position: GrowingPosition, limit: Limit) -> None:
        """Do what send_position and send_go do one after the other, with less on the way."""
        after = self._after_sending("go")  # wherever it may be said a position may be, too
        if limit is not self._limit:  # mostly it is the one of the search before
            self._go_line, self._limit = encoded(go_line(limit)), limit
        if len(position.line) > MAX_LINE:
            raise LocalProtocolError(f"expected at most {MAX_LINE} bytes on a line, got {len(position.line)}")
        self._out.append(b"%b\n%b" % (position.line, self._go_line))
        self._state = after
        self._last_info = ""

    def send_stop(self) -> None:
        """End the search now; its BestMove still comes. Without one, said twice, or at the end it writes nothing."""
        after = self._after_sending("stop")
        if self._state is State.SEARCHING:
            self._write("stop")
        self._state = after

    def send_quit(self) -> None:
        """End the conversation; what the engine still says is dropped. After the end it writes nothing."""
        after = self._after_sending("quit")
        if self._state is not State.CLOSED:
            self._write("quit")
        self._state = after

    def receive_move(self, data: bytes) -> str:
        """Take bytes if they are the answer to `go` with a move, whole and nothing else, and return that move.

        Else nothing has happened, "" is returned, and the bytes are for receive_data. It nearly always is so.
        """
        plain = _BESTMOVE.fullmatch(data)
        if plain is None or self._state is not State.SEARCHING or not self._lines.is_between_lines:
            return ""
        move = plain[1].decode()
        if move in _NO_MOVE or len(data) > self._lines.limit:
            return ""
        self._state = self._table[State.SEARCHING, "bestmove"]
        return move

    def _receive(self, line: str | Malformed, events: list[ClientEvent | Malformed | Eof]) -> None:
        if not self._reads_info and type(line) is str and line.startswith("info ") and line[5:11] != "string":
            if self._state is not State.CLOSED and " score " in line:
                self._last_info = line
        else:
            super()._receive(line, events)

    def _receive_words(self, words: list[str], line: str, events: list[ClientEvent | Malformed | Eof]) -> None:
        read = self._readers.get(_OF_UCI.get(words[0], words[0]))
        try:
            if read is None:
                raise RemoteProtocolError(f"expected one of {', '.join(self._readers)}; got {quoted(words[0])}")
            events.append(read(self, words, line))
        except RemoteProtocolError as error:
            events.append(Malformed(excerpt(line), str(error)))
        if words == ["bestmove"] and self._state in {State.SEARCHING, State.STOPPING}:
            # said to be wrong above, but it ends the search all the same: waiting longer would bring nothing
            events.append(BestMove(None))
            self._take("bestmove")

    def _take(self, answer: str) -> None:
        """Go to the next state; RemoteProtocolError if nobody asked for `answer`."""
        after = self._table.get((self._state, answer))
        if after is None:
            raise RemoteProtocolError(f"expected no {answer} now, nobody asked for it (the state is {self._state})")
        self._state = after

    def _read_id(self, words: list[str], _line: str) -> EngineId:
        text = " ".join(words[2:])
        if words[1:2] == ["name"] and text:
            self._take("id")
            return EngineId("name", text)
        if words[1:2] == ["author"] and text:
            self._take("id")
            return EngineId("author", text)
        raise RemoteProtocolError(f"expected id name TEXT or id author TEXT, got {quoted(' '.join(words))}")

    def _read_option(self, words: list[str], _line: str) -> OptionOffer:
        option = read_option(words)
        self._take("option")
        return OptionOffer(option)

    def _read_ugiok(self, words: list[str], _line: str) -> UgiOk:
        _check_alone(words)
        self._take("ugiok")
        return UgiOk()

    def _read_readyok(self, words: list[str], _line: str) -> ReadyOk:
        _check_alone(words)
        if not self._readyoks_due:
            raise RemoteProtocolError("expected no readyok now, nobody asked for it")
        self._readyoks_due -= 1
        return ReadyOk()

    def _read_info(self, words: list[str], line: str) -> InfoLine | InfoString:
        if words[1:2] == ["string"]:
            # one blank separates; more of them belong to the text, which may be a row of a board
            return InfoString(line[line.index("string") + len("string ") :])
        return InfoLine(read_info(words))

    def _read_response(self, words: list[str], _line: str) -> Response:
        if not self._queries:
            raise RemoteProtocolError("expected no response now, nobody asked for it")
        return Response(" ".join(words[1:]), self._queries.popleft())

    def _read_bestmove(self, words: list[str], _line: str) -> BestMove:
        if len(words) == 1:
            raise RemoteProtocolError("expected bestmove MOVE, got no move")
        self._take("bestmove")  # `ponder …` may follow, with engines whose home is UCI
        return BestMove(None if words[1] in _NO_MOVE else words[1])

    _readers: ClassVar[dict[str, Callable[["UgiClient", list[str], str], ClientEvent]]] = {
        "id": _read_id,
        "option": _read_option,
        "ugiok": _read_ugiok,
        "readyok": _read_readyok,
        "info": _read_info,
        "response": _read_response,
        "bestmove": _read_bestmove,
    }


def _check_alone(words: list[str]) -> None:
    if len(words) > 1:
        raise RemoteProtocolError(f"expected {words[0]} alone on its line, got {quoted(words[1])} after it")
