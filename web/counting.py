"""The answers of the server, counted for its metrics; a request that fails is in the log."""

from __future__ import annotations

import logging
from collections import Counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger(__name__)


class Counting:
    """An ASGI application in front of another, which counts its answers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.requests: Counter[int] = Counter()
        """Requests whose answer has begun, by its status."""
        self.sent = 0
        """Bytes of all answers, without their heads."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request, and count its answer."""

        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.requests[message["status"]] += 1
            elif message["type"] == "http.response.body":
                self.sent += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, counting)
        except Exception:  # the other requests and the server live on
            log.exception("a request failed: %s", scope.get("path", scope["type"]))
            if scope["type"] != "http":
                raise
