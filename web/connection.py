"""One connection of the server: its requests are bounded in size and time, and a stranger's place in number."""

from __future__ import annotations

import asyncio
import resource
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Any, Self, cast

import httptools
from starlette.types import Scope
from uvicorn import Config
from uvicorn._types import ASGI3Application, ASGISendEvent
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from fiedler.support.address import peer_of
from fiedler.support.waiting_room import WaitingRoom

MOST_BYTES = 1 << 15
"""The most bytes of a request: its head, its body and its trailers."""
MOST_HEADERS = 100
"""The most headers and trailers of a request: each takes a hundred bytes and more."""
READ_S = 10.0
"""Seconds for a whole request, and for the first token of a connection."""
KEEP_S = 5.0
"""Seconds for which a connection is kept between two requests."""
LINGER_S = 2.0
"""Seconds for a client to read its refusal."""
SEND_S = 60.0
"""Seconds for a client to take the rest of its last answer."""
MOST_PIPELINED = 8
"""The most requests that wait for the answer to another one of the same connection."""
PIECE = 1 << 12
"""Bytes that the parser gets at a time."""
MOST_PLACES = 256
"""The most connections before admission, and the most between two requests."""
SHARE = 4
"""A quarter of the descriptors is for strangers, one for idle connections, one for files and players."""
KEY = "fiedler.connection"
"""The connection in the scope of a request."""


