"""The notices that are not sent yet, and their way to the receiver: few tries, each with a time limit."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus

import httpx
import msgspec

from fiedler.support.text import counted
from fiedler.tournament.feeds.notices import RunNotice, payload
from fiedler.tournament.feeds.notify_process import DRAIN_S
from fiedler.tournament.schedule.schedule import JSON

TRY_S = 5.0
"""Seconds of one try."""
PAUSES_S = (1.0, 3.0)
"""Seconds between the tries."""
WORTH_ANOTHER_TRY = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)
"""Answers below 500 after which another try may succeed."""


class Outbox:
    """Sends notices in their order; `warn` takes a line for each that is not sent."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        url: str,
        form: str,
        warn: Callable[[str], None],
        *,
        try_s: float = TRY_S,
        pauses_s: Sequence[float] = PAUSES_S,
    ) -> None:
        self._client, self._url, self._form, self._warn = client, url, form, warn
        self._try_s, self._pauses_s = try_s, pauses_s
        self._left = deque[RunNotice]()
        self._changed = asyncio.Event()
        self._closed = False
        self._failure = ""
        """What was wrong with the last try of the first notice that is left."""

    def put(self, notice: RunNotice) -> None:
        """Send a notice after those before it."""
        self._left.append(notice)
        self._changed.set()

    async def run(self) -> None:
        """Send until `finish`."""
        while not self._closed or self._left:
            if not self._left:
                await self._changed.wait()
                self._changed.clear()
                continue
            self._failure = ""
            tries = await self._send(self._left[0])
            sent = self._left.popleft()
            if self._failure:
                self._warn(f"{sent.event}: not sent: {self._failure} ({counted(tries, 'try')})")

    async def finish(self, running: asyncio.Task[None], drain_s: float = DRAIN_S) -> None:
        """Send the rest within `drain_s`, and name what is left then."""
        self._closed = True
        self._changed.set()
        await asyncio.wait({running}, timeout=drain_s)
        running.cancel()
        for notice in self._left:
            why, self._failure = self._failure and f": {self._failure}", ""
            self._warn(f"{notice.event}: not sent within {drain_s:g} s of the end{why}")
        self._left.clear()

    async def _send(self, notice: RunNotice) -> int:
        """Try to send a notice; return the number of tries."""
        tries = 0
        for pause_s in (0.0, *self._pauses_s):
            await asyncio.sleep(pause_s)
            tries += 1
            self._failure, is_final = await self._try(notice)
            if is_final:
                break
        return tries

    async def _try(self, notice: RunNotice) -> tuple[str, bool]:
        """Return what was wrong, empty if nothing was, and whether another try would be the same."""
        is_json = self._form == JSON
        body = msgspec.json.encode(payload(notice)) if is_json else notice.text.encode()
        kind = "application/json" if is_json else "text/plain; charset=utf-8"
        headers = {"Content-Type": kind, "Title": f"{notice.run} {notice.event}"}
        try:
            async with (
                asyncio.timeout(self._try_s),
                self._client.stream("POST", self._url, content=body, headers=headers) as answer,
            ):
                code = answer.status_code
        except TimeoutError:
            return f"no answer within {self._try_s:g} s", False
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            return _explained(error), isinstance(error, httpx.InvalidURL)
        if code < HTTPStatus.MULTIPLE_CHOICES:
            return "", True
        return f"HTTP status {code}", code < HTTPStatus.INTERNAL_SERVER_ERROR and code not in WORTH_ANOTHER_TRY


def _explained(error: BaseException) -> str:
    """Return the system's reason of a failure, without the words of libraries, which may quote the URL."""
    for one in _causes(error):
        if isinstance(one, ssl.SSLCertVerificationError):
            return "its certificate is not accepted"
        if isinstance(one, socket.gaierror):
            return "its host is unknown"
        if isinstance(one, OSError) and not isinstance(one, ssl.SSLError) and one.errno:
            return os.strerror(one.errno).lower()  # asyncio's own words name the address
    return "cannot be reached"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            yield from _causes(error.exceptions[0])
        error = error.__cause__ or error.__context__
