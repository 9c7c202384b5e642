"""Our ends of a program's pipes, read and written directly.

A transport of the event loop does the same with more calls, which are half of the cost of a ply. Bytes are passed on
in the call that reads them, and written in the call that sends them.
"""

from __future__ import annotations

import asyncio
import os
import select
from collections.abc import Callable
from typing import IO

PORTION = 65536
"""Most bytes of one read."""


class ReadEnd:
    """The reading end of a program's output."""

    def __init__(self, pipe: IO[bytes], on_data: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        """Call `on_data` with all data, and `on_end` once at their end."""
        self._pipe = pipe
        self._number = pipe.fileno()
        self._on_data = on_data
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        os.set_blocking(self._number, False)
        self._loop.add_reader(self._number, self._read)

    @property
    def is_closed(self) -> bool:
        """Whether no more data will come."""
        return self._pipe.closed

    def pause(self) -> None:
        """Leave further data in the pipe."""
        if not self._pipe.closed:
            self._loop.remove_reader(self._number)

    def resume(self) -> None:
        """Read again."""
        if not self._pipe.closed:
            self._loop.add_reader(self._number, self._read)

    @property
    def has_unread(self) -> bool:
        """Whether the pipe has data, or their end."""
        return not self._pipe.closed and is_readable(self._number)

    def close(self) -> None:
        """Stop reading. May be called again."""
        if not self._pipe.closed:
            self._loop.remove_reader(self._number)
            self._pipe.close()
            self._loop.call_soon(self._on_end)

    def _read(self) -> None:
        if self._pipe.closed:  # in the same round of the loop
            return
        try:
            data = os.read(self._number, PORTION)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self._on_data(data)
        else:
            self.close()


class WriteEnd:
    """The writing end of a program's input."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._number = pipe.fileno()
        self._unsent = bytearray()
        self._loop = asyncio.get_running_loop()
        os.set_blocking(self._number, False)

    def write(self, data: bytes) -> None:
        """Send bytes; those that a full pipe does not take are sent later, those without a reader are dropped."""
        if self._unsent:
            self._unsent += data
            return
        if self._pipe.closed:
            return
        try:
            sent = os.write(self._number, data)
        except OSError as error:
            sent = self._failed(error, data)
        if sent < len(data):
            self._unsent += data[sent:]
            self._loop.add_writer(self._number, self._write_rest)

    @property
    def has_unsent(self) -> bool:
        """Whether the pipe has not taken all bytes yet."""
        return bool(self._unsent)

    def close(self) -> None:
        """Close the pipe and drop unsent bytes. May be called again."""
        if not self._pipe.closed:
            self._unsent.clear()
            self._loop.remove_writer(self._number)
            self._pipe.close()

    def _sent(self, data: bytes | bytearray) -> int:
        """Write what the pipe takes; return the number of bytes, all of them if the reader is gone."""
        try:
            return os.write(self._number, data)
        except OSError as error:
            return self._failed(error, data)

    def _failed(self, error: OSError, data: bytes | bytearray) -> int:
        if isinstance(error, BlockingIOError):
            return 0
        self.close()
        return len(data)

    def _write_rest(self) -> None:
        if self._unsent:
            del self._unsent[: self._sent(self._unsent)]
        if not self._unsent and not self._pipe.closed:
            self._loop.remove_writer(self._number)


def is_readable(number: int) -> bool:
    """Return whether a file descriptor has data, or their end."""
    look = select.poll()
    look.register(number, select.POLLIN)
    return bool(look.poll(0))
