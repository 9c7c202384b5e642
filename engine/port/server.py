"""Sessions over TCP: many at a time, each with its own player."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import ssl
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass

from fiedler.engine.host.terms import Terms
from fiedler.engine.port.bounds import Bounds
from fiedler.engine.port.client_door import ClientDoor
from fiedler.engine.port.report import report_listening
from fiedler.engine.port.serving import Serving
from fiedler.engine.roster.engine_offer import EngineOffer
from fiedler.engine.roster.shares import Shares
from fiedler.protocol import DIALECTS
from fiedler.protocol.admission import EXPECTED_TLS, refused
from fiedler.support.address import Address, is_loopback, reason, resolved
from fiedler.support.errors import UsageError
from fiedler.support.listener import Acceptor, Encryption, listener
from fiedler.support.tokens import Tokens, warn_in_clear
from fiedler.support.transport import abort

log = logging.getLogger("fiedler.engine.server")

END_SECONDS = 1.0
"""The time for searches to stop when the server ends; then it ends without them."""
LOOK_SECONDS = 0.002
"""The time between two looks at them."""


@dataclass(frozen=True, slots=True)
class AccessRules:
    """The demands on clients: by default on loopback, in the clear, for everybody on this machine."""

    tokens: Tokens | None = None
    """Each of them admits a client. None: no client needs one, and the server listens on loopback alone."""
    tls: ssl.SSLContext | None = None
    """None: in the clear."""


class Server:
    """Listens on one address; every connection is a session."""

    def __init__(self, offer: EngineOffer, bounds: Bounds | None = None, access: AccessRules | None = None) -> None:
        """Load the dialects; `start` listens."""
        for dialect in DIALECTS.values():
            dialect.load()
        self.offer = offer
        self.bounds = bounds or Bounds()
        self.access = access or AccessRules()
        shares = Shares(self.bounds.memory_mb, self.bounds.threads, offer.threads)
        self.terms = Terms(shares, self.bounds.think_seconds)
        self.serving = serving = Serving(offer, self.bounds, self.access.tokens, self.terms)
        """The server as its connections see it; what follows is a part of it."""
        self.connections = serving.connections
        self.room = serving.room
        self.workers = serving.workers
        self._searchers = serving.searchers
        self._acceptor: Acceptor | None = None

    async def start(self, host: str, port: int) -> Address:
        """Listen; return the address. Port 0 picks a free one.

        Raises:
            UsageError: The address cannot be bound, or other machines reach it and no tokens are demanded.
        """
        try:
            _, where = resolved(Address(host, port))[0]
            if self.access.tokens is None and not is_loopback(where):
                raise UsageError(f"--host {host}: expected --token-file, because other machines reach {where}")
            listening = listener(Address(where, port))
        except (OSError, UnicodeError) as error:
            raise UsageError(f"cannot listen on {Address(host, port)}: {reason(error)}") from None
        bound = listening.getsockname()
        self._acceptor = Acceptor([listening], lambda peer: ClientDoor(self.serving, peer), self.room, self._encryption)
        return Address(bound[0], bound[1])

    @property
    def _encryption(self) -> Encryption | None:
        if self.access.tls is None:
            return None
        return Encryption(self.access.tls, refused(EXPECTED_TLS), self._miss_handshake)

    def _miss_handshake(self, kind: str, peer: str, why: str) -> None:
        self.terms.counts.refuse(kind)
        log.info("no TLS handshake", extra={"fields": {"peer": peer, "why": why}})

    async def close(self) -> bool:
        """End every session, stop every search, free everything; return False if a search has not stopped in time."""
        if self._acceptor is not None:
            await self._acceptor.close()
        self.room.close()
        for transport in list(self.serving.dialled):
            abort(transport)
        for connection in list(self.connections):
            connection.end()
        self.workers.dismiss()
        self._searchers.dismiss()
        for _ in range(round(END_SECONDS / LOOK_SECONDS)):  # while the loop sends the last answers
            if self.workers.has_ended and self._searchers.has_ended:
                break
            await asyncio.sleep(LOOK_SECONDS)
        else:
            return False
        self.offer.close()
        return True


async def serve(
    server: Server,
    host: str,
    port: int,
    beside: Callable[[Server, Address], AbstractAsyncContextManager[None]] | None = None,
    *,
    reports: bool = False,
) -> int:
    """Serve until SIGINT or SIGTERM; return the exit code. A second signal ends the process at once.

    Prints `listening on HOST:PORT` on standard error, or with `reports` the same as JSON on standard output. `beside`
    returns a context that lasts as long as the server serves.
    """
    address = await server.start(host, port)
    ended = termination()
    if server.access.tls is None:
        warn_in_clear(address, "tokens and games are", "--cert")
    if reports:
        report_listening(address, server.offer)
    else:
        print(f"listening on {address}", file=sys.stderr, flush=True)
    async with nullcontext() if beside is None else beside(server, address):
        number = await ended
    return await finish(server, number)


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
