"""A program as a child process in its own group: its start, its pipes, its last words, its end."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from fiedler.client.errors import EngineGoneError
from fiedler.client.exit_handle import exit_handle
from fiedler.client.pipes import ReadEnd, WriteEnd
from fiedler.support.errors import UsageError, system_reason
from fiedler.support.exit_message import STDERR_KEPT, error_line, exit_message
from fiedler.support.programs import start_program
from fiedler.support.reaper import Reaper, kill_group, new_mark
from fiedler.support.start_failure import start_failure

EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC, errno.ENOBUFS}
"""Errors of a machine that is out of resources; no player's fault."""
KILL_GRACE_S = 1.0
"""Seconds until a killed process is gone."""
BURST, BURST_REST_S = 4096, 0.01
"""The bytes at once on standard error that are followed by a rest of this time: the loop belongs to others, too."""
DRAIN_S = 0.1
"""Seconds to read the last output of a process that has exited while something keeps its pipes open."""


class StartError(UsageError):
    """A program cannot be started; the message has the reason."""


class ExhaustedError(EngineGoneError):
    """The machine is out of resources; the failure is not the program's."""


class Child:
    """A child: made first, then started. Callbacks come from the event loop; nothing here blocks.

    The subprocesses of the event loop are not used: those of uvloop pass some of our file handles to the child, which
    then cannot close its output.
    """

    def __init__(
        self,
        reaper: Reaper,
        on_output: Callable[[bytes], None] | None = None,
        on_end: Callable[[str], None] | None = None,
        on_stderr: Callable[[bytes], None] | None = None,
    ) -> None:
        """With `on_output` its standard streams are pipes; `on_end` is called when it has closed its output.

        `on_stderr` gets its standard error, and no bytes at its end.
        """
        self._on_stderr = on_stderr
        self._on_output = on_output
        self._on_end = on_end
        self.exited: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._loop = asyncio.get_running_loop()
        self._words = bytearray()
        self.stderr_bytes = 0
        """Bytes that it has written on standard error."""
        self._reaper = reaper
        self._child: subprocess.Popen[bytes] | None = None
        self._input: WriteEnd | None = None
        self._outputs: list[ReadEnd] = []
        """Those of standard error and, with `on_output`, of standard output."""
        self._handle = -1

    def start(
        self, command: Sequence[str], folder: str | Path | None = None, cores: frozenset[int] | None = None
    ) -> None:
        """Start it in `folder`, or here, on these cores or on any; the reaper ends it if this process dies.

        Raises:
            StartError: The program does not exist, or the file is not a program.
            ExhaustedError: The machine has no process, memory or file handle left.
            UsageError: This system cannot wait for the end of programs.
        """
        try:
            self._start(command, folder, cores)
        except OSError as error:
            raise _start_error(command[0], error, folder) from error
        except ValueError as error:  # a null byte among its arguments
            raise StartError(f"cannot start {command[0]!r}: {error}") from error

    def _start(self, command: Sequence[str], folder: str | Path | None, cores: frozenset[int] | None) -> None:
        mark = new_mark()
        child = start_program(command, folder, pipes=self._on_output is not None, mark=mark)
        self._reaper.watch(child.pid, mark)
        try:
            if cores is not None:
                with suppress(ProcessLookupError):
                    os.sched_setaffinity(child.pid, cores)  # before it starts threads
            self._handle = exit_handle(child.pid)
        except (OSError, UsageError):
            with child:  # closes its pipes, and waits for its end
                kill_group(child.pid)
            self._reaper.forget(child.pid)
            raise
        self._child = child
        assert child.stderr is not None
        self._outputs.append(ReadEnd(child.stderr, self._keep, self._settle))
        if self._on_output is not None:
            assert child.stdin is not None
            assert child.stdout is not None
            self._input = WriteEnd(child.stdin)
            self._outputs.append(ReadEnd(child.stdout, self._on_output, self._output_ended))
        self._loop.add_reader(self._handle, self._child_exited)

    @property
    def process(self) -> int:
        """The number of its process, once it is started."""
        assert self._child is not None
        return self._child.pid

    def write(self, data: bytes) -> None:
        """Send bytes to its standard input; what a dead process cannot read is dropped."""
        if self._input is not None:
            self._input.write(data)

    def pause_reading(self) -> None:
        """Leave its standard output in the pipe."""
        for output in self._outputs[1:]:
            output.pause()

    def resume_reading(self) -> None:
        """Read its standard output again."""
        for output in self._outputs[1:]:
            output.resume()

    def has_unread(self) -> bool:
        """Return whether there is standard output that nobody has read."""
        return any(output.has_unread for output in self._outputs[1:])

    @property
    def has_unsent(self) -> bool:
        """Whether its standard input has not taken all bytes yet."""
        return self._input is not None and self._input.has_unsent

    def close_input(self) -> None:
        """Close its standard input; it can read all that was written."""
        if self._input is not None:
            self._input.close()

    def close_output(self) -> None:
        """Close our end of its standard output."""
        for output in self._outputs[1:]:
            output.close()

    @property
    def last_line(self) -> str:
        """Its last line on standard error; empty if there is none."""
        return error_line(self._words)

    def stderr_since(self, before: int) -> str:
        """Return its last line on standard error after the first `before` bytes; empty if there is none."""
        new = self.stderr_bytes - before
        return error_line(self._words[-new:]) if new else ""

    @property
    def exit_message(self) -> str:
        """How it ended: `exited with status 3, saying: ValueError: no model`."""
        return exit_message(self.exited.result(), self._words)

    async def ends_within(self, seconds: float) -> bool:
        """Return whether it ends by itself within a time."""
        if not self.exited.done():
            await asyncio.wait({self.exited}, timeout=seconds)
        return self.exited.done()

    def kill(self) -> None:
        """Kill it and its group."""
        if self._child is not None and not self.exited.done():
            kill_group(self._child.pid)

    async def end(self, grace: float) -> None:
        """Wait `grace` seconds for its end, then kill its group."""
        try:
            if grace:
                await self.ends_within(grace)
        finally:
            self.kill()
        await self.ends_within(KILL_GRACE_S)
        self._let_go()
        if self._on_stderr is not None:
            self._on_stderr(b"")

    def _keep(self, words: bytes) -> None:
        """Keep the end of standard error."""
        if self._on_stderr is not None:
            self._on_stderr(words)
        if len(words) > BURST:
            self._outputs[0].pause()
            self._loop.call_later(BURST_REST_S, self._outputs[0].resume)
        self._words += words
        self.stderr_bytes += len(words)
        del self._words[:-STDERR_KEPT]

    def _output_ended(self) -> None:
        if self._on_end is not None:
            self._on_end("closed its output")
        self._settle()

    def _child_exited(self) -> None:
        """Kill what is left of the group of an exited child, then wait a moment for its last output."""
        assert self._child is not None
        self._loop.remove_reader(self._handle)
        os.close(self._handle)
        kill_group(self._child.pid)
        self._child.wait()
        self._reaper.forget(self._child.pid)
        self._loop.call_later(DRAIN_S, self._set_exited)
        self._settle()

    def _settle(self) -> None:
        """Set `exited` once the child has exited and all its pipes are read to the end."""
        assert self._child is not None
        if self._child.returncode is not None and all(output.is_closed for output in self._outputs):
            self._set_exited()

    def _set_exited(self) -> None:
        assert self._child is not None
        if not self.exited.done():
            self.exited.set_result(self._child.returncode)
        self._let_go()

    def _let_go(self) -> None:
        for output in self._outputs:
            output.close()
        if self._input is not None:
            self._input.close()


class LoneChild(Child):
    """A child with a reaper of its own, for a process that has few."""

    def __init__(
        self, on_output: Callable[[bytes], None] | None = None, on_end: Callable[[str], None] | None = None
    ) -> None:
        super().__init__(Reaper(), on_output, on_end)

    def start(
        self, command: Sequence[str], folder: str | Path | None = None, cores: frozenset[int] | None = None
    ) -> None:
        """Start it, or end the reaper; raises as `Child.start`."""
        try:
            super().start(command, folder, cores)
        except BaseException:
            self._reaper.close()
            raise

    async def end(self, grace: float) -> None:
        """Wait `grace` seconds for its end, then kill its group, and what has left the group."""
        try:
            await super().end(grace)
        finally:
            await asyncio.to_thread(self._reaper.close)


def _start_error(program: str, error: OSError, folder: str | Path | None) -> Exception:
    if error.errno in EXHAUSTED:
        return ExhaustedError(f"this machine cannot start {program!r} now: {system_reason(error)}")
    return StartError(start_failure(program, error, folder))
