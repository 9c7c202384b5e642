"""Sessions over TCP: many at once, each with a player of its own."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from engine.address import Address, is_loopback, reason
from engine.memory import Memory, machine_share_mb
from engine.session import HEARTBEAT_SECONDS, Session
from games import Game, UsageError
from players import Factory

log = logging.getLogger(__name__)

SLICE = 8192
"""Bytes that one session may bring before the others have their turn."""
FLUSH_SECONDS = 10.0
"""For a client to read what has been said, when its session is over."""
KEEPALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4}
"""After how many silent seconds a client is asked whether it is still there, how often (s), and how many times."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one server bears."""

    sessions: int = 256
    """Sessions at once; one more is refused."""
    idle_seconds: float = 3600.0
    """Without a word from the client and without a search, after which a session is closed."""
    memory_mb: int = field(default_factory=machine_share_mb)
    """Trees and tables of all sessions together, in MiB; default half of the machine's. What exceeds it is refused."""


class Server:
    """Listens on one address; every connection is a session."""

    def __init__(self, game: Game, factory: Factory, bounds: Bounds | None = None) -> None:
        self.game = game
        self.factory = factory
        self.bounds = bounds or Bounds()
        self.memory = Memory(self.bounds.memory_mb)
        self.connections: set[Connection] = set()
        # a thread exists from the first job that needs it, so that a search never waits for another one's end
        self.pool = ThreadPoolExecutor(max_workers=self.bounds.sessions, thread_name_prefix="search")
        self._listener: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> Address:
        """Listen; return where. Port 0 picks a free one. Raises UsageError for an address that cannot be had."""
        loop = asyncio.get_running_loop()
        try:
            # the first address only: a name with several would get as many free ports
            family, _, _, _, where = (await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM))[0]
            self._listener = await loop.create_server(lambda: Connection(self), str(where[0]), port, family=family)
        except (OSError, UnicodeError) as error:
            raise UsageError(f"cannot listen on {Address(host, port)}: {reason(error)}") from None
        bound = self._listener.sockets[0].getsockname()
        return Address(bound[0], bound[1])

    async def close(self) -> None:
        """End every session, stop every search, give everything back."""
        if self._listener is not None:
            self._listener.close()
        for connection in list(self.connections):
            connection.end()
        await asyncio.to_thread(self.pool.shutdown)
        self.factory.close()


class Connection(asyncio.Protocol):
    """One client: bytes between its socket and its session. It is the session's driver."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._inbox = b""
        self._heard_at = time.monotonic()
        self._timer: asyncio.TimerHandle | None = None

    # --- the session's driver -----------------------------------------------------------------------------------------

    def work(self, job: Callable[[], None]) -> None:
        """Run a job in a thread."""
        self._server.pool.submit(job)

    def post(self, call: Callable[[], None]) -> None:
        """Bring what a job says into the loop."""
        self._loop.call_soon_threadsafe(self._posted, call)

    def _posted(self, call: Callable[[], None]) -> None:
        waited = self._session.busy
        call()
        self._heard_at = time.monotonic()
        self._send()
        if waited and not self._session.busy:
            self._take_slice()

    # --- the socket ---------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin a session, if there is room for one."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        server = self._server
        if len(server.connections) >= server.bounds.sessions:
            self._refuse(f"expected at most {server.bounds.sessions} sessions at once; try again later")
            return
        player = server.factory.player()
        try:
            self._session = Session(server.game, player, self, server.memory)
        except UsageError as error:
            player.close()
            self._refuse(str(error))
            return
        _keep_alive(transport.get_extra_info("socket"))
        server.connections.add(self)
        self._set_timer(server.bounds.idle_seconds, self._check_idle)

    def data_received(self, data: bytes) -> None:
        """Hand over what came: at once if it is little, else in slices."""
        if self not in self._server.connections:
            return
        self._heard_at = time.monotonic()
        self._inbox += data
        self._take_slice()

    def eof_received(self) -> bool:
        """The client says nothing more; what it has asked for still goes out."""
        if self not in self._server.connections:
            return False
        self._session.receive_eof()
        self._send()
        if self._session.searching:
            self._set_timer(HEARTBEAT_SECONDS, self._beat)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone: stop its search."""
        if exc is not None:
            log.info("session lost: %s", exc)
        if self._timer is not None:
            self._timer.cancel()
        if self in self._server.connections:
            self._server.connections.remove(self)
            self._session.close()

    def pause_writing(self) -> None:
        """The client does not read: do not hear it either, so that what waits for it stays bounded."""
        self._session.congested = True
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        """The client reads again."""
        self._session.congested = False
        self._take_slice()

    def end(self) -> None:
        """Close the session from our side: the search stops, what has been said still goes out."""
        self._session.close()
        self._close()

    def _refuse(self, why: str) -> None:
        self._transport.write(f"info string error: {why}\n".encode())
        self._transport.close()

    def _take_slice(self) -> None:
        if self not in self._server.connections or self._session.congested or self._session.busy:
            return
        data, self._inbox = self._inbox[:SLICE], self._inbox[SLICE:]
        if data:
            self._session.receive_data(data)
            self._send()
        if self._session.busy:  # the end of that calls again
            self._transport.pause_reading()
        elif self._inbox:
            self._transport.pause_reading()
            self._loop.call_soon(self._take_slice)
        elif not self._session.congested:
            self._transport.resume_reading()

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
        self._session.refuse(f"expected a word within {bound:g} s, got none; closing")
        self._send()
        self.end()


def _keep_alive(link: socket.socket) -> None:
    """Let the system notice a client that vanishes without a word, as when its machine loses power."""
    link.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEPALIVE.items():
        if hasattr(socket, name):  # not every system has each
            link.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


async def serve(game: Game, factory: Factory, host: str, port: int, bounds: Bounds | None = None) -> int:
    """Serve until SIGINT or SIGTERM; return the exit code. Prints `listening on HOST:PORT` on standard error."""
    server = Server(game, factory, bounds)
    ended: asyncio.Future[signal.Signals] = asyncio.get_running_loop().create_future()
    address = await server.start(host, port)
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, _set_once, ended, number)
    if not is_loopback(address.host):
        print(f"warning: whoever reaches {address} can use this engine: no token, no encryption", file=sys.stderr)
    print(f"listening on {address}", file=sys.stderr, flush=True)
    try:
        return 130 if await ended is signal.SIGINT else 0
    finally:
        await server.close()


def _set_once(future: asyncio.Future[signal.Signals], number: signal.Signals) -> None:
    if not future.done():
        future.set_result(number)
