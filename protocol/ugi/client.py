"""The manager's side of UGI."""

import re
from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import ClassVar

from fiedler.protocol.client import START
from fiedler.protocol.errors import TooLongError
from fiedler.protocol.events import ClientEvent, FinalScore, Malformed, Offer, Ready, Refusal, Start
from fiedler.protocol.host import is_ours
from fiedler.protocol.limit import Limit
from fiedler.protocol.lines import encoded
from fiedler.protocol.mistake import Mistake, Question
from fiedler.protocol.ugi import misspelling, states
from fiedler.protocol.ugi.client_messages import (
    FIRST_WORDS,
    NO_MOVE,
    STRING,
    STRING_ERROR,
    ClientMessages,
    is_score,
    report_of,
)
from fiedler.protocol.ugi.go import go_line
from fiedler.protocol.ugi.option import CHESS, OF_CHESS, VARIANT
from fiedler.protocol.ugi.position import GrowingPosition
from fiedler.protocol.ugi.states import MOVE_PENDING, State
from fiedler.protocol.ugi.vocabulary import UCI, UGI, Vocabulary
from fiedler.protocol.words import MAX_LINE

HELLO = {one: Question(one.hello, one.hello_answer) for one in (UGI, UCI)}
PING = Question("isready", "readyok")
ASK = Question("query", "response TEXT")
GO = Question("go", misspelling.MOVE, correct=misspelling.correct)
_BESTMOVE = re.compile(rb"bestmove ([!-~]+)(?: ponder [!-~]+)? *\r?\n")
# the table of states, for the two messages of every ply
_IDLE = states.CLIENT[State.SEARCHING, "bestmove"]
_SEARCHING = states.CLIENT[State.IDLE, "go"]
_STRING, _STRING_ERROR = STRING.encode(), STRING_ERROR.encode()
_STRAY = re.compile(r"bestmove\s+\S")


