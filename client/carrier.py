"""The carrier of bytes to an engine: a connection, or the pipes of a program."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from client.call import Access, call_within
from client.errors import EngineGoneError
from client.program import EngineProgram
from support.address import LOOPBACK, Address, reason
from support.listener import listener
from support.transport import abort

PORT_PLACE = "{port}"
"""The place of our port in the command of a program that connects to us."""
PORTION = 2**16
"""Most bytes of one read."""
logger = logging.getLogger(__name__)


class _Reader(asyncio.StreamReader):
    """A reader whose bytes are read before the error that ended them: they may have the reason."""

    failure: Exception | None = None

    def set_exception(self, exc: Exception) -> None:
        """Note the error, for after the bytes."""
        self.failure = exc
        self.feed_eof()

    async def portion(self) -> bytes:
        """Return the next bytes, none at the end.

        Raises:
            OSError: The connection is lost, and its bytes have been read.
        """
        data = await self.read(PORTION)
        if not data and self.failure is not None:
            raise self.failure
        return data


class _Connection(asyncio.StreamReaderProtocol):
    """Feeds a reader with the bytes of a connection."""

    transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.transport = cast("asyncio.Transport", transport)  # that of uvloop is not a subclass
        super().connection_made(transport)


class EngineCarrier:
    """Bytes to an engine and back.

    Raises:
        OSError: By `receive`, if the connection is lost.
    """

    def __init__(
        self,
        name: str,
        reader: _Reader,
        reading: asyncio.BaseTransport,
        writing: asyncio.WriteTransport,
        program: EngineProgram | None = None,
    ) -> None:
        """`reading` feeds the `reader`; a connection is `writing`, too."""
        self.name = name
        """The address or the command, as the user wrote it."""
        self.program = program
        """The program, if we started it."""
        self._reader = reader
        self._reading = reading
        self._writing = writing

    def send(self, data: bytes) -> None:
        """Send bytes; what a dead program cannot read is dropped."""
        logger.debug("> %s %r", self.name, data)
        if self.program is not None:
            self.program.note_request()
        self._writing.write(data)

    async def receive(self) -> bytes:
        """Return the next bytes, none at the end."""
        data = await self._reader.portion()
        logger.debug("< %s %r", self.name, data)
        return data

    async def end_message(self) -> str:
        """Return in a few words how the engine ended; only after the end."""
        return "closed the connection" if self.program is None else await self.program.end_message()

    async def close(self) -> None:
        """Close the input of the engine; give a program a moment to end."""
        self._writing.close()
        try:
            if self.program is not None:
                await self.program.close()
        finally:
            if self._reading is self._writing:  # it may have bytes that the peer does not take
                abort(self._writing)
            self._reading.close()
            await asyncio.sleep(0)  # the loop closes them


async def connected(address: Address, access: Access, seconds: float) -> EngineCarrier:
    """Connect to an engine behind a port, and ask for admission if there is a token.

    Raises:
        EngineError: As `call_within`.
    """
    reader = _Reader()
    made = await call_within(address, access, lambda: _Connection(reader), seconds)
    return EngineCarrier(str(address), reader, made.transport, made.transport)


async def piped(command: Sequence[str], name: str, folder: Path | None) -> EngineCarrier:
    """Start a program that speaks on its standard streams.

    Raises:
        UsageError: It cannot be started.
    """
    program = EngineProgram(command, folder, pipes=True)
    loop, reader = asyncio.get_running_loop(), _Reader()
    try:
        await program.listen()
        reading, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), program.process.stdout)
        writing, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, program.process.stdin)
    except BaseException:
        program.kill()
        await program.close()
        raise
    return EngineCarrier(name, reader, reading, writing, program)


async def called(address: Address, seconds: float) -> EngineCarrier:
    """Listen at an address until an engine connects.

    Raises:
        EngineGoneError: The address cannot be used, or nobody connects within `seconds`.
    """
    with _listening(address) as listening:
        return await _accepted(listening, str(address), seconds)


async def calling(command: Sequence[str], name: str, folder: Path | None, seconds: float) -> EngineCarrier:
    """Start a program that connects to us, at the port in place of PORT_PLACE.

    Raises:
        EngineGoneError: It does not connect within `seconds`.
        UsageError: It cannot be started.
    """
    with _listening(Address(LOOPBACK, 0)) as listening:
        port = str(listening.getsockname()[1])
        program = EngineProgram([word.replace(PORT_PLACE, port) for word in command], folder, pipes=False)
        try:
            await program.listen()
            return await _accepted(listening, name, seconds, program)
        except BaseException:
            program.kill()
            await program.close()
            raise


def _listening(address: Address) -> socket.socket:
    try:
        return listener(address)
    except (OSError, UnicodeError) as error:
        raise EngineGoneError(f"cannot listen on {address}: {reason(error)}") from None


async def _accepted(
    listening: socket.socket, name: str, seconds: float, program: EngineProgram | None = None
) -> EngineCarrier:
    """Wait for a connection, or for the end of the program."""
    loop, reader = asyncio.get_running_loop(), _Reader()
    accepting = asyncio.ensure_future(loop.sock_accept(listening))
    deadline = loop.time() + seconds
    try:
        while not accepting.done() and loop.time() < deadline:
            await asyncio.wait({accepting}, timeout=min(0.05, max(0.0, deadline - loop.time())))
            if program is not None and program.process.poll() is not None and not accepting.done():
                message = f"{name} {await program.end_message()}; it did not connect"
                raise EngineGoneError(message, program.error_line)
        if not accepting.done():
            raise EngineGoneError(f"{name} did not connect within {seconds:g} s")
    finally:
        accepting.cancel()
    link, _ = accepting.result()
    transport, _ = await loop.connect_accepted_socket(lambda: asyncio.StreamReaderProtocol(reader), link)
    return EngineCarrier(name, reader, transport, transport, program)
