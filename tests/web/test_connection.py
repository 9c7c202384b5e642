"""The deadlines of a connection, by the clock of the loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from fiedler.web.connection import Rooms, SiteConnection, admit
from tests.patience import PATIENCE, pass_an_hour

REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
LATE = b"HTTP/1.1 408 Request Timeout"


class Site:
    """A server in this loop; it admits what asks for `/in`, and answers once `may_answer` is set."""

    def __init__(self) -> None:
        self.rooms = Rooms.of(400)
        self.asked = asyncio.Event()
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.port = 0
        self._writers: list[asyncio.StreamWriter] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/in":
            assert admit(scope)
        self.asked.set()
        while (await receive()).get("more_body"):
            pass
        await self.may_answer.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        config = uvicorn.Config(self, lifespan="off", ws="none", log_config=None)
        config.load()
        state = ServerState()
        made = lambda: SiteConnection(config, state, {}, rooms=self.rooms)  # noqa: E731
        server = await asyncio.get_running_loop().create_server(made, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield
        finally:
            self.leave()
            server.close()

    async def client(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return a new connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        self._writers.append(writer)
        return reader, writer

    def leave(self) -> None:
        """Close all connections."""
        for writer in self._writers:
            writer.close()

    async def until(self, is_true: Callable[[], bool]) -> None:
        while not is_true():  # noqa: ASYNC110
            await asyncio.sleep(0.001)

    async def settled(self, *, idle: int = 0, strangers: int = 0, answered: int = 0) -> None:
        """Wait until the connections are in these rooms."""
        rooms, wanted = self.rooms, (idle, strangers, answered)
        await self.until(lambda: (len(rooms.idle), len(rooms.strangers), len(rooms.answered)) == wanted)

    def has_taken(self, count: int) -> bool:
        """Return whether the only connection has got so many bytes of a request."""
        rooms = self.rooms
        return any(one._taken == count for one in [*rooms.strangers._stays, *rooms.idle._stays])  # type: ignore[attr-defined]


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    one = Site()
    async with asyncio.timeout(PATIENCE), one.running():
        yield one


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (b"", b""),
        (b"GET / HT", LATE),
        (REQUEST[:-2], LATE),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1", b""),
        (b"POST /in HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1", b""),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\na: b\r\n", b""),
    ],
)
async def test_a_request_that_does_not_end_is_ended(
    site: Site, monkeypatch: pytest.MonkeyPatch, words: bytes, answer: bytes
) -> None:
    reader, writer = await site.client()
    writer.write(words)
    await site.until(lambda: site.has_taken(len(words)))
    pass_an_hour(monkeypatch)
    try:
        found = await reader.read()
    except ConnectionError:
        found = b""
    assert found.partition(b"\r\n")[0] == answer
    writer.close()
    await site.settled()


async def test_an_answer_under_way_has_no_deadline(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.may_answer.clear()
    reader, writer = await site.client()
    writer.write(REQUEST.replace(b"/ ", b"/in ", 1))
    await site.settled(answered=1)
    pass_an_hour(monkeypatch)
    site.may_answer.set()
    assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200 OK")
    await site.settled(idle=1)
    writer.close()
    await site.settled()


async def test_an_idle_connection_is_closed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = await site.client()
    for _ in range(3):
        writer.write(REQUEST.replace(b"/ ", b"/in ", 1))
        await reader.readuntil(b"ok")
    await site.settled(idle=1)
    pass_an_hour(monkeypatch)
    assert await reader.read() == b""


async def test_a_byte_now_and_then_keeps_no_connection(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = await site.client()
    writer.write(REQUEST)
    await reader.readuntil(b"ok")
    writer.write(b"G")
    await asyncio.sleep(0)
    pass_an_hour(monkeypatch)
    assert (await reader.read()).partition(b"\r\n")[0] in {b"", LATE}


async def test_a_stranger_without_a_token_in_time_gets_one_more_answer(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.may_answer.clear()
    reader, writer = await site.client()
    writer.write(REQUEST)
    await site.asked.wait()
    pass_an_hour(monkeypatch)
    site.may_answer.set()
    assert b"connection: close" not in await reader.readuntil(b"ok")
    writer.write(REQUEST)
    assert b"connection: close" in await reader.read()


async def test_the_oldest_stranger_of_an_address_leaves(site: Site) -> None:
    clients = [await site.client() for _ in range(site.rooms.strangers.places)]
    await site.settled(strangers=site.rooms.strangers.places)
    reader, writer = await site.client()
    assert await clients[0][0].read() == b""
    writer.write(REQUEST)
    assert b"200 OK" in await reader.readuntil(b"ok")
