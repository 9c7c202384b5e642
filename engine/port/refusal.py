"""The end of a client that is refused: one line in its dialect, and a short time to read it."""

from __future__ import annotations

import asyncio

from fiedler.engine.host.session import spoken
from fiedler.engine.port.connection import Connection
from fiedler.protocol import DEFAULT, DIALECTS, Dialect, FirstLine
from fiedler.protocol.admission import refused

FIRST_LINE_SECONDS = 0.2
"""The wait for the first line of a refused client: the refusal is in its dialect."""
READ_SECONDS = 1.0
"""The time for a client to read its refusal."""


def refuse(connection: Connection, why: str, kind: str, dialect: Dialect | None) -> None:
    """Refuse a client for a reason: now if its dialect does not matter or is known, else once it is, or after a moment.

    `kind` is that of the reason, for the metrics and the log.
    """
    connection.note_refusal(kind)
    if dialect is None and connection.serving.tokens is None:
        PendingRefusal(connection, why).begin()
    else:
        LastLine(connection, refusal_line(connection, why, dialect)).begin()


def refusal_line(connection: Connection, why: str, dialect: Dialect | None) -> bytes:
    """Return the line of a refusal before the session: that of admission where tokens are demanded."""
    if connection.serving.tokens is not None:
        return refused(why)
    return (dialect or DIALECTS[DEFAULT]).refusal(why)


class LastLine(asyncio.BufferedProtocol):
    """Sends a client its last line, and drops its input."""

    def __init__(
        self, connection: Connection, line: bytes, read_seconds: float = READ_SECONDS, delay: float = 0.0
    ) -> None:
        """The line comes after `delay`; then the client has `read_seconds` to read it."""
        self._connection = connection
        self._line = line
        self._read_seconds = read_seconds
        self._delay = delay
        self._has_sent = False

    def begin(self) -> None:
        """Take the connection over."""
        connection = self._connection
        connection.hand_over(self)
        connection.serving.room.dismiss(connection.door, connection.transport.abort)
        if self._delay:
            connection.set_timer(self._delay, self._send)
        else:
            self._send()

    def _send(self) -> None:
        self._has_sent = True
        transport = self._connection.transport
        if transport.is_closing():
            return
        transport.write(self._line)
        if transport.can_write_eof():
            transport.write_eof()
        else:
            transport.close()
        self._connection.set_timer(self._read_seconds, transport.abort)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        """Return the buffer for bytes that are dropped."""
        return self._connection.serving.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Drop the input: unread bytes would make the system discard the line."""

    def eof_received(self) -> bool:
        """Stay until the line is sent; TLS has no half-closed connections."""
        return not self._has_sent and not self._connection.is_encrypted

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client."""
        self._connection.lost(exc)


class PendingRefusal(asyncio.BufferedProtocol):
    """Waits for the first line of a client that is refused already, so that the refusal is in its dialect."""

    def __init__(self, connection: Connection, why: str) -> None:
        self._connection = connection
        self._why = why
        self._first_line = FirstLine(spoken(connection.serving.offer.game))

    def begin(self) -> None:
        """Take the connection over."""
        self._connection.hand_over(self)
        self._connection.set_timer(FIRST_LINE_SECONDS, self._send)

    def _send(self, dialect: Dialect | None = None) -> None:
        LastLine(self._connection, refusal_line(self._connection, self._why, dialect)).begin()

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        """Return the buffer for the next bytes."""
        return self._connection.serving.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Take bytes up to the first line."""
        dialect = self._first_line.feed(bytes(self._connection.serving.buffer[:nbytes]))
        if dialect is not None:
            self._send(dialect)

    def eof_received(self) -> bool:
        """Send the refusal to a client without a first line."""
        self._send()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the client."""
        self._connection.lost(exc)
