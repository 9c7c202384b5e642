"""The carrier of bytes to an engine: a connection, or the pipes of a program."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from fiedler.client.answer import NoCallError, accepted, listening, port_of
from fiedler.client.call import Access, call_within
from fiedler.client.child import Child, LoneChild
from fiedler.client.command import filled
from fiedler.client.errors import EngineGoneError
from fiedler.support.address import Address
from fiedler.support.errors import UsageError
from fiedler.support.transport import abort

PORTION = 2**16
"""Most bytes of one read."""
QUIT_SECONDS = 1.0
"""The time for a program to end after `quit`, before it is killed."""
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
        self, name: str, reader: _Reader, connection: asyncio.Transport | None, child: Child | None = None
    ) -> None:
        """Without a `connection` the bytes go over the pipes of the `child`."""
        self.name = name
        """The address or the command, as the user wrote it."""
        self.child = child
        """The program, if we started it."""
        self._reader = reader
        self._connection = connection
        self._stderr_before = 0

    def send(self, data: bytes) -> None:
        """Send bytes; what a dead program cannot read is dropped."""
        logger.debug("> %s %r", self.name, data)
        if self.child is not None:
            self._stderr_before = self.child.stderr_bytes
        if self._connection is not None:
            self._connection.write(data)
        elif self.child is not None:
            self.child.write(data)

    @property
    def has_unsent(self) -> bool:
        """Whether the engine has not taken all bytes yet."""
        if self._connection is not None:
            return self._connection.get_write_buffer_size() > 0
        return self.child is not None and self.child.has_unsent

    @property
    def is_lost(self) -> bool:
        """Whether there is a connection no more."""
        return self._connection is not None and self._connection.is_closing()

    async def receive(self) -> bytes:
        """Return the next bytes, none at the end."""
        data = await self._reader.portion()
        logger.debug("< %s %r", self.name, data)
        return data

    @property
    def complaint(self) -> str:
        """The program's last line on standard error since `send`; empty if there is none."""
        return "" if self.child is None else self.child.stderr_since(self._stderr_before)

    @property
    def error_line(self) -> str:
        """The program's last line on standard error that names an error, or else the last line; empty without one."""
        return "" if self.child is None else self.child.last_line

    async def end_message(self) -> str:
        """Return in a few words how the engine ended; only after the end."""
        if self.child is None:
            return "closed the connection"
        return self.child.exit_message if await self.child.ends_within(QUIT_SECONDS) else "closed its output"

    def end_input(self) -> None:
        """End our half of the conversation; the engine may still answer. Over TLS there are no halves."""
        if self._connection is None and self.child is not None:
            self.child.close_input()
        elif self._connection is not None and self._connection.can_write_eof():
            self._connection.write_eof()

    def hang_up(self) -> None:
        """Cut the connection, or close the pipes, without a word; a program still runs."""
        if self._connection is not None:
            abort(self._connection)
        elif self.child is not None:
            self.child.close_input()
            self.child.close_output()

    async def close(self) -> None:
        """Close the input of the engine; give a program a moment to end."""
        if self._connection is not None:
            self._connection.close()
        elif self.child is not None:
            self.child.close_input()
        try:
            if self.child is not None:
                await self.child.end(QUIT_SECONDS)
        finally:
            if self._connection is not None:  # it may have bytes that the peer does not take
                abort(self._connection)
            await asyncio.sleep(0)  # the loop closes it


async def connected(address: Address, access: Access, seconds: float) -> EngineCarrier:
    """Connect to an engine behind a port, and ask for admission if there is a token.

    Raises:
        EngineError: As `call_within`.
    """
    reader = _Reader()
    made = await call_within(address, access, lambda: _Connection(reader), seconds)
    return EngineCarrier(str(address), reader, made.transport)


async def piped(command: Sequence[str], name: str, folder: Path | None) -> EngineCarrier:
    """Start a program that speaks on its standard streams.

    Raises:
        UsageError: It cannot be started.
        EngineGoneError: This machine is out of resources.
    """
    _check(folder)
    reader = _Reader()
    child = LoneChild(reader.feed_data, lambda _: reader.feed_eof())
    child.start(command, folder)
    reader.set_transport(cast("asyncio.Transport", child))  # it pauses and resumes reading
    return EngineCarrier(name, reader, None, child)


async def called(address: Address, seconds: float) -> EngineCarrier:
    """Listen at an address until an engine connects.

    Raises:
        EngineGoneError: The address cannot be used, or nobody connects within `seconds`.
    """
    with listening(address) as door:
        try:
            return await answered(door, str(address), seconds)
        except TimeoutError:
            raise _did_not_connect(str(address), seconds) from None


async def calling(command: Sequence[str], name: str, folder: Path | None, seconds: float) -> EngineCarrier:
    """Start a program that connects to us, at the port in its place in the command.

    Raises:
        EngineGoneError: It does not connect within `seconds`, or this machine is out of resources.
        UsageError: It cannot be started.
    """
    _check(folder)
    with listening() as door:
        child = caller(command, folder, port_of(door))
        try:
            return await answered(door, name, seconds, child)
        except TimeoutError:
            raise _did_not_connect(name, seconds) from None
        except NoCallError as error:
            raise EngineGoneError(f"{name} {error}", child.last_line) from None


def caller(command: Sequence[str], folder: Path | None, port: int) -> Child:
    """Start a program that connects to a port of ours; raises as `Child.start`."""
    child = LoneChild()
    child.start(filled(command, port), folder)
    return child


async def answered(door: socket.socket, name: str, seconds: float, child: Child | None = None) -> EngineCarrier:
    """Wait for a connection at a port of ours. The `child` that shall connect is ended if it does not.

    Raises:
        TimeoutError: Nobody connects within `seconds`.
        NoCallError: The program ends first.
    """
    reader, loop = _Reader(), asyncio.get_running_loop()
    try:
        async with asyncio.timeout(seconds):
            link = await accepted(door, child)
        transport, _ = await loop.connect_accepted_socket(lambda: asyncio.StreamReaderProtocol(reader), link)
    except BaseException:
        if child is not None:
            await child.end(0.0)
        raise
    return EngineCarrier(name, reader, transport, child)


def _did_not_connect(name: str, seconds: float) -> EngineGoneError:
    return EngineGoneError(f"{name} did not connect within {seconds:g} s")


def _check(folder: Path | None) -> None:
    if folder is not None and not folder.is_dir():
        raise UsageError(f"folder: expected a directory, got {str(folder)!r}")
