"""The messages of the manager's side of UGI: requests, and the meaning of the answers."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial
from typing import ClassVar

from fiedler.protocol.errors import RemoteProtocolError
from fiedler.protocol.events import ClientEvent, Identity, Malformed, Message, Move, Offer, Ready, Refusal, Response
from fiedler.protocol.info import Info
from fiedler.protocol.limit import Limit
from fiedler.protocol.ugi import states
from fiedler.protocol.ugi.go import go_line
from fiedler.protocol.ugi.info import read_info
from fiedler.protocol.ugi.option import read_option, setoption_line
from fiedler.protocol.ugi.position import position_line
from fiedler.protocol.ugi.session import UgiSession
from fiedler.protocol.ugi.states import State
from fiedler.protocol.ugi.vocabulary import UCI, UGI, Vocabulary
from fiedler.protocol.words import MAX_LINE, excerpt, one_word, quoted

NO_MOVE = (UGI.no_move, UCI.no_move)
"""The words in place of a move where there is none, in both vocabularies."""
_OF_UCI = {UCI.hello_answer: UGI.hello_answer}
"""Answers of UCI engines, and the same in UGI: either is accepted in both."""
_ERROR = "error: "
STRING = "info string "
"""The beginning of a line of text."""
STRING_ERROR = STRING + _ERROR
FIRST_WORDS = 512
"""The characters of an `info` line in which its score stands, at the latest."""
MAX_REPORT = 1024
"""The characters of an `info` line that are kept: the lines of a whole game are read at once at its end."""


class ClientMessages(UgiSession[ClientEvent]):
    """The manager's side: `send_*` sends requests, answers become events. States: states.CLIENT.

    Exactly one Move follows send_go, unless Eof comes first. An answer without a request, such as a second bestmove,
    is a Malformed: show it, do not fail on it. Lines may be written together (send_position, send_go, then one
    data_to_send).

    The bestmove of a stopped search still comes: wait for it before the next send_go. Careless engines answer a late
    `stop` with a second bestmove: call send_isready after the first and wait for Ready. Then the second is a Malformed
    before Ready, not the answer to the next `go`.
    """

    def __init__(self, line_limit: int = MAX_LINE, vocabulary: Vocabulary = UGI) -> None:
        super().__init__(states.CLIENT, line_limit)
        self._vocabulary = vocabulary
        self.reads_info = True
        """Whether an `info` line is an event; otherwise only the last one with a score is kept, and errors are."""
        self._last_info = ""
        self._readyoks_due = 0
        self._queries: deque[str] = deque()
        """The unanswered queries, the oldest first."""

    @cached_property
    def _known(self) -> str:
        """The first words of all answers, for a message: a hostile engine sends many lines without one."""
        return ", ".join(map(self._vocabulary.spelled, self.readers))

    @property
    def last_info(self) -> Info | None:
        """The last `info` line with a score since `go`, where `reads_info` is off; None before the first."""
        return _read(self._last_info)

    def keep_info(self) -> Callable[[], Info | None]:
        """Return a function that returns `last_info` as it is now; the line is not read before the call."""
        return partial(_read, self._last_info)

    def send_ugi(self) -> None:
        """Open the conversation; ends in Ready."""
        self._send("ugi", self._vocabulary.hello)

    def send_isready(self) -> None:
        """Ask for a sign of life, also during a search; ends in Ready."""
        self._send("isready", "isready")
        self._readyoks_due += 1

    def send_setoption(self, name: str, value: str | None = None) -> None:
        """Set an option; None presses a button. No answer."""
        self._send("setoption", setoption_line(name, value))

    def send_newgame(self) -> None:
        """Announce another game. No answer."""
        self._send("uginewgame", self._vocabulary.new_game)

    def send_position(self, text: str = "startpos", moves: Sequence[str] = ()) -> None:
        """Set the position: "startpos" or a notation of the game, and the moves from there. No answer."""
        self._send("position", position_line(text, moves))

    def send_query(self, what: str) -> None:
        """Ask about the position; ends in one Response."""
        self._send("query", f"query {one_word(what, 'query')}")
        self._queries.append(what)

    def send_go(self, limit: Limit) -> None:
        """Start a search; ends in one Move."""
        self._send("go", go_line(limit, self._vocabulary))
        self._last_info = ""

    def send_stop(self) -> None:
        """End the search now; its Move still comes. Without a search, sent twice, or at the end it writes nothing."""
        after = self._after_sending("stop")
        if self._state is State.SEARCHING:
            self._write("stop")
        self._state = after

    def send_quit(self) -> None:
        """End the conversation; the engine's further output is dropped. After the end it writes nothing."""
        after = self._after_sending("quit")
        if self._state is not State.CLOSED:
            self._write("quit")
        self._state = after

    def _receive(self, line: str | Malformed) -> None:
        if type(line) is str and not self.reads_info and line.startswith("info ") and not line.startswith(STRING_ERROR):
            report = report_of(line)
            if is_score(report) and not line.startswith(STRING) and self._state is not State.CLOSED:
                self._last_info = report
        else:
            super()._receive(line)

    def _receive_words(self, words: list[str], line: str) -> None:
        read = self.readers.get(_OF_UCI.get(words[0], words[0]))
        try:
            if read is None:
                raise RemoteProtocolError(f"expected one of {self._known}; got {quoted(words[0])}")
            self._events.append(read(self, words, line))
        except RemoteProtocolError as error:
            self._refuse(Malformed(excerpt(line), str(error)))
        if words == ["bestmove"] and self._state in states.MOVE_PENDING:
            # it is Malformed, but it ends the search: a move will not come any more
            self._events.append(Move(None))
            self._take("bestmove")

    def _take(self, answer: str) -> None:
        """Go to the next state.

        Raises:
            RemoteProtocolError: `answer` has no request.
        """
        after = self._table.get((self._state, answer))
        if after is None:
            raise RemoteProtocolError(f"expected no {answer} now, nobody asked for it (the state is {self._state})")
        self._state = after

    def _read_id(self, words: list[str], _line: str) -> Identity:
        text = " ".join(words[2:])
        if words[1:2] == ["name"] and text:
            self._take("id")
            return Identity("name", text)
        if words[1:2] == ["author"] and text:
            self._take("id")
            return Identity("author", text)
        raise RemoteProtocolError(f"expected id name TEXT or id author TEXT, got {quoted(' '.join(words))}")

    def _read_option(self, words: list[str], _line: str) -> Offer:
        option = read_option(words, any_default=True)
        self._take("option")
        return Offer(option)

    def _read_ugiok(self, words: list[str], _line: str) -> Ready:
        _check_alone(words)
        self._take("ugiok")
        return Ready()

    def _read_readyok(self, words: list[str], _line: str) -> Ready:
        _check_alone(words)
        if not self._readyoks_due:
            raise RemoteProtocolError("expected no readyok now, nobody asked for it")
        self._readyoks_due -= 1
        return Ready()

    def _read_info(self, words: list[str], line: str) -> Info | Message | Refusal:
        if words[1:2] != ["string"]:
            return read_info(words)
        # one blank separates; further blanks belong to the text, which may be a row of a board
        text = line[line.index("string") + len("string ") :]
        return Refusal(text.removeprefix(_ERROR)) if text.startswith(_ERROR) else Message(text)

    def _read_response(self, words: list[str], _line: str) -> Response:
        if not self._queries:
            raise RemoteProtocolError("expected no response now, nobody asked for it")
        return Response(" ".join(words[1:]), self._queries.popleft())

    def _read_bestmove(self, words: list[str], _line: str) -> Move:
        if len(words) == 1:
            raise RemoteProtocolError("expected bestmove MOVE, got no move")
        self._take("bestmove")  # `ponder …` may follow, from UCI engines
        return Move(None if words[1] in NO_MOVE else words[1])

    readers: ClassVar[dict[str, Callable[..., ClientEvent]]] = {
        "id": _read_id,
        "option": _read_option,
        "ugiok": _read_ugiok,
        "readyok": _read_readyok,
        "info": _read_info,
        "response": _read_response,
        "bestmove": _read_bestmove,
    }
    """The reader of a line, by its first word."""


def report_of(line: str) -> str:
    """Return the beginning of an `info` line, whole words of at most MAX_REPORT characters."""
    return line if len(line) <= MAX_REPORT else line[: MAX_REPORT + 1].rpartition(" ")[0]


def is_score(report: str) -> bool:
    """Return whether an `info` line has a score of the best line, if there are several (`multipv`)."""
    return " score " in report and (" multipv " not in report or " multipv 1 " in report)


def _check_alone(words: list[str]) -> None:
    if len(words) > 1:
        raise RemoteProtocolError(f"expected {words[0]} alone on its line, got {quoted(words[1])} after it")


@lru_cache(maxsize=512)  # the lines of a game are read for its variations, and for its record
def _read(line: str) -> Info | None:
    """Return the information of an `info` line; None for an empty one."""
    return read_info(line.split()) if line else None
