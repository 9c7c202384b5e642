"""A viewer of a run: server-sent events in a bounded queue; the latest about a thing replaces earlier ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

MOST_WAITING = 64
"""Most messages that wait for a viewer; one more ends the stream, and the browser comes again."""
DIGITS = 9
"""The most digits of a number in a request."""
PING_S = 15.0
"""Seconds between two signs of life to a viewer without news."""
RETRY = b"retry: 2000\n\n"
PING = b"event: ping\ndata: {}\n\n"
"""An event, and not a comment: a script of a page can see it, and miss it."""
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def message(event: str, content: object, number: str = "") -> bytes:
    """Return a server-sent event; `number` is its `id`."""
    head = f"id: {number}\n" if number else ""
    return f"{head}event: {event}\ndata: ".encode() + msgspec.json.encode(content) + b"\n\n"


class Viewer:
    """One open stream."""

    def __init__(self, left: Callable[[Viewer], None], game: int = 0) -> None:
        """`left` is called once, at the end; `game` is the only game whose positions are sent, 0 for all."""
        self.game = game
        self._left = left
        self._waiting: dict[object, bytes] = {}
        self._news = asyncio.Event()
        self.is_open = True
        self.sent = 0
        """Messages that were handed over."""

    def send(self, text: bytes, subject: object = None) -> None:
        """Send a message in its turn; one with a subject replaces the waiting one with the same."""
        if not self.is_open:
            return
        self._waiting.pop(subject, None)
        self._waiting[subject if subject is not None else object()] = text
        if len(self._waiting) > MOST_WAITING:
            self.close()
        self._news.set()

    def close(self) -> None:
        """End the stream."""
        if self.is_open:
            self.is_open = False
            self._waiting.clear()
            self._news.set()
            self._left(self)

    async def next(self) -> bytes:
        """Return all waiting messages, or a sign of life; empty at the end."""
        try:
            async with asyncio.timeout(PING_S):
                await self._news.wait()
        except TimeoutError:
            return PING
        self.sent += len(self._waiting)
        text = b"".join(self._waiting.values())
        self._waiting.clear()
        self._news.clear()
        return text


class EventStream(Response):
    """The answer that lasts as long as a viewer."""

    def __init__(self, viewer: Viewer) -> None:
        super().__init__(headers=HEADERS, media_type="text/event-stream")
        del self.headers["content-length"]
        self._viewer = viewer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send until the viewer leaves, or is closed."""
        leaving = asyncio.create_task(self._leave(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await send({"type": "http.response.body", "body": RETRY, "more_body": True})
            while await self._pass_on(send):
                pass
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            leaving.cancel()
            self._viewer.close()

    async def _pass_on(self, send: Send) -> bool:
        """Send the next messages, and keep nothing of them: a thousand streams wait; return whether there were any."""
        text = await self._viewer.next()
        if text:
            await send({"type": "http.response.body", "body": text, "more_body": True})
        return bool(text)

    async def _leave(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._viewer.close()
