"""Sessions over TCP: many at a time, each with its own player."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from dataclasses import dataclass, field

from engine.connection import Connection
from engine.crew import Crew
from engine.lineup import Lineup
from engine.shares import Shares, machine_share_mb, spare_threads
from engine.turns import Turns
from games import Game
from players import THREADS_OPTION, Factory
from support.address import Address, is_loopback, reason
from support.errors import UsageError

log = logging.getLogger(__name__)

CHUNK = 8192
"""The bytes that one session may receive before they are handled."""
BACKLOG = 256
"""The number of clients that wait for admission; the system refuses further ones."""
ADMISSION_SECONDS = 0.001
"""The time between two admissions, so that clients that connect and leave do not delay others."""
NO_ROOM_SECONDS = 1.0
"""The time until the next attempt after the system could not accept a client, for want of files, say."""
END_SECONDS = 1.0
"""The time for searches to stop when the server ends; then it ends without them."""
LOOK_SECONDS = 0.002
"""The time between two looks at them."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of one server."""

    sessions: int = 256
    """Concurrent sessions; one more is refused."""
    idle_seconds: float = 3600.0
    """The time without input from the client and without a search after which a session is closed."""
    memory_mb: int = field(default_factory=machine_share_mb)
    """Trees and tables of all sessions together, in MiB; default half of the machine's. Any excess is refused."""
    threads: int = field(default_factory=spare_threads)
    """The threads of all sessions together beyond those granted to each (one, or `threads` at the start of the engine);
    by default four for each core, and at least 16. Any excess is refused."""


class Server:
    """Listens on one address; every connection is a session."""

    def __init__(
        self,
        game: Game,
        factory: Factory,
        bounds: Bounds | None = None,
        pinned: str | None = None,
        lineup: Lineup | None = None,
    ) -> None:
        """`pinned` names the dialect of all sessions instead of their first lines.

        `lineup` has players of further games, of which each client may choose one.
        """
        self.game = game
        self.pinned = pinned
        self.factory = factory
        self.lineup = lineup
        self.bounds = bounds or Bounds()
        granted = getattr(factory.settings, THREADS_OPTION, 1)
        self.shares = Shares(self.bounds.memory_mb, self.bounds.threads, granted)
        self.connections: set[Connection] = set()
        self.crew = Crew()
        self.turns = Turns()
        self.buffer = memoryview(bytearray(CHUNK))
        """The receive buffer of all clients."""
        self._listener: socket.socket | None = None
        self._door: asyncio.Task[None] | None = None

    async def start(self, host: str, port: int) -> Address:
        """Listen; return the address. Port 0 picks a free one.

        Raises:
            UsageError: The address cannot be bound.
        """
        try:
            self._listener = _listener(host, port)
        except (OSError, UnicodeError) as error:
            raise UsageError(f"cannot listen on {Address(host, port)}: {reason(error)}") from None
        self._door = asyncio.create_task(self._admit(self._listener))
        bound = self._listener.getsockname()
        return Address(bound[0], bound[1])

    async def _admit(self, listener: socket.socket) -> None:
        """Accept clients, one at a time, until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                link, _ = await loop.sock_accept(listener)
                await loop.connect_accepted_socket(lambda: Connection(self), link)
            except ConnectionError:
                pass  # gone again already
            except OSError as error:
                log.warning("cannot accept a client:  %s", reason(error))
                await asyncio.sleep(NO_ROOM_SECONDS)
            await asyncio.sleep(ADMISSION_SECONDS)

    async def close(self) -> bool:
        """End every session, stop every search, free everything; return False if a search has not stopped in time."""
        if self._door is not None and self._listener is not None:
            self._door.cancel()
            await asyncio.wait([self._door])
            self._listener.close()
        for connection in list(self.connections):
            connection.end()
        self.crew.dismiss()
        for _ in range(round(END_SECONDS / LOOK_SECONDS)):  # while the loop sends the last answers
            if self.crew.has_ended:
                break
            await asyncio.sleep(LOOK_SECONDS)
        else:
            return False
        (self.lineup or self.factory).close()
        return True


def _listener(host: str, port: int) -> socket.socket:
    """Return a listening socket. No thread looks up the name: the end of a server would wait for it."""
    # only the first address: with several, port 0 would pick several free ports
    family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.create_server((str(where[0]), port), family=family, backlog=BACKLOG)
    listener.setblocking(False)
    return listener


async def serve(
    game: Game, factory: Factory, host: str, port: int, pinned: str | None = None, lineup: Lineup | None = None
) -> int:
    """Serve until SIGINT or SIGTERM; return the exit code. A second signal ends the process at once.

    Prints `listening on HOST:PORT` on standard error.
    """
    server = Server(game, factory, pinned=pinned, lineup=lineup)
    address = await server.start(host, port)
    ended = termination()
    if not is_loopback(address.host):
        warning = f"warning: anyone who reaches {address} can use this engine: no token, no encryption"
        print(warning, file=sys.stderr)
    print(f"listening on {address}", file=sys.stderr, flush=True)
    return await finish(server, await ended)


def termination() -> asyncio.Future[signal.Signals]:
    """Return the future of the first SIGINT or SIGTERM. A second signal ends the process at once."""
    ended: asyncio.Future[signal.Signals] = asyncio.get_running_loop().create_future()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, _end, ended, number)
    return ended


async def finish(server: Server, number: signal.Signals | None) -> int:
    """Close a server after a signal, or without one, and return the exit code."""
    code = 130 if number is signal.SIGINT else 0
    if not await server.close():
        log.warning("a search has not stopped within %g s; ending without it", END_SECONDS)
        os._exit(code)
    return code


def _end(future: asyncio.Future[signal.Signals], number: signal.Signals) -> None:
    for one in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().remove_signal_handler(one)
        signal.signal(one, signal.SIG_DFL)
    if not future.done():  # a second signal may have come before the first was handled
        future.set_result(number)
