"""Our ends of a program's pipes, read and written directly.

A transport of the event loop does the same with more calls on the way, which is half of what a ply costs. Bytes are
handed on in the call that reads them, and written in the call that sends them.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import IO

PORTION = 65536
"""most bytes that are read at once"""


class ReadEnd:
    """What a program says."""

    def __init__(self, pipe: IO[bytes], on_data: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        """Tell `on_data` what comes, and `on_end`, once, that nothing more does."""
        self._pipe = pipe
        self._number = pipe.fileno()
        self._on_data = on_data
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        os.set_blocking(self._number, False)
        self._loop.add_reader(self._number, self._read)

    @property
    def is_closed(self) -> bool:
        """Whether nothing more comes."""
        return self._pipe.closed

    def close(self) -> None:
        """Read no more. May be called again."""
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
    """What a program hears."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._number = pipe.fileno()
        self._unsent = bytearray()
        self._loop = asyncio.get_running_loop()
        os.set_blocking(self._number, False)

    def write(self, data: bytes) -> None:
        """Send bytes, or keep what the pipe does not hold until it does; what nobody can read is dropped."""
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
            self._loop.add_writer(self._number, self._write_on)

    def close(self) -> None:
        """Close it, whatever has not been sent. May be called again."""
        if not self._pipe.closed:
            self._unsent.clear()
            self._loop.remove_writer(self._number)
            self._pipe.close()

    def _sent(self, data: bytes | bytearray) -> int:
        """Write what the pipe takes; return how many bytes that were, all of them where nobody reads any more."""
        try:
            return os.write(self._number, data)
        except OSError as error:
            return self._failed(error, data)

    def _failed(self, error: OSError, data: bytes | bytearray) -> int:
        if isinstance(error, BlockingIOError):
            return 0
        self.close()
        return len(data)

    def _write_on(self) -> None:
        if self._unsent:
            del self._unsent[: self._sent(self._unsent)]
        if not self._unsent and not self._pipe.closed:
            self._loop.remove_writer(self._number)
