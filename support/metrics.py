"""The option `--metrics HOST:PORT`: numbers in the text form of Prometheus, over HTTP."""

from __future__ import annotations

import asyncio
import ssl
import sys

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.registry import Collector

from support.address import Address, is_local, parse_address, reason
from support.errors import UsageError
from support.tokens import Tokens

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
REQUEST_SECONDS = 5.0
"""The time of a client for its request, and again for the answer."""
MAX_CLIENTS = 16
"""Concurrent clients; further ones are closed."""
MAX_REQUEST = 8192
"""Longest request, in bytes."""
MAX_HEADERS = 100
BEARER = "bearer "


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
        self._clients = 0

    async def listen(self, address: Address) -> asyncio.Server:
        """Listen until the end of the loop, or until the returned server is closed.

        Raises:
            UsageError: The address cannot be bound.
        """
        try:
            return await asyncio.start_server(
                self._answer, address.host, address.port, limit=MAX_REQUEST, ssl=self._tls
            )
        except (OSError, UnicodeError) as error:
            raise UsageError(f"--metrics: cannot listen on {address}: {reason(error)}") from None

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        self._clients += 1
        try:
            async with asyncio.timeout(REQUEST_SECONDS):
                if self._clients <= MAX_CLIENTS:
                    writer.write(self._response(await _request(reader)))
                    await writer.drain()
        except (OSError, ValueError):
            writer.transport.abort()
        finally:
            self._clients -= 1
            writer.close()

    def _response(self, request: list[str]) -> bytes:
        status, body = self._page(request)
        head = (f"HTTP/1.1 {status}", f"Content-Type: {CONTENT_TYPE}", f"Content-Length: {len(body)}")
        demand = ["WWW-Authenticate: Bearer"] if status.startswith("401") else []
        return "\r\n".join((*head, *demand, "Connection: close", "", "")).encode() + body

    def _page(self, request: list[str]) -> tuple[str, bytes]:
        """Return status and content."""
        if self._tokens is not None and not self._tokens.admit(_bearer(request)):
            return "401 Unauthorized", b"expected Authorization: Bearer TOKEN\n"
        if request[0].split()[:2] not in (["GET", "/metrics"], ["GET", "/"]):
            return "404 Not Found", b"expected GET /metrics\n"
        return "200 OK", generate_latest(self._registry)


async def _request(reader: asyncio.StreamReader) -> list[str]:
    """Return the request line and the headers; raises ValueError if a line is too long."""
    lines: list[str] = []
    while (line := (await reader.readline()).decode("latin-1").strip()) or not lines:
        lines.append(line)
        if len(lines) > MAX_HEADERS:
            raise ValueError("too many headers")
    return lines


def _bearer(request: list[str]) -> str:
    """Return the bearer token of a request; empty: it has none."""
    headers = (line.partition(":") for line in request[1:])
    values = [value.strip() for name, _, value in headers if name.strip().lower() == "authorization"]
    found = values[0] if values else ""
    return found[len(BEARER) :].strip() if found.lower().startswith(BEARER) else ""
