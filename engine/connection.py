"""One client of a server: bytes between its socket and its session."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from engine.session import HEARTBEAT_SECONDS, Session
from engine.turns import GLANCE_SECONDS, Enough, within
from protocol import DEFAULT, DIALECTS, Dialect, FirstLine
from support.errors import UsageError

if TYPE_CHECKING:
    from engine.server import Server

log = logging.getLogger(__name__)

FLUSH_SECONDS = 10.0
"""For a client to read what has been said, when its session is over."""
FIRST_LINE_SECONDS = 0.2
"""For a client that has no session to say its first line: it is refused in its dialect."""
REFUSAL_SECONDS = 1.0
"""For a client to read why it has no session."""
KEEPALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4}
"""After how many silent seconds a client is asked whether it is still there, how often (s), and how many times."""


class Connection(asyncio.BufferedProtocol):
    """The driver of one session."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._heard_at = time.monotonic()
        self._timer: asyncio.TimerHandle | None = None
        self._refusal = ""
        """why there is no session, as long as the client has not been told"""
        self._first_line = FirstLine()

    # --- the session's driver -----------------------------------------------------------------------------------------

    def work(self, job: Callable[[], None]) -> None:
        """Run a job in a thread; raises WorkError if there is none."""
        self._server.crew.work(job)

    def post(self, call: Callable[[], None]) -> None:
        """Bring what a job says into the loop."""
        with contextlib.suppress(RuntimeError):  # the loop is over: nobody listens
            self._loop.call_soon_threadsafe(self._posted, call)

    def _posted(self, call: Callable[[], None]) -> None:
        call()
        self._heard_at = time.monotonic()
        self._send()
        self._hear_more()

    # --- the socket ---------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin a session, if there is room for one."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's only looks like one
        server = self._server
        if len(server.connections) >= server.bounds.sessions:
            self._refuse(f"expected at most {server.bounds.sessions} concurrent sessions; try again later")
            return
        player = server.factory.player()
        try:
            self._session = Session(server.game, player, self, server.shares)
        except UsageError as error:
            player.close()
            self._refuse(str(error))
            return
        _set_up(transport.get_extra_info("socket"))
        server.connections.add(self)
        self._set_timer(server.bounds.idle_seconds, self._check_idle)

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002
        """Return where the next bytes go; they are taken from there at once, so that all clients share it."""
        return self._server.buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Hear at once who says little, for a moment; the rest, and all of who fills the buffer, waits for its turn."""
        data = bytes(self._server.buffer[:nbytes])
        if not self._serving:
            if self._refusal and (dialect := self._first_line.feed(data)) is not None:
                self._say_refusal(dialect)
            return
        self._heard_at = time.monotonic()
        self._session.receive_data(data)
        if nbytes < len(self._server.buffer) and not self._session.congested:
            self._session.hear(within(GLANCE_SECONDS))
            self._send()
        self._hear_more()

    def eof_received(self) -> bool:
        """The client says nothing more; what it has asked for still goes out."""
        if not self._serving:
            self._say_refusal(DIALECTS[DEFAULT])
            return False
        self._session.receive_eof()
        self._session.hear(within(GLANCE_SECONDS))
        self._send()
        self._hear_more()
        if self._session.searching:
            self._set_timer(HEARTBEAT_SECONDS, self._beat)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone: stop its search."""
        if exc is not None:
            log.info("session lost: %s", exc)
        if self._timer is not None:
            self._timer.cancel()
        if self._serving:
            self._server.connections.remove(self)
            self._session.close()

    def pause_writing(self) -> None:
        """The client does not read: do not hear it either, so that what waits for it stays bounded."""
        if self._serving:
            self._session.congested = True
            self._read(on=False)

    def resume_writing(self) -> None:
        """The client reads again."""
        if self._serving:
            self._session.congested = False
            self._hear_more()

    def end(self) -> None:
        """Close the session from our side: the search stops, what has been said still goes out."""
        self._session.close()
        self._close()

    @property
    def _serving(self) -> bool:
        return self in self._server.connections

    def _refuse(self, why: str) -> None:
        """Say why there is no session, once the client has shown its dialect, or not for a moment."""
        self._refusal = why
        self._set_timer(FIRST_LINE_SECONDS, lambda: self._say_refusal(DIALECTS[DEFAULT]))

    def _say_refusal(self, dialect: Dialect) -> None:
        """Say why there is no session; what the client says is dropped until it has read that, but not for long."""
        why, self._refusal = self._refusal, ""
        if not why or self._transport.is_closing():
            return
        self._transport.write(dialect.refusal(why))
        if self._transport.can_write_eof():
            self._transport.write_eof()
        self._set_timer(REFUSAL_SECONDS, self._transport.abort)

    # --- what waits to be heard ---------------------------------------------------------------------------------------

    def take_turn(self, enough: Enough) -> bool:
        """Hear what has been said, until `enough` says so; tell whether another turn is wanted."""
        if self._may_hear:
            self._session.hear(enough)
            self._send()
        if self._may_hear:
            return True
        self._listen()
        return False

    @property
    def _may_hear(self) -> bool:
        return self._serving and self._session.waiting and not self._session.congested

    def _hear_more(self) -> None:
        """Have a turn if something waits, and do not read more before it has been heard."""
        if self._may_hear:
            self._read(on=False)
            self._server.turns.join(self)
        else:
            self._listen()

    def _listen(self) -> None:
        """Read on, unless something has to happen first which calls again: the end of a job, or that a client reads."""
        session = self._session
        self._read(on=not (session.busy or session.waiting or session.congested))

    def _read(self, *, on: bool) -> None:
        if self._transport.is_closing():
            return
        if on:
            self._transport.resume_reading()
        else:
            self._transport.pause_reading()

    # --- what goes out ------------------------------------------------------------------------------------------------

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
        """Set the one timer of a connection; what it was set to before is forgotten."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(seconds, call)

    def _check_idle(self) -> None:
        bound = self._server.bounds.idle_seconds
        left = self._heard_at + bound - time.monotonic()
        if left > 0 or self._session.searching or self._session.busy:
            self._set_timer(max(left, 1.0), self._check_idle)
            return
        self._session.refuse(f"expected a line within {bound:g} s, got none; closing")
        self._send()
        self.end()


def _set_up(link: socket.socket) -> None:
    """Let small answers leave at once, and the system notice a client that vanishes without a word."""
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEPALIVE.items():
        if hasattr(socket, name):  # not every system has each
            link.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
