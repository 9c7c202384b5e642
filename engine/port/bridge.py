"""Standard input and output <-> an engine port, for GUIs and managers that start programs."""

from __future__ import annotations

import asyncio
import os
import select
import socket
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from contextlib import suppress

from fiedler.client.call import Access, call_within
from fiedler.protocol.admission import REFUSED
from fiedler.support.address import Address, reason
from fiedler.support.errors import WorkError, printable

CHUNK = 65536
CONNECT_SECONDS = 10.0
"""The time to connect, with the TLS handshake and the admission."""
LONGEST_SECONDS = 1e6
"""The time for a server to take bytes: a socket of the loop does not wait without a bound."""
LAST_ANSWERS_SECONDS = 5.0
"""Over TLS, which has no half-closed connections: the time for answers after the end of the input."""


def bridge(address: Address, access: Access, reading: int = 0, writing: int = 1) -> None:
    """Copy both ways until the server closes. `reading` and `writing` are file descriptors.

    At the end of the input only our half of the connection is closed: pending answers still come.

    Raises:
        WorkError: The connection fails, or the engine does not admit us.
    """
    asyncio.run(_bridge(address, access, reading, writing))


async def _bridge(address: Address, access: Access, reading: int, writing: int) -> None:
    reader = asyncio.StreamReader()
    made = await call_within(address, access, lambda: _Streams(reader), CONNECT_SECONDS)
    try:
        _start_reading(reading, made.writer)
        if access.token is None:
            await _write(writing, _first(address, await reader.read(CHUNK)))
        while data := await reader.read(CHUNK):
            await _write(writing, data)
    except (ConnectionResetError, BrokenPipeError):  # one end is gone, which is a normal end
        return
    except OSError as error:
        raise WorkError(f"{address}: {reason(error)}") from None
    finally:
        made.writer.close()


class _Streams(asyncio.StreamReaderProtocol):
    """Feeds a reader with the bytes of the connection, and has the writer."""

    writer: asyncio.StreamWriter

    def __init__(self, reader: asyncio.StreamReader) -> None:
        super().__init__(reader)
        self._source = reader

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Make the writer."""
        super().connection_made(transport)
        assert isinstance(transport, asyncio.WriteTransport)
        self.writer = asyncio.StreamWriter(transport, self, self._source, asyncio.get_running_loop())


def _first(address: Address, data: bytes) -> bytes:
    """Return the first bytes of an engine that was sent no token, unless they are a refusal."""
    if data.startswith(REFUSED.encode()):
        why = data.splitlines()[0].removeprefix(REFUSED.encode()).decode(errors="backslashreplace")
        raise WorkError(f"{address} did not admit us: {printable(why)}; --token-file F sends a token")
    return data


async def _write(writing: int, data: bytes) -> None:
    """Write all of it; a reader that does not read delays no bytes of the other direction."""
    if len(data) <= select.PIPE_BUF and select.select([], [writing], [], 0)[1]:
        _write_all(writing, data)
    else:
        await asyncio.to_thread(_write_all, writing, data)


def _write_all(writing: int, data: bytes) -> None:
    while data:
        data = data[os.write(writing, data) :]


def _start_reading(reading: int, writer: asyncio.StreamWriter) -> None:
    """Send the input from a thread, which the end of the process does not wait for."""
    is_tls = writer.get_extra_info("sslcontext") is not None
    copy = _by_the_loop(reading, writer) if is_tls else _directly(reading, writer)
    threading.Thread(target=copy, name="bridge", daemon=True).start()


def _directly(reading: int, writer: asyncio.StreamWriter) -> Callable[[], None]:
    """Return the work of a thread that writes to the socket itself, from which the loop only reads."""
    link = socket.socket(fileno=os.dup(writer.get_extra_info("socket").fileno()))
    link.settimeout(LONGEST_SECONDS)

    def work() -> None:
        with suppress(OSError), link:  # the server is gone; the other direction notices
            while data := os.read(reading, CHUNK):
                link.sendall(data)
            link.shutdown(socket.SHUT_WR)

    return work


def _by_the_loop(reading: int, writer: asyncio.StreamWriter) -> Callable[[], None]:
    """Return the work of a thread that has the loop write: only one thread may use a connection with TLS."""
    loop = asyncio.get_running_loop()

    async def send(data: bytes) -> None:
        writer.write(data)
        await writer.drain()

    def work() -> None:
        with suppress(OSError, RuntimeError, CancelledError):  # the server is gone, or the loop has ended
            while data := os.read(reading, CHUNK):
                asyncio.run_coroutine_threadsafe(send(data), loop).result()
            loop.call_soon_threadsafe(loop.call_later, LAST_ANSWERS_SECONDS, writer.close)

    return work