class UgiClient(ClientMessages):
    """`fiedler.protocol.client.Client` in the messages of UGI, or of UCI."""

    pause_s = grace_s = 0.0
    takes_any_option = False

    def __init__(self, line_limit: int = MAX_LINE, vocabulary: Vocabulary = UGI) -> None:
        super().__init__(line_limit, vocabulary)
        self.mistake = Mistake()
        self.family = ""
        self._name = ""
        self._position = GrowingPosition()
        self._limit: Limit | None = None
        self._go = b""
        self._starts_due = 0
        self._asked = self._answered = 0
        """The number of queries so far, and of those whose answers have come or are not awaited any more."""
        self._asked_before: deque[int] = deque()
        """For each unanswered `isready` the number of queries before it."""

    @property
    def owes_move(self) -> bool:
        """Whether the answer to a `go` is pending."""
        return self._state in MOVE_PENDING

    @property
    def takes_another_game(self) -> bool:
        """Whether another game may begin: always."""
        return True

    def assume_answer(self) -> None:
        """Do nothing: every program answers."""

    def greet(self) -> None:
        """Send `ugi`; ends in Ready."""
        self.send_ugi()
        self.mistake.ask(HELLO[self._vocabulary])

    def configure(self, name: str, value: str | None = None) -> None:
        """Send `setoption`; a variant of chess may be any game."""
        if name == VARIANT:
            self.family = ""
        self.send_setoption(name, value)

    def ping(self) -> None:
        """Send `isready`; ends in Ready."""
        self.send_isready()
        self.mistake.ask(PING)

    def send_isready(self) -> None:
        """Ask for a sign of life; a query before it that is not answered by then stays unanswered."""
        super().send_isready()
        self._asked_before.append(self._asked)

    def send_query(self, what: str) -> None:
        """Ask about the position; ends in one Response, or none before the next Ready."""
        super().send_query(what)
        self._asked += 1

    def query(self, what: str) -> None:
        """Send `query`, and `isready`, which ends the wait for the answer to a question that is not known."""
        self.send_query(what)
        self.send_isready()
        self.mistake.ask(_question(what))

    def ask_start(self) -> None:
        """Send `query position` to an engine of this project; others need not know it. Ends in one Start."""
        if not is_ours(self._name):
            self._events.append(Start(None))
            return
        self.send_query("position")
        self._starts_due += 1
        self.mistake.ask(ASK)

    def ask_score(self, moves: Sequence[str]) -> None:  # noqa: ARG002
        """Answer FinalScore(None): the manager does not ask engines for the score of a game."""
        self._events.append(FinalScore(None))

    def new_game(self) -> None:
        """Send `uginewgame` and `isready`; ends in Ready."""
        self.send_newgame()
        self.ping()

    def search(self, moves: Sequence[str], limit: Limit, start: str = START) -> None:
        """Send `position` and `go`; ends in one Move, unless Eof comes first."""
        if self._state is not _IDLE:  # which allows a position, too
            self._after_sending("go")
        if limit is not self._limit:  # usually it is that of the last search
            self._go, self._limit = b"\n" + encoded(go_line(limit, self._vocabulary)), limit
        self._out.append(b"".join((self._line(moves, start), self._go)))
        self._state = _SEARCHING
        self._last_info = ""
        self.mistake.ask(GO)

    def place(self, moves: Sequence[str], start: str = START) -> None:
        """Send `position`."""
        self._after_sending("position")
        self._out.append(b"".join((self._line(moves, start), b"\n")))

    def _line(self, moves: Sequence[str], start: str) -> bytearray:
        """Return a `position` line of a growing game; raises TooLongError."""
        line = self._position.line(start, moves)
        if len(line) > MAX_LINE:
            raise TooLongError(f"expected at most {MAX_LINE} bytes on a line, got {len(line)}")
        return line

    def stop(self) -> None:
        """Send `stop`, if a search runs; its Move still comes."""
        self.send_stop()
        self.mistake.ask(GO)

    def quit(self) -> None:
        """Send `quit`."""
        self.send_quit()

    def receive_answer(self, data: bytes) -> str | None:
        """Take bytes that are whole `info` lines, a whole answer to `go` with a move, or both.

        Return the move, or "" after `info` lines alone. For any other bytes nothing changes and None is returned: pass
        them to receive_data.
        """
        if not data or self._state is not _SEARCHING or not self._settled or len(data) > self._lines.limit:
            return None
        last = data.rfind(b"\n", 0, -1) + 1
        found = _BESTMOVE.fullmatch(data, last)
        move: str = "" if found is None else found[1].decode()
        if move in NO_MOVE or not self._take_reports(data if found is None else data[:last]):
            return None
        if found is not None:
            self._state = _IDLE
        return move

    def _take_reports(self, data: bytes) -> bool:
        """Keep the last score of `info` lines, and return whether it could; looking at each line would cost more."""
        if not data:
            return True
        line_ends = data.count(b"\n")
        are_reports = data.startswith(b"info ") and data.count(b"\ninfo ") == line_ends - 1 and data.endswith(b"\n")
        if self.reads_info or not are_reports or _STRING_ERROR in data or not data.isascii():
            return False
        at = data.rfind(b" score ")
        if at >= 0:
            begin = data.rfind(b"\n", 0, at) + 1
            report = report_of(data[begin : data.find(b"\n", at)].decode())
            if at - begin > FIRST_WORDS or data.startswith(_STRING, begin) or not is_score(report):
                return False
            self._last_info = report
        return True

    def _refuse(self, wrong: Malformed) -> None:
        """Keep a line for messages; a `bestmove` without a search is a stray answer."""
        super()._refuse(wrong)
        if _STRAY.match(wrong.line) and not self.owes_move:
            self.mistake.keep_stray(wrong.line)
        else:
            self.mistake.keep(wrong.line)

    def _read_string(self, words: list[str], line: str) -> ClientEvent:
        event = self._read_info(words, line)
        if isinstance(event, Refusal):
            self.mistake.keep(f"info string error: {event.why}")
        return event

    def _read_offer(self, words: list[str], line: str) -> ClientEvent:
        offer: Offer = self._read_option(words, line)
        if offer.option.name == OF_CHESS:
            self.family = CHESS
        return offer

    def _read_name(self, words: list[str], line: str) -> ClientEvent:
        identity = self._read_id(words, line)
        if identity.field == "name":
            self._name = identity.text
        return identity

    def _read_ready(self, words: list[str], line: str) -> ClientEvent:
        ready: Ready = self._read_readyok(words, line)
        before = self._asked_before.popleft()
        while self._answered < before:
            self._answered += 1
            if self._queries.popleft() == "position" and self._starts_due:
                self._starts_due -= 1
        return ready

    def _read_start(self, words: list[str], line: str) -> ClientEvent:
        response = self._read_response(words, line)
        self._answered += 1
        if response.query != "position" or not self._starts_due:
            return response
        self._starts_due -= 1
        return Start(response.text)

    readers: ClassVar[dict[str, Callable[..., ClientEvent]]] = {
        **ClientMessages.readers,
        "id": _read_name,
        "option": _read_offer,
        "info": _read_string,
        "readyok": _read_ready,
        "response": _read_start,
    }


@lru_cache(maxsize=64)
def _question(what: str) -> Question:
    return Question(f"query {what}", ASK.answer)