@dataclass
class Rooms:
    """The places of all connections: those of strangers, those between two requests, those that are answered."""

    strangers: WaitingRoom
    idle: WaitingRoom
    most_answered: int
    answered: set[object] = field(default_factory=set)
    """The connections of admitted visitors with a request under way, streams above all."""

    @classmethod
    def of(cls, descriptors: int) -> Self:
        """Return the rooms of a process that may open this number of files."""
        places = max(1, min(MOST_PLACES, descriptors // (SHARE + 1)))
        return cls(WaitingRoom(places), WaitingRoom(places), max(1, descriptors - descriptors // SHARE - 2 * places))

    @property
    def most_viewers(self) -> int:
        """The most open streams: other requests need the rest."""
        return self.most_answered * (SHARE - 1) // SHARE

    @classmethod
    def of_this_process(cls) -> Self:
        """Return the rooms of this process."""
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return cls.of(soft if soft != resource.RLIM_INFINITY else 1 << 20)


class SiteConnection(HttpToolsProtocol):
    """A connection of uvicorn, with limits that it lacks.

    A request has MOST_BYTES and READ_S. Until a request shows that its sender may enter (`admit`), the connection is a
    stranger's; afterwards it has a place among the idle ones, except while it is answered. Nothing of it is logged: a
    stranger could fill the log.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        rooms: Rooms,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._rooms = rooms
        self._peer = ""
        self._is_admitted = False
        self._is_refused = False
        self._lost = asyncio.Event()
        self._taken = 0
        """Bytes since the last whole request."""
        self._has_head = False
        """Whether the head of the request is whole, and its body is not."""
        self._deadline: asyncio.TimerHandle | None = None
        self._strange_until = self.loop.time() + READ_S

    # --- the connection -----------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place among the strangers."""
        super().connection_made(transport)
        self._peer = peer_of(self.client[0]) if self.client is not None else ""
        self._rooms.strangers.enter(self, self._peer, transport.abort)
        self._within(READ_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave."""
        self._within(None)
        self._lost.set()
        for room in (self._rooms.strangers, self._rooms.idle):
            room.leave(self)
        self._rooms.answered.discard(self)
        super().connection_lost(exc)
        # an unfinished head would wait for the collection of garbage
        self.headers, self.scope = [], cast("Any", {})

    def admit(self) -> bool:
        """Take the request under way as one of a visitor that may enter; False: there are too many."""
        if len(self._rooms.answered) >= self._rooms.most_answered and self not in self._rooms.answered:
            return False
        self._is_admitted = True
        self._find_place()
        return True

    def dismiss(self) -> None:
        """Be among the first strangers to leave for others."""
        self._rooms.strangers.dismiss(self, self.transport.abort)

    async def wait(self, seconds: float) -> None:
        """Wait, at most until the connection is lost."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._lost.wait()

    @property
    def _is_answering(self) -> bool:
        """Whether a whole request waits for its answer."""
        cycle = self.cycle
        return bool(self.pipeline) or (cycle is not None and not cycle.more_body and not cycle.response_complete)

    def _find_place(self) -> None:
        if not self._is_admitted or self.transport.is_closing():
            return
        self._rooms.strangers.leave(self)
        if self._is_answering:
            self._rooms.idle.leave(self)
            self._rooms.answered.add(self)
        else:
            self._rooms.answered.discard(self)
            self._rooms.idle.enter(self, self._peer, self.transport.abort)

    def _within(self, seconds: float | None) -> None:
        """Set the deadline of the connection, in place of the one before."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self._late)

    def _late(self) -> None:
        """End a connection at its deadline."""
        self._deadline = None
        if self._is_refused or self.transport.is_closing():
            self.transport.abort()
        elif self._taken and not self._has_head:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)
        elif self._taken:
            self.transport.abort()
        else:
            self.transport.close()  # after the rest of an answer
            self._within(SEND_S)

    # --- bytes in -----------------------------------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        """Parse bytes, a piece at a time, as long as the limits hold."""
        self._unset_keepalive_if_required()
        for start in range(0, len(data), PIECE):
            piece = data[start : start + PIECE]
            self._taken += len(piece)
            if not self._is_refused and not self.transport.is_closing():
                self._parse(piece)
        if self._is_refused and self._taken > MOST_BYTES * SHARE:
            self.transport.abort()
        elif self._deadline is None and not self._is_answering and not self.transport.is_closing():
            self._within(READ_S)

    def _parse(self, piece: bytes) -> None:
        try:
            self.parser.feed_data(piece)
        except httptools.HttpParserUpgrade:
            self._take_no_more()
            return
        except httptools.HttpParserError:
            self._refuse(HTTPStatus.BAD_REQUEST)
            return
        if self._taken > MOST_BYTES or len(self.headers or ()) > MOST_HEADERS:
            too_large = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
            self._refuse(too_large if self._has_head else HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        elif len(self.pipeline) > MOST_PIPELINED:
            self._refuse(HTTPStatus.TOO_MANY_REQUESTS)

    def _take_no_more(self) -> None:
        """Answer the last request, which wants another protocol, as any other, and end."""
        self._is_refused = True
        if self.cycle is not None:
            self.cycle.keep_alive = False

    def _refuse(self, status: HTTPStatus) -> None:
        """End the connection, with an answer if no other one is on its way."""
        self._is_refused = True
        self._within(LINGER_S)
        if self.cycle is not None and not self.cycle.response_complete:
            self.transport.abort()
            return
        body = f"{status.phrase}\n".encode()
        head = f"HTTP/1.1 {status} {status.phrase}\r\ncontent-type: text/plain\r\ncontent-length: {len(body)}\r\n"
        self.transport.write(f"{head}connection: close\r\n\r\n".encode() + body)
        self.transport.write_eof()
        self.dismiss()

    # --- requests -----------------------------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        """Begin a request: it knows its connection, for `admit`."""
        super().on_message_begin()
        cast("dict[str, Any]", self.scope)[KEY] = self

    def on_headers_complete(self) -> None:
        """Begin the answer; a stranger that has shown no token in time gets no further one."""
        self._has_head = True
        super().on_headers_complete()
        if not self._is_admitted and self.loop.time() > self._strange_until:
            self.cycle.keep_alive = False

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """Begin an answer; of one to a visitor that has left, nothing is sent: the transport would raise an error."""
        send = cycle.send

        async def send_if_open(message: ASGISendEvent) -> None:
            if not self.transport.is_closing():
                await send(message)

        cycle.send = send_if_open  # type: ignore[method-assign]
        super()._start_asgi_task(cycle, app)

    def on_message_complete(self) -> None:
        """Wait for the answer without a deadline."""
        self._has_head, self._taken = False, 0
        super().on_message_complete()
        if self._is_answering:
            self._within(None)
            self._find_place()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        if not self._is_answering:
            self._within(SEND_S if self.transport.is_closing() else READ_S if self._taken else KEEP_S)
        self._find_place()

    def _unsupported_upgrade_warning(self) -> None:
        """Print nothing."""


def admit(scope: Scope) -> bool:
    """Take a request as one of a visitor that may enter; False: there are too many."""
    connection: SiteConnection | None = scope.get(KEY)
    return connection is None or connection.admit()


async def hold_up(scope: Scope, seconds: float) -> None:
    """Wait after a wrong token; meanwhile the connection is among the first to leave."""
    connection: SiteConnection | None = scope.get(KEY)
    if connection is not None:
        connection.dismiss()
        await connection.wait(seconds)


def connections(rooms: Rooms) -> type[asyncio.Protocol]:
    """Return what makes the connections of a server, for uvicorn."""
    return cast("type[asyncio.Protocol]", partial(SiteConnection, rooms=rooms))
