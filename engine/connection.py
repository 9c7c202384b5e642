"""One client of a server: bytes between its socket and its session."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from engine.session import HEARTBEAT_SECONDS, Session, spoken
from engine.turns import GLANCE_SECONDS, Enough, within
from protocol import DEFAULT, DIALECTS, Dialect, FirstLine
from support.errors import UsageError

if TYPE_CHECKING:
    from engine.server import Server

log = logging.getLogger(__name__)

FLUSH_SECONDS = 10.0
"""The time for a client to read the last answers after its session."""
FIRST_LINE_SECONDS = 0.2
"""The wait for the first line of a refused client: the refusal is in its dialect."""
REFUSAL_SECONDS = 1.0
"""The time for a client to read its refusal."""
KEEPALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4}
"""The probes of a silent client: the delay of the first (s), the interval (s) and their number."""


class Connection(asyncio.BufferedProtocol):
    """The driver of one session."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._active_at = time.monotonic()
        self._timer: asyncio.TimerHandle | None = None
        self._refusal = ""
        """The reason of a refusal that has not been sent yet."""
        self._first_line = FirstLine(spoken(server.game))
        self._eof = False
        """Whether the client's stream has ended."""
        self.finished: asyncio.Future[bool] = self._loop.create_future()
        """Whether the session came to its own end; known once the connection is closed."""

    # --- the session's driver -----------------------------------------------------------------------------------------

    def work(self, job: Callable[[], None]) -> None:
        """Run a job in a thread.

        Raises:
            WorkError: There is no thread.
        """
        self._server.crew.work(job)

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

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin a session, if there is room for one."""
        self._transport = cast("asyncio.Transport", transport)  # that of uvloop only has the same methods
        server = self._server
        if len(server.connections) >= server.bounds.sessions:
            self._refuse(f"expected at most {server.bounds.sessions} concurrent sessions; try again later")
            return
        player = server.factory.player()
        try:
            self._session = Session(server.game, player, self, server.shares, server.pinned, server.lineup)
        except UsageError as error:
            player.close()
            self._refuse(str(error))
            return
        _set_up(transport.get_extra_info("socket"))
        server.connections.add(self)
        self._set_timer(server.bounds.idle_seconds, self._check_idle)
        self._send()  # in some dialects we begin

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        """Return the buffer for the next bytes; they are taken at once, so that all clients share it."""
        return self._server.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Handle a small input at once, for a moment; the rest, or an input that fills the buffer, waits for a turn."""
        data = bytes(self._server.buffer[:nbytes])
        if not self._serving:
            if self._refusal and (dialect := self._first_line.feed(data)) is not None:
                self._send_refusal(dialect)
            return
        self._active_at = time.monotonic()
        self._session.receive_data(data)
        if nbytes < len(self._server.buffer) and not self._session.congested:
            self._session.handle_lines(within(GLANCE_SECONDS))
            self._send()
        self._handle_more()

    def eof_received(self) -> bool:
        """Note the end of the client's stream; pending answers are still sent."""
        if not self._serving:
            self._send_refusal(self._default)
            return False
        self._eof = True
        self._session.receive_eof()
        self._session.handle_lines(within(GLANCE_SECONDS))
        self._send()
        self._handle_more()
        if self._session.searching:
            self._set_timer(HEARTBEAT_SECONDS, self._beat)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the search of a client that has gone."""
        if exc is not None:
            log.info("session lost: %s", exc)
        if self._timer is not None:
            self._timer.cancel()
        over = self._serving and not self._eof and self._session.over
        if not self.finished.done():
            self.finished.set_result(over)
        if self._serving:
            self._server.connections.remove(self)
            self._session.close()

    def pause_writing(self) -> None:
        """Stop reading from a client that does not read: its pending answers stay bounded."""
        if self._serving:
            self._session.congested = True
            self._read(on=False)

    def resume_writing(self) -> None:
        """Resume: the client reads again."""
        if self._serving:
            self._session.congested = False
            self._handle_more()

    def end(self) -> None:
        """Close the session from our side: the search stops, written answers are still sent."""
        self._session.close()
        self._close()

    @property
    def _serving(self) -> bool:
        return self in self._server.connections

    def _refuse(self, why: str) -> None:
        """Send a refusal once the client has shown its dialect, or after a moment."""
        self._refusal = why
        if self._server.pinned is not None:
            self._send_refusal(self._default)
        else:
            self._set_timer(FIRST_LINE_SECONDS, lambda: self._send_refusal(self._default))

    @property
    def _default(self) -> Dialect:
        """The dialect of a client without a first line."""
        return DIALECTS[self._server.pinned or DEFAULT]

    def _send_refusal(self, dialect: Dialect) -> None:
        """Send a refusal and drop the client's input until it has read it, for a short time."""
        why, self._refusal = self._refusal, ""
        if not why or self._transport.is_closing():
            return
        self._transport.write(dialect.refusal(why))
        if self._transport.can_write_eof():
            self._transport.write_eof()
        self._set_timer(REFUSAL_SECONDS, self._transport.abort)

    # --- received lines -----------------------------------------------------------------------------------------------

    def take_turn(self, enough: Enough) -> bool:
        """Handle received lines until `enough` is true; return whether another turn is needed."""
        if self._may_handle:
            self._session.handle_lines(enough)
            self._send()
        if self._may_handle:
            return True
        self._listen()
        return False

    @property
    def _may_handle(self) -> bool:
        return self._serving and self._session.waiting and not self._session.congested

    def _handle_more(self) -> None:
        """Join the queue if lines wait, and read nothing more before they are handled."""
        if self._may_handle:
            self._read(on=False)
            self._server.turns.join(self)
        else:
            self._listen()

    def _listen(self) -> None:
        """Read more, unless an event must come first, which calls again: the end of a job, or a client that reads."""
        session = self._session
        self._read(on=not (session.busy or session.waiting or session.congested))

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
        if self._session.over:
            self._close()

    def _close(self) -> None:
        if not self._transport.is_closing():
            self._transport.close()
            self._set_timer(FLUSH_SECONDS, self._transport.abort)

    # --- time ---------------------------------------------------------------------------------------------------------

    def _beat(self) -> None:
        if self._session.searching and not self._transport.is_closing():
            self._set_timer(HEARTBEAT_SECONDS, self._beat)
            self._session.heartbeat()
            self._send()

    def _set_timer(self, seconds: float, call: Callable[[], None]) -> None:
        """Set the one timer of a connection; its last setting is forgotten."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(seconds, call)

    def _check_idle(self) -> None:
        bound = self._server.bounds.idle_seconds
        left = self._active_at + bound - time.monotonic()
        if left > 0 or self._session.searching or self._session.busy:
            self._set_timer(max(left, 1.0), self._check_idle)
            return
        self._session.refuse(f"expected a line within {bound:g} s, got none; closing")
        self._send()
        self.end()


def _set_up(link: socket.socket) -> None:
    """Let small answers leave at once, and the system notice a client that vanishes silently."""
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEPALIVE.items():
        if hasattr(socket, name):  # not every system has each
            link.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
