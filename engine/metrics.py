"""The metrics of a server in the text form of Prometheus, over HTTP."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from engine.counts import SECONDS
from engine.server import Server
from support.address import Address, reason
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


class ServerCollector(Collector):
    """Reads the counts of a server whenever it is asked."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def collect(self) -> Iterable[Metric]:
        """Return the metrics now."""
        counts = self._server.terms.counts
        sessions = len(self._server.connections)
        yield GaugeMetricFamily("fiedler_sessions", "Sessions now.", value=sessions)
        yield CounterMetricFamily("fiedler_sessions", "Sessions since the start.", value=counts.sessions)
        yield CounterMetricFamily("fiedler_searches", "Searches that have ended.", value=counts.searches)
        yield CounterMetricFamily("fiedler_nodes", "Nodes of all searches.", value=counts.nodes)
        about = "Refused clients and sessions closed for a limit, by the kind of the reason."
        refused = CounterMetricFamily("fiedler_refused", about, labels=["why"])
        for why, number in sorted(counts.refused.items()):
            refused.add_metric([why], number)
        yield refused
        yield HistogramMetricFamily(
            "fiedler_search_seconds", "Seconds of a search.", buckets=self._buckets(), sum_value=counts.search_seconds
        )

    def _buckets(self) -> list[tuple[str, float]]:
        """Return the upper ends with the number of searches up to each."""
        total, buckets = 0, []
        for end, number in zip([*map(str, SECONDS), "+Inf"], self._server.terms.counts.buckets, strict=True):
            total += number
            buckets.append((end, float(total)))
        return buckets


class MetricsPage:
    """The page `/metrics` of a server, in its loop."""

    def __init__(self, server: Server, tokens: Tokens | None = None, tls: ssl.SSLContext | None = None) -> None:
        """`tokens` are those of which each request needs one, as its bearer token (RFC 6750, 2.1)."""
        self._tokens = tokens
        self._tls = tls
        self._registry = CollectorRegistry()
        self._registry.register(ServerCollector(server))
        self._clients = 0

    @property
    def is_plain(self) -> bool:
        """Whether the page is not encrypted."""
        return self._tls is None

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
