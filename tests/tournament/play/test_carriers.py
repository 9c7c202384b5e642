"""The carriers of a session's bytes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from fiedler.tournament.play.carriers import Socket
from tests.patience import PATIENCE


async def fact(is_so: Callable[[], bool]) -> None:
    while not is_so():  # noqa: ASYNC110 - of the system, which notifies nobody
        await asyncio.sleep(0.001)


async def test_a_socket_knows_its_unread_bytes_and_has_none_once_it_is_closed() -> None:
    begun = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"a1\n")
        await writer.drain()
        begun.set()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with asyncio.timeout(PATIENCE), server:
        _, socket = await asyncio.get_running_loop().create_connection(
            lambda: Socket(lambda _: None, lambda _: None), *server.sockets[0].getsockname()
        )
        assert not socket.has_unread()
        socket.pause_reading()
        socket.write(b"x")
        await begun.wait()
        await fact(socket.has_unread)
        socket.resume_reading()
        await fact(lambda: not socket.has_unread())
        await socket.close()
        await socket.closed
        await asyncio.sleep(0)
        assert not socket.has_unread()
