"""The carriers of a session's bytes: a TCP connection, or the pipes of a program."""

from __future__ import annotations

import asyncio
import errno
import os
from asyncio.trsock import TransportSocket
from collections.abc import Callable
from contextlib import suppress
from typing import cast

from fiedler.client.child import Child
from fiedler.client.pipes import is_readable
from fiedler.support.address import reason
from fiedler.support.keep_alive import CHECK_SECONDS, check, is_mute, keep_alive
from fiedler.support.transport import abort

CLOSE_GRACE_S = 0.5
"""Most seconds of a program from `quit` to its exit."""
GONE = "gave no sign of life"
"""The reason of the end of a connection to a peer that is gone without a word."""


class Socket(asyncio.Protocol):
    """The carrier of a session over TCP."""

    def __init__(self, on_data: Callable[[bytes], None], on_end: Callable[[str], None]) -> None:
        """Call `on_data` with all data, and `on_end` once with the reason of their end."""
        self.receiver = on_data, on_end
        """The two functions; others may take their place between two portions."""
        self._transport: asyncio.Transport | None = None
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done at the end of the connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)  # that of uvloop is not a subclass

    def data_received(self, data: bytes) -> None:
        """Pass bytes on."""
        self.receiver[0](data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Report the end of the connection."""
        self.receiver[1]("closed the connection" if exc is None else f"broke the connection: {reason(exc)}")
        if not self.closed.done():
            self.closed.set_result(None)

    def keep_alive(self) -> None:
        """Notice a peer that is gone without a word, also while nothing is sent."""
        with suppress(OSError):  # the connection has ended already
            keep_alive(self._link)

    def check(self) -> bool:
        """Return whether the peer is probably gone; else it is asked for a sign of life, within CHECK_SECONDS."""
        try:
            if is_mute(self._link):
                return True
            check(self._link)
        except OSError:
            return True
        asyncio.get_running_loop().call_later(CHECK_SECONDS, self.keep_alive)
        return False

    def lose(self) -> None:
        """Cut a connection whose peer is gone."""
        report, self.receiver = self.receiver[1], (_drop, _drop)
        report(GONE)
        self.abort()

    @property
    def _link(self) -> TransportSocket:
        assert self._transport is not None
        link: TransportSocket | None = self._transport.get_extra_info("socket")
        if link is None:
            raise OSError(errno.ENOTCONN, os.strerror(errno.ENOTCONN))
        return link

    def write(self, data: bytes) -> None:
        """Send bytes; a connection that has ended takes none."""
        assert self._transport is not None
        if not self._transport.is_closing():  # uvloop raises on a closing one
            self._transport.write(data)

    def pause_reading(self) -> None:
        """Read nothing more for now."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Read again."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def has_unread(self) -> bool:
        """Return whether bytes, or their end, have come that nobody has read."""
        try:
            return is_readable(self._link.fileno())
        except (OSError, ValueError):  # ValueError: it is closed, and has no number
            return False

    def abort(self) -> None:
        """Cut the connection."""
        if self._transport is not None:
            abort(self._transport)

    async def close(self) -> None:
        """Close the connection once everything is written; a player that does not read is cut off."""
        assert self._transport is not None
        self._transport.close()
        await asyncio.wait({self.closed}, timeout=CLOSE_GRACE_S)
        abort(self._transport)


class Pipes:
    """The carrier of a session on the standard input and output of a process."""

    def __init__(self, process: Child) -> None:
        self._process = process
        self.write = process.write
        self.pause_reading, self.resume_reading = process.pause_reading, process.resume_reading
        self.has_unread = process.has_unread

    def abort(self) -> None:
        """Kill the program."""
        self._process.kill()

    async def close(self) -> None:
        """Close the program's input, wait a moment for its exit, then kill it."""
        self._process.close_input()
        await self._process.end(CLOSE_GRACE_S)


def _drop(_: bytes | str) -> None:
    """Take nothing more."""
