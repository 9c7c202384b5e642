"""A link to the engine: bytes to it and back, in calls that wait."""

from __future__ import annotations

import asyncio
import shlex
import socket
from collections.abc import Awaitable, Callable, Sequence

from fiedler.client.answer import NoCallError, accepted, listening, port_of
from fiedler.client.call import Access
from fiedler.client.carrier import EngineCarrier, answered, caller, connected, piped
from fiedler.client.child import StartError
from fiedler.client.command import PORT_PLACE, has_place
from fiedler.client.loop_thread import LoopThread
from fiedler.support.address import Address
from fiedler.support.errors import UsageError

SEND_SECONDS = 10.0
"""The time for a peer to take the sent bytes; only a peer that does not read exceeds it."""
LOOK_SECONDS = 0.005
"""The time between two looks whether it has taken them."""


class Link:
    """Bytes to an engine and back. A thread of its own has the connection, or the program."""

    def __init__(self, way: Callable[[], Awaitable[EngineCarrier]]) -> None:
        """Open the link; raises as the `way`."""
        self._thread = LoopThread()
        try:
            self._carrier = self._thread.run(_opened(way))
        except BaseException:
            self._thread.close()
            raise

    @property
    def process(self) -> int | None:
        """The number of the program's process, if we started it."""
        return None if self._carrier.child is None else self._carrier.child.process

    def send(self, data: bytes) -> None:
        """Send all of it; `receive` finds the end of a program that reads no more.

        Raises:
            TimeoutError: The engine does not take it.
            OSError: The connection is lost.
        """
        self._thread.run(self._send(data))

    def receive(self, seconds: float) -> bytes:
        """Return the next bytes, none at the end.

        Raises:
            TimeoutError: Nothing has come within `seconds`.
            OSError: The connection is lost.
        """
        return self._thread.run(self._receive(seconds))

    def end(self) -> str:
        """Return in a few words how the engine ended; only after the end, before `close`."""
        return self._thread.run(self._carrier.end_message())

    @property
    def stderr_bytes(self) -> int:
        """The number of bytes on the program's standard error so far."""
        return 0 if self._carrier.child is None else self._carrier.child.stderr_bytes

    def complaint(self) -> str:
        """Return the program's output on standard error since `send`, as one line; empty if there is none."""
        return self._carrier.complaint

    def end_input(self) -> None:
        """End our half of the conversation; the engine may still answer."""
        self._thread.run(_called(self._carrier.end_input))

    def hang_up(self) -> None:
        """Cut the connection without a word; `ends_within` and `close` may follow."""
        self._thread.run(_called(self._carrier.hang_up))

    def ends_within(self, seconds: float) -> bool:
        """Return whether the engine ends by itself within a time: the program, or its side of the connection."""
        return self._thread.run(self._ends_within(seconds))

    def close(self) -> None:
        """Let go of the engine; a program gets a moment to end."""
        if self._thread.is_running:
            try:
                self._thread.run(self._carrier.close())
            finally:
                self._thread.close()

    async def _send(self, data: bytes) -> None:
        self._carrier.send(data)
        async with asyncio.timeout(SEND_SECONDS):
            while self._carrier.has_unsent:  # noqa: ASYNC110 - no event: usually the system takes all at once
                await asyncio.sleep(LOOK_SECONDS)
        if self._carrier.is_lost:
            raise BrokenPipeError

    async def _receive(self, seconds: float) -> bytes:
        for _ in range(2):  # rounds of the loop: it finds what has come, and reads it
            await asyncio.sleep(0)
        async with asyncio.timeout(max(0.0, seconds)):
            return await self._carrier.receive()

    async def _ends_within(self, seconds: float) -> bool:
        if self._carrier.child is not None:
            return await self._carrier.child.ends_within(seconds)
        try:
            async with asyncio.timeout(seconds):
                while await self._carrier.receive():
                    pass
        except TimeoutError:
            return False
        except OSError:
            pass
        return True


class CallingLink(Link):
    """A program that connects to a port of its own, which is open before it starts. Its own output means nothing."""

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        """Start the program, and wait for its connection.

        Raises:
            UsageError: The command is wrong, or cannot start.
            NoCallError: The program exits first; the message has its end.
            TimeoutError: It does not connect within `seconds`.
        """
        if not has_place(command, PORT_PLACE):
            raise UsageError(f"COMMAND: expected {PORT_PLACE} in it: its program opens the connection")
        self._door = listening()
        try:
            super().__init__(lambda: _answered(self._door, command, seconds))
        except BaseException:
            self._door.close()
            raise

    def leaves_within(self, seconds: float) -> str:
        """Return how the program leaves a connection that has gone: it ends, or connects again; empty if neither."""
        return self._thread.run(self._leaves_within(seconds))

    def close(self) -> None:
        """Close the connection, then end the program."""
        super().close()
        self._door.close()

    async def _leaves_within(self, seconds: float) -> str:
        try:
            async with asyncio.timeout(seconds):
                (await accepted(self._door, self._carrier.child)).close()
        except NoCallError:
            return "it ended"
        except TimeoutError:
            return ""
        return "it connected again"


def port_link(address: Address, access: Access, seconds: float) -> Link:
    """Return a link to an engine behind a port.

    Raises:
        WorkError: It cannot be reached within `seconds`, or does not admit us.
    """
    return Link(lambda: connected(address, access, seconds))


def program_link(command: Sequence[str]) -> Link:
    """Return a link to a program that speaks on its standard streams.

    Raises:
        UsageError: It cannot start.
        WorkError: This machine is out of resources.
    """
    return Link(lambda: piped(command, shlex.join(command), None))


async def _opened(way: Callable[[], Awaitable[EngineCarrier]]) -> EngineCarrier:
    try:
        return await way()
    except StartError as error:
        raise UsageError(f"COMMAND: {error}") from None


async def _called(step: Callable[[], None]) -> None:
    step()


async def _answered(door: socket.socket, command: Sequence[str], seconds: float) -> EngineCarrier:
    return await answered(door, shlex.join(command), seconds, caller(command, None, port_of(door)))
