"""The common part of clients of dialects with one answer a line."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence

from fiedler.protocol.client import START
from fiedler.protocol.errors import LocalProtocolError
from fiedler.protocol.events import ClientEvent, Eof, FinalScore, Malformed, Start
from fiedler.protocol.info import Info
from fiedler.protocol.lines import LineAssembler, encoded
from fiedler.protocol.mistake import Mistake
from fiedler.protocol.words import MAX_LINE

NO_QUERY = "the dialect has no words for questions about a position"


class LineClient(ABC):
    """`fiedler.protocol.client.Client` without the requests: bytes, events, and defaults for what a dialect lacks."""

    pause_s = grace_s = 0.0
    takes_any_option = False

    def __init__(self, line_limit: int = MAX_LINE) -> None:
        self.reads_info = False
        self.mistake = Mistake()
        self.family = ""
        self.owes_move = False
        """Whether the answer to a search is pending."""
        self.last_info: Info | None = None
        """None: by default the dialect cannot express it."""
        self._lines = LineAssembler(line_limit)
        self._events: deque[ClientEvent] = deque()
        self._out: list[bytes] = []
        self._ended = False
        """Whether the player's stream has ended."""
        self._quit = False
        """Whether we have ended the conversation."""

    @property
    def takes_another_game(self) -> bool:
        """Whether another game may begin in this conversation."""
        return True

    def keep_info(self) -> Callable[[], Info | None]:
        """Return a function that returns `last_info` as it is now."""
        info = self.last_info
        return lambda: info

    @property
    def unfinished(self) -> str:
        """The beginning of the line without its newline."""
        return self._lines.unfinished

    def configure(self, name: str, value: str | None = None) -> None:
        """Refuse an option.

        Raises:
            LocalProtocolError: Always.
        """
        raise LocalProtocolError(f"expected no option, got {name}={value}: the dialect has no words for options")

    def ask_start(self) -> None:
        """Answer Start(None): the player cannot be asked."""
        self._events.append(Start(None))

    def ask_score(self, moves: Sequence[str]) -> None:  # noqa: ARG002
        """Answer FinalScore(None): the player cannot be asked."""
        self._events.append(FinalScore(None))

    def place(self, moves: Sequence[str], start: str = START) -> None:
        """Refuse a position without a search; raises as `query`."""
        raise LocalProtocolError(f"expected a search, got a position alone, {start} and {len(moves)} moves: {NO_QUERY}")

    def query(self, what: str) -> None:
        """Refuse a question.

        Raises:
            LocalProtocolError: Always.
        """
        raise LocalProtocolError(f"expected no question, got {what}: {NO_QUERY}")

    def stop(self) -> None:  # noqa: B027 - not abstract: most dialects cannot express it
        """Do nothing. The answer to a search is still pending."""

    def assume_answer(self) -> None:  # noqa: B027
        """Do nothing: by default every program answers."""

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the player, in any portions."""
        if self._ended:
            raise LocalProtocolError("expected no data after receive_eof")
        self._lines.feed(data)
        self._receive_lines()

    def receive_eof(self) -> None:
        """Note the end of the player's stream; a second call changes nothing."""
        if not self._ended:
            self._ended = True
            self._lines.finish()
            self._receive_lines()
            self._events.append(Eof())

    def next_event(self) -> ClientEvent | None:
        """Return the next event, or None."""
        return self._events.popleft() if self._events else None

    def receive_answer(self, data: bytes) -> str | None:  # noqa: ARG002
        """Return None: there is no short way."""
        return None

    def data_to_send(self) -> bytes:
        """Return, once, the bytes for the player."""
        data = b"".join(self._out)
        self._out.clear()
        return data

    @abstractmethod
    def _receive(self, line: str) -> None:
        """Append the events of a line that is not skipped."""

    def _receive_malformed(self, line: Malformed) -> None:
        """Append the events of a line that is not text, too long, or cut off."""
        self.mistake.keep(line.line)
        self._events.append(line)

    def _send(self, line: str) -> None:
        self._out.append(encoded(line))

    def _skips(self, line: str) -> bool:
        """Return whether a line has no meaning: a blank one."""
        return not line.strip()

    def _receive_lines(self) -> None:
        while self._lines.lines:
            line = self._lines.lines.popleft()
            if self._quit:
                continue
            if isinstance(line, Malformed):
                self._receive_malformed(line)
            elif not self._skips(line):
                self._receive(line)
