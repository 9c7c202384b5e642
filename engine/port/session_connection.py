"""The session of a connection: bytes between its socket and the session, its turns, and its limits."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

from fiedler.engine.host.session import HEARTBEAT_SECONDS, Session
from fiedler.engine.port.bounds import Rate
from fiedler.engine.port.connection import Connection
from fiedler.engine.port.line_log import is_logged, log_lines
from fiedler.engine.port.refusal import refuse
from fiedler.engine.roster.shares import SharesError
from fiedler.protocol import Dialect
from fiedler.support.errors import UsageError
from fiedler.support.fair_queue import GLANCE_SECONDS, Enough, within

FLUSH_SECONDS = 10.0
"""The time for a client to read the last answers after its session."""
LONGEST_TIMER = 3600.0
"""Seconds: the loop takes no timers without an end."""


def begin_session(connection: Connection, dialect: Dialect | None) -> SessionConnection | None:
    """Give a connection its session; None: it is refused, in this dialect if it is known."""
    try:
        made = SessionConnection(connection)
    except UsageError as error:
        refuse(connection, str(error), "memory" if isinstance(error, SharesError) else "player", dialect)
        return None
    made.begin()
    return made


class SessionConnection(asyncio.BufferedProtocol):
    """The driver of one session."""

    def __init__(self, connection: Connection) -> None:
        """Make the session.

        Raises:
            UsageError: The player cannot be made.
            SharesError: The session does not fit into the shares of the server.
        """
        serving = connection.serving
        self._session = Session(serving.offer, self, serving.terms)
        self._connection = connection
        self._serving = serving
        self._transport = connection.transport
        self._loop = connection.loop
        self._active_at = time.monotonic()
        self.heavy_until = 0.0
        self._held = b""
        """Bytes that wait for their turn."""
        self._eof = False
        """Whether the client's stream has ended before its session: after `quit` the end is an orderly one."""
        self.finished: asyncio.Future[bool] = self._loop.create_future()
        """Whether the session came to its own end; known once the connection is closed."""
        self._rate = Rate(serving.bounds.rate, self._active_at)
        self._logged = is_logged()

    def begin(self) -> None:
        """Take the connection over."""
        connection, serving = self._connection, self._serving
        connection.hand_over(self)
        serving.room.leave(connection.door)
        serving.enter(self, connection.peer)
        connection.log("session begins")
        connection.set_timer(min(serving.bounds.idle_seconds, LONGEST_TIMER), self._check_idle)
        self._send()  # in some dialects we begin

    # --- the session's driver -----------------------------------------------------------------------------------------

    def work(self, job: Callable[[], None]) -> None:
        """Run a job in a thread.

        Raises:
            WorkError: There is no thread.
        """
        workers = self._serving.searchers if self._session.searching else self._serving.workers
        workers.work(job)

    def post(self, call: Callable[[], None]) -> None:
        """Pass the result of a job to the loop."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._posted, call)

    def _posted(self, call: Callable[[], None]) -> None:
        call()
        self._active_at = time.monotonic()
        self._send()
        self._handle_more()

    # --- the socket ---------------------------------------------------------------------------------------------------

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        """Return the buffer for the next bytes; they are taken at once, so that all clients share it."""
        return self._serving.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Handle a small input at once, for a moment; the rest, or an input that fills the buffer, waits for a turn."""
        buffer = self._serving.buffer
        self.receive(bytes(buffer[:nbytes]), filled=nbytes == len(buffer))

    def receive(self, data: bytes, *, filled: bool = False) -> None:
        """Take bytes of the session; `filled`: they have filled the buffer."""
        self._active_at = time.monotonic()
        if self._logged:
            log_lines("<", data, session=self._connection.number)
        if filled or self._loop.time() < self.heavy_until:
            self._held = data
            self._read(on=False)
            self._serving.queue.join(self, heavy=True)
            return
        self._serving.queue.note_small_request()
        self._cut(data)
        if self._may_handle:
            self._session.handle_lines(within(GLANCE_SECONDS))
            self._send()
        self._handle_more()

    def _cut(self, data: bytes) -> None:
        """Cut bytes into lines of the session, if they are within its rate."""
        self._session.receive_data(data)
        if not self._rate.take(data.count(b"\n"), self._active_at):
            most = self._serving.bounds.rate
            self._end_for("rate", f"expected at most {most:g} lines in a second, got more; closing")

    def eof_received(self) -> bool:
        """Note the end of the client's stream; pending answers are still sent."""
        return self.receive_end(self._held)

    def receive_end(self, last: bytes) -> bool:
        """Take the last bytes and the end of the client's stream; return whether the connection stays for answers."""
        self._eof, self._held = self._session.listening, b""
        if last:
            self._cut(last)
        self._session.receive_eof()
        self._session.handle_lines(within(GLANCE_SECONDS))
        self._send()
        self._handle_more()
        if self._session.searching:
            self._connection.set_timer(HEARTBEAT_SECONDS, self._beat)
        return not self._connection.is_encrypted  # TLS has no half-closed connections

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the search of a client that has gone."""
        self._connection.lost(exc)
        over = not self._eof and self._session.over
        if not self.finished.done():
            self.finished.set_result(over)
        self._serving.leave(self, self._connection.peer)
        self._session.close()
        self._connection.log("session ends")

    def pause_writing(self) -> None:
        """Stop reading from a client that does not read: its pending answers stay bounded."""
        self._session.congested = True
        self._read(on=False)

    def resume_writing(self) -> None:
        """Resume: the client reads again."""
        self._session.congested = False
        self._handle_more()

    def end(self) -> None:
        """Close the session from our side: the search stops, written answers are still sent."""
        self._session.close()
        self._close()

    # --- received lines -----------------------------------------------------------------------------------------------

    def take_turn(self, enough: Enough) -> bool:
        """Handle received lines until `enough` is true; return whether another turn is needed."""
        if self._held and self._is_open:
            data, self._held = self._held, b""
            self._cut(data)
        if self._may_handle:
            self._session.handle_lines(enough)
            self._send()
        if self._may_handle:
            return True
        self._listen()
        return False

    @property
    def _is_open(self) -> bool:
        return self in self._serving.connections

    @property
    def _may_handle(self) -> bool:
        return self._is_open and self._session.waiting and not self._session.congested

    def _handle_more(self) -> None:
        """Join the queue if lines wait, and read nothing more before they are handled."""
        if self._may_handle:
            self._read(on=False)
            self._serving.queue.join(self)
        else:
            self._listen()

    def _listen(self) -> None:
        """Read more, unless an event must come first, which calls again: the end of a job, or a client that reads."""
        session = self._session
        self._read(on=not (self._held or session.busy or session.waiting or session.congested))

    def _read(self, *, on: bool) -> None:
        if self._transport.is_closing():
            return
        if on:
            self._transport.resume_reading()
        else:
            self._transport.pause_reading()

    # --- answers ------------------------------------------------------------------------------------------------------

    def _send(self) -> None:
        data = self._session.data_to_send()
        if data:
            self._transport.write(data)
            if self._logged:
                log_lines(">", data, session=self._connection.number)
        if self._session.over:
            self._close()

    def _close(self) -> None:
        if not self._transport.is_closing():
            self._transport.close()
            self._connection.set_timer(FLUSH_SECONDS, self._transport.abort)

    # --- time ---------------------------------------------------------------------------------------------------------

    def _beat(self) -> None:
        if self._session.searching and not self._transport.is_closing():
            self._connection.set_timer(HEARTBEAT_SECONDS, self._beat)
            self._session.heartbeat()
            self._send()

    def _check_idle(self) -> None:
        bound = self._serving.bounds.idle_seconds
        left = self._active_at + bound - time.monotonic()
        if left > 0 or self._session.searching or self._session.busy:
            self._connection.set_timer(min(max(left, 1.0), LONGEST_TIMER), self._check_idle)
            return
        self._end_for("idle", f"expected a line within {bound:g} s, got none; closing")

    def _end_for(self, kind: str, why: str) -> None:
        """End the session for a limit."""
        self._serving.terms.counts.refuse(kind)
        self._connection.log("session closed", why=kind)
        self._session.refuse(why)
        self._send()
        self.end()
