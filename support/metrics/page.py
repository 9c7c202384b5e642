"""The option `--metrics HOST:PORT`: numbers in the text form of Prometheus, over HTTP.

The text is prometheus-client's. Its server is not used, for what strangers do to it (measured with 0.26): each
connection is a thread without an end, so 2,000 silent clients hold 2,000 threads, 2,000 descriptors and 50 MB, where
the places of this page bound them; one silent client of its TLS port stops all others; a client that resets its
connection prints a traceback; it admits without a token; and it reads the numbers in a thread beside the loop that
changes them. Its ASGI application needs uvicorn, which an engine does not have.
"""

from __future__ import annotations

import asyncio
import ssl
import sys

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.registry import Collector

from fiedler.support.address import Address, is_local, parse_address, reason
from fiedler.support.errors import UsageError
from fiedler.support.guesses import Guesses
from fiedler.support.listener import Acceptor, Encryption, listeners
from fiedler.support.metrics.request import WRONG_TOKEN, bearer, read_request, response
from fiedler.support.tokens import Tokens
from fiedler.support.waiting_room import WaitingRoom

REQUEST_SECONDS = 5.0
"""The time of a client for its request, and again for the answer."""
CLOSE_SECONDS = 1.0
"""The time of a client to close its side, which it has only with TLS."""
PLACES = 16
"""Concurrent clients, TLS handshakes included; the oldest of the busiest address leaves for others."""
MAX_REQUEST = 8192
"""Longest request, in bytes."""
TEXT_ANSWER = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nexpected https, got text\n"
"""For a client without TLS at a port with it."""


async def publish(where: str, collector: Collector, tokens: Tokens | None, tls: ssl.SSLContext | None = None) -> None:
    """Publish the numbers of a program at HOST:PORT until the end of the loop, and say so on standard error.

    On loopback everybody may read them; elsewhere a reader needs one of the tokens. `tls` encrypts them there.

    Raises:
        UsageError: The address is wrong or in use, or it is not loopback and there are no tokens.
    """
    address = parse_address(where)
    try:
        is_open = not is_local(address)
    except (OSError, UnicodeError):
        raise UsageError(f"--metrics: unknown host {address.host!r}") from None
    if not is_open:
        tokens = tls = None
    elif tokens is None:
        raise UsageError(f"--metrics: {address} is not loopback: expected --token-file F, to admit its clients")
    await MetricsPage(collector, tokens, tls).listen(address)
    print(f"metrics on {'http' if tls is None else 'https'}://{address}/metrics", file=sys.stderr, flush=True)


class MetricsPage:
    """The page `/metrics` of a program, in its loop."""

    def __init__(self, collector: Collector, tokens: Tokens | None = None, tls: ssl.SSLContext | None = None) -> None:
        """`collector` reads the numbers whenever the page is asked for.

        `tokens` are those of which each request needs one, as its bearer token (RFC 6750, 2.1).
        """
        self._tokens = tokens
        self._tls = tls
        self._registry = CollectorRegistry()
        self._registry.register(collector)
        self.room = WaitingRoom(PLACES)
        self._guesses = Guesses()

    async def listen(self, address: Address) -> Acceptor:
        """Listen until the end of the loop, or until the returned acceptor is closed.

        Raises:
            UsageError: The address cannot be bound.
        """
        try:
            sockets = listeners(address)
        except (OSError, UnicodeError) as error:
            raise UsageError(f"--metrics: cannot listen on {address}: {reason(error)}") from None
        encryption = None if self._tls is None else Encryption(self._tls, TEXT_ANSWER, lambda *_: None)
        return Acceptor(sockets, self._protocol, self.room, encryption)

    def _protocol(self, peer: str) -> asyncio.StreamReaderProtocol:
        """Return the protocol of a client, which is in the room as long as it is connected."""

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.room.enter(made, peer, writer.transport.abort)
            try:
                await self._answer(reader, writer, peer)
                async with asyncio.timeout(CLOSE_SECONDS):
                    await writer.wait_closed()
            except OSError:
                writer.transport.abort()
            finally:
                self.room.leave(made)

        made = asyncio.StreamReaderProtocol(asyncio.StreamReader(limit=MAX_REQUEST), answer)
        return made

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: str) -> None:
        """Answer one request, that with a wrong token late."""
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                status, body = self._page(await read_request(reader))
                if status == WRONG_TOKEN:
                    await asyncio.sleep(self._guesses.miss(peer))
                writer.write(response(status, body))
                await writer.drain()
        except (OSError, ValueError):
            writer.transport.abort()
        finally:
            writer.close()

    def _page(self, request: list[str]) -> tuple[str, bytes]:
        """Return status and content."""
        if self._tokens is not None and not self._tokens.admit(bearer(request)):
            return WRONG_TOKEN, b"expected Authorization: Bearer TOKEN\n"
        if request[0].split()[:2] not in (["GET", "/metrics"], ["GET", "/"]):
            return "404 Not Found", b"expected GET /metrics\n"
        return "200 OK", generate_latest(self._registry)
