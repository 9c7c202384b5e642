"""The program of an engine: a process group that ends with this process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from support.errors import UsageError
from support.exit_message import STDERR_KEPT, error_line, exit_message
from support.programs import start_program
from support.reaper import Reaper, kill_group, new_mark
from support.start_failure import start_failure

QUIT_SECONDS = 1.0
"""The time for a program to end after `quit`, before it is killed."""
BURST, BURST_REST_SECONDS = 4096, 0.01
"""The bytes at once on standard error that are followed by a rest of this time: the loop belongs to others, too."""
_PAUSE_SECONDS = 0.005
"""The time between two looks at a program that shall end."""


class EngineProgram(asyncio.Protocol):
    """A started program. As a protocol of asyncio it receives the standard error."""

    def __init__(self, command: Sequence[str], folder: Path | None, *, pipes: bool) -> None:
        """Start it in `folder`, or here; with `pipes` its input and output are pipes, otherwise they are closed.

        Raises:
            UsageError: It cannot be started.
        """
        if folder is not None and not folder.is_dir():
            raise UsageError(f"folder: expected a directory, got {str(folder)!r}")
        try:
            self.process = start_program(command, folder, pipes=pipes, mark=(mark := new_mark()))
        except OSError as error:
            raise UsageError(start_failure(command[0], error, folder)) from None
        except ValueError as error:  # a null byte among its arguments
            raise UsageError(f"cannot start {command[0]!r}: {error}") from None
        self._reaper = Reaper()
        self._reaper.watch(self.process.pid, mark)
        self._stderr = bytearray()
        self._total = self._total_before = 0
        self._transport: asyncio.ReadTransport | None = None
        self._stderr_ended = asyncio.Event()

    async def listen(self) -> None:
        """Begin to read its standard error."""
        self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: self, self.process.stderr)

    def data_received(self, data: bytes) -> None:
        """Keep the end of its standard error."""
        self._stderr += data
        self._total += len(data)
        del self._stderr[:-STDERR_KEPT]
        if len(data) > BURST:
            self._listen(on=False)
            asyncio.get_running_loop().call_later(BURST_REST_SECONDS, lambda: self._listen(on=True))

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's name
        """Note the end of its standard error."""
        self._stderr_ended.set()

    def note_request(self) -> None:
        """Note that a request is sent: earlier standard error does not explain its failure."""
        self._total_before = self._total

    @property
    def complaint(self) -> str:
        """Its output on standard error since the last request, as one line; empty if there is none."""
        new = self._total - self._total_before
        return error_line(self._stderr[-new:]) if new else ""

    @property
    def error_line(self) -> str:
        """The last line on standard error that names an error, or else the last line."""
        return error_line(self._stderr)

    async def end_message(self) -> str:
        """Return how it ended, once it has closed its output."""
        if not await self._ends_within(QUIT_SECONDS):
            return "closed its output"
        with suppress(TimeoutError):  # a descendant keeps it open
            async with asyncio.timeout(QUIT_SECONDS):
                await self._stderr_ended.wait()
        return exit_message(self.process.returncode or 0, self._stderr)

    async def close(self) -> None:
        """Wait a moment for its end, then kill it and its descendants."""
        try:
            await self._ends_within(QUIT_SECONDS)
        finally:
            self.kill()
            self.process.wait()
            self._reaper.forget(self.process.pid)
            await asyncio.to_thread(self._reaper.close)  # it ends what the program has left behind
            if self._transport is not None:
                self._transport.close()

    def kill(self) -> None:
        """Kill it and its descendants."""
        kill_group(self.process.pid)

    def _listen(self, *, on: bool) -> None:
        transport = self._transport
        if transport is not None and not transport.is_closing():
            (transport.resume_reading if on else transport.pause_reading)()

    async def _ends_within(self, seconds: float) -> bool:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while self.process.poll() is None and loop.time() < deadline:  # noqa: ASYNC110 - no event for a child's end
            await asyncio.sleep(_PAUSE_SECONDS)
        return self.process.returncode is not None
