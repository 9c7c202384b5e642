"""The common part of both sides of UGI: lines in, lines out, a state that only the table changes."""

from abc import ABC, abstractmethod
from collections import deque
from typing import Generic, TypeVar

from fiedler.protocol.errors import LocalProtocolError
from fiedler.protocol.events import Eof, Malformed
from fiedler.protocol.lines import LineAssembler, encoded
from fiedler.protocol.ugi.states import State, Table

Event = TypeVar("Event")
_OVER = frozenset({State.CLOSING, State.CLOSED})


class UgiSession(ABC, Generic[Event]):
    """One side of a conversation: bytes in, events out. It opens no socket and reads no clock.

    `receive_data` takes bytes, `next_event` gives their meaning, a line at a time: the state at a line depends on the
    answers to the lines before it. Neither raises for an error of the peer.

    Raises:
        LocalProtocolError: By any `send_*`, if the message is not allowed now; nothing has changed then.
    """

    def __init__(self, table: Table, line_limit: int) -> None:
        self._table = table
        self._state = State.NEW
        self._lines = LineAssembler(line_limit)
        self._events: deque[Event | Malformed | Eof] = deque()
        """The events of read lines that `next_event` has not returned yet."""
        self._settled = True
        """Whether every received byte belongs to a line that was read."""
        self._ended = False
        """Whether the stream has ended."""
        self._over = False
        """Whether `next_event` has returned Eof."""
        self._out: list[bytes] = []

    @property
    def state(self) -> State:
        """The state of the session."""
        return self._state

    @property
    def unfinished(self) -> str:
        """The beginning of the peer's line without its newline, at most words.MAX_EXCERPT characters."""
        return self._lines.unfinished

    @property
    def waiting(self) -> bool:
        """Whether `next_event` has something to return."""
        return bool(self._events or self._lines.lines) or (self._ended and not self._over)

    @property
    def full(self) -> bool:
        """Whether a driver shall not read: never, since a search keeps no line waiting."""
        return False

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the peer, in any portions."""
        if self._ended:
            raise LocalProtocolError("expected no data after receive_eof")
        self._settled = False
        self._lines.feed(data)

    def receive_eof(self) -> None:
        """Note the end of the peer's stream; a second call changes nothing."""
        if not self._ended:
            self._ended = True
            self._lines.finish()

    def next_event(self) -> Event | Malformed | Eof | None:
        """Return the peer's next event; None until more data comes, and always after Eof."""
        events, lines = self._events, self._lines.lines
        while not events:
            if not lines:
                self._settled = self._lines.is_between_lines
                return self._end() if self._ended and not self._over else None
            self._receive(lines.popleft())
        return events.popleft()

    def _end(self) -> Eof:
        self._over = True
        self._state = self._table[self._state, "end of stream"]
        return Eof()

    def data_to_send(self) -> bytes:
        """Return, once, the bytes to write to the peer; empty if there are none."""
        data = self._out[0] if len(self._out) == 1 else b"".join(self._out)
        self._out.clear()
        return data

    def _receive(self, line: str | Malformed) -> None:
        if self._state in _OVER:
            return
        if isinstance(line, Malformed):
            self._refuse(line)
            return
        words = line.split()
        if words:
            self._receive_words(words, line)

    def _refuse(self, wrong: Malformed) -> None:
        self._events.append(wrong)

    @abstractmethod
    def _receive_words(self, words: list[str], line: str) -> None:
        """Append the events of the line."""

    def _write(self, *lines: str) -> None:
        """Add lines to the bytes to send: all of them, or none and LocalProtocolError."""
        self._out += [encoded(line) for line in lines]

    def _send(self, message: str, line: str) -> None:
        """Write `line` if the table allows `message` now, and go to the next state."""
        after = self._after_sending(message)
        self._out.append(encoded(line))
        self._state = after

    def _after_sending(self, message: str) -> State:
        after = self._table.get((self._state, message))
        if after is None:
            states = ", ".join(state for state, known in self._table if known == message)
            raise LocalProtocolError(f"expected to send {message} only in {states}; the state is {self._state}")
        return after
