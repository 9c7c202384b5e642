"""A player's program as a child process in its own group: its pipes, its exit status, its last line."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from support.errors import WorkError
from support.exit_message import LAST_WORDS, story, telling_line
from support.reaper import Reaper, kill_group
from tournament.play.pipes import ReadEnd, WriteEnd
from tournament.play.traffic_log import COMPLAINED, Voice

EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC, errno.ENOBUFS}
"""what says that the machine, not the player, is at its end"""
KILL_GRACE_S = 1.0
"""seconds until a killed process is gone"""
DRAIN_S = 0.1
"""seconds to read the last words of a process that has exited while something keeps its pipes open"""


class MachineError(WorkError):
    """The machine ran out of something: whatever was being done failed through no fault of a player."""


class NetworkError(MachineError):
    """The machine has no way to the player's address; the message begins with the player's name."""


class StartError(Exception):
    """A program cannot be started; the message says why."""


class Process:
    """A child: made first, then started. Callbacks come from the event loop; nothing here blocks.

    The event loop's own subprocesses are not used: uvloop's hand some of our file handles on to the child, which then
    cannot close its output.
    """

    def __init__(
        self,
        reaper: Reaper,
        on_output: Callable[[bytes], None] | None = None,
        on_end: Callable[[str], None] | None = None,
        voice: Voice | None = None,
    ) -> None:
        """With `on_output` its standard streams are pipes; `on_end` is told when it has closed its output.

        `voice` logs its standard error.
        """
        self._voice = voice
        self._on_output = on_output
        self._on_end = on_end
        self.exited: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._loop = asyncio.get_running_loop()
        self._words = bytearray()
        self.words_so_far = 0
        """bytes that it has written on standard error"""
        self._heard = asyncio.Event()
        self._reaper = reaper
        self._child: subprocess.Popen[bytes] | None = None
        self._input: WriteEnd | None = None
        self._outputs: list[ReadEnd] = []
        self._handle = -1

    def start(self, command: Sequence[str], folder: str, cores: frozenset[int] | None) -> None:
        """Start it, and let the reaper end it should the manager die. Raises OSError or ValueError."""
        stream = subprocess.DEVNULL if self._on_output is None else subprocess.PIPE
        child = self._child = subprocess.Popen(
            command,
            bufsize=0,
            stdin=stream,
            stdout=stream,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=_environment(),
            start_new_session=True,
        )
        if cores is not None:
            with suppress(ProcessLookupError):
                os.sched_setaffinity(child.pid, cores)  # before it has got as far as starting threads
        self._reaper.watch(child.pid)
        assert child.stderr is not None
        self._outputs.append(ReadEnd(child.stderr, self._keep, self._settle))
        if self._on_output is not None:
            assert child.stdin is not None
            assert child.stdout is not None
            self._input = WriteEnd(child.stdin)
            self._outputs.append(ReadEnd(child.stdout, self._on_output, self._output_ended))
        try:
            self._handle = os.pidfd_open(child.pid)
        except OSError:
            self.kill()
            self._let_go()
            raise
        self._loop.add_reader(self._handle, self._take_leave)

    def write(self, data: bytes) -> None:
        """Send bytes to its standard input; what a dead process cannot read is dropped."""
        if self._input is not None:
            self._input.write(data)

    def close_input(self) -> None:
        """Let it read to the end of what was written."""
        if self._input is not None:
            self._input.close()

    @property
    def last_words(self) -> str:
        """What it wrote last on standard error, as one line; empty if nothing."""
        return telling_line(self._words)

    def words_since(self, before: int) -> str:
        """Return what it wrote last on standard error after so many bytes, as one line; empty if nothing."""
        new = self.words_so_far - before
        return telling_line(self._words[-new:]) if new else ""

    @property
    def story(self) -> str:
        """How it ended, for people: `exited with status 3, saying: ValueError: no model`."""
        return story(self.exited.result(), self._words)

    async def heard(self, mark: str) -> str:
        """Wait for a line on standard error that holds `mark`, and return it; empty if the child ends first.

        What was said up to then is forgotten: it will not be its last words.
        """
        self.exited.add_done_callback(lambda _: self._heard.set())
        while True:
            *whole, _ = self._words.decode(errors="replace").split("\n")
            found = [line for line in whole if mark in line]
            if found:
                self._words.clear()
                return found[0]
            if self.exited.done():
                return ""
            self._heard.clear()
            await self._heard.wait()

    def kill(self) -> None:
        """Kill it and its whole group at once."""
        if self._child is not None and not self.exited.done():
            kill_group(self._child.pid)

    async def end(self, grace: float) -> None:
        """Wait `grace` seconds for it to end by itself, then kill its whole group."""
        try:
            if grace and not self.exited.done():
                await asyncio.wait({self.exited}, timeout=grace)
        finally:
            self.kill()
        if not self.exited.done():
            await asyncio.wait({self.exited}, timeout=KILL_GRACE_S)
        self._let_go()
        if self._voice is not None:
            self._voice.end()

    def _keep(self, words: bytes) -> None:
        """Keep the end of standard error."""
        if self._voice is not None:
            self._voice.hear(COMPLAINED, words)
        self._words += words
        self.words_so_far += len(words)
        del self._words[:-LAST_WORDS]
        self._heard.set()

    def _output_ended(self) -> None:
        if self._on_end is not None:
            self._on_end("closed its output")
        self._settle()

    def _take_leave(self) -> None:
        """Take what an exited child left behind with it, then wait a moment for its last words."""
        assert self._child is not None
        self._loop.remove_reader(self._handle)
        os.close(self._handle)
        kill_group(self._child.pid)
        self._child.wait()
        self._reaper.forget(self._child.pid)
        self._loop.call_later(DRAIN_S, self._set_exited)
        self._settle()

    def _settle(self) -> None:
        """Take note that it has exited and that all its pipes are read to the end, once both are so."""
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


def start(process: Process, command: Sequence[str], folder: str, cores: frozenset[int] | None = None) -> None:
    """Start a program in `folder`, in a process group of its own, on these cores or on any.

    Raises:
        StartError: there is no such program, or it is none.
        MachineError: the machine has no process, memory or file handle left.

    """
    try:
        process.start(command, folder, cores)
    except OSError as error:
        raise _start_error(command[0], error) from error
    except ValueError as error:  # a null byte among its arguments
        raise StartError(f"cannot start {command[0]!r}: {error}") from error


def _start_error(program: str, error: OSError) -> Exception:
    why = (error.strerror or str(error)).lower()
    if error.errno in EXHAUSTED:
        return MachineError(f"this machine cannot start {program!r} now: {why}")
    return StartError(f"cannot start {program!r}: {why}")


def _environment() -> Mapping[str, str]:
    """Return our own environment, the interpreter's folder as the last resort of PATH: `python` is always found."""
    path = os.environ.get("PATH", os.defpath)
    return {**os.environ, "PATH": f"{path}{os.pathsep}{Path(sys.executable).parent}"}
