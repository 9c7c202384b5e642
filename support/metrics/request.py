"""One HTTP request without a body, and its answer."""

from __future__ import annotations

import asyncio

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
MAX_HEADERS = 100
BEARER = "bearer "
WRONG_TOKEN = "401 Unauthorized"  # noqa: S105 - a status


def response(status: str, body: bytes) -> bytes:
    """Return an answer as bytes."""
    head = (f"HTTP/1.1 {status}", f"Content-Type: {CONTENT_TYPE}", f"Content-Length: {len(body)}")
    demand = ["WWW-Authenticate: Bearer"] if status == WRONG_TOKEN else []
    return "\r\n".join((*head, *demand, "Connection: close", "", "")).encode() + body


async def read_request(reader: asyncio.StreamReader) -> list[str]:
    """Return the request line and the headers.

    Raises ValueError if a line is longer than the limit of the reader, or there are more than MAX_HEADERS.
    """
    lines: list[str] = []
    while (line := (await reader.readline()).decode("latin-1").strip()) or not lines:
        lines.append(line)
        if len(lines) > MAX_HEADERS:
            raise ValueError("too many headers")
    return lines


def bearer(request: list[str]) -> str:
    """Return the bearer token of a request; empty: it has none."""
    headers = (line.partition(":") for line in request[1:])
    values = [value.strip() for name, _, value in headers if name.strip().lower() == "authorization"]
    found = values[0] if values else ""
    return found[len(BEARER) :].strip() if found.lower().startswith(BEARER) else ""
