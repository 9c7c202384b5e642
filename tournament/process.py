"""A player's program as a child process in a group of its own: its pipes, its exit status, its last words."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from games import WorkError
from tournament.reaper import Reaper, kill_group

LAST_WORDS = 4096
"""bytes of standard error that are kept"""
TELLING = ("error", "exception", "panic", "fault")
"""words of a line that says why a program ended"""
SHOWN_WORDS = 200
"""characters of them that an error message shows"""
EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC, errno.ENOBUFS}
"""what says that the machine, not the player, is at its end"""
KILL_GRACE_S = 1.0
"""seconds until a killed process is gone"""
DRAIN_S = 0.1
"""seconds to read the last words of a process that has exited while something keeps its pipes open"""

_STDIN, _STDOUT, _STDERR = 0, 1, 2


class MachineError(WorkError):
    """The machine ran out of something: whatever was being done failed through no fault of a player."""


class NetworkError(MachineError):
    """The machine has no way to the player's address; the message begins with the player's name."""


class StartError(Exception):
    """A program cannot be started; the message says why."""


class Process(asyncio.SubprocessProtocol):
    """A child: made first, then given to `start`. Callbacks come from the event loop; nothing here blocks."""

    def __init__(
        self,
        reaper: Reaper,
        on_output: Callable[[bytes], None] | None = None,
        on_end: Callable[[str], None] | None = None,
    ) -> None:
        """With `on_output` its standard streams are pipes; `on_end` is told when it has closed its output."""
        self.on_output = on_output
        self.on_end = on_end
        self.exited: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._words = bytearray()
        self._heard = asyncio.Event()
        self._transport: asyncio.SubprocessTransport | None = None
        self._reaper = reaper

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Let the reaper end this process should the manager die."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        self._reaper.watch(self._group)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Keep the end of standard error, hand standard output on."""
        if fd == _STDERR:
            self._words += data
            del self._words[:-LAST_WORDS]
            self._heard.set()
        elif self.on_output is not None:
            self.on_output(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002 - how it broke is no matter
        """Tell that no output will come any more."""
        if fd == _STDOUT and self.on_end is not None:
            self.on_end("closed its output")

    def process_exited(self) -> None:
        """Take what it left behind with it, then wait a moment for its last words."""
        kill_group(self._group)
        self._reaper.forget(self._group)
        asyncio.get_running_loop().call_later(DRAIN_S, self._set_exited)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """Take note that it has exited and all its pipes are read to the end."""
        self._set_exited()

    def write(self, data: bytes) -> None:
        """Send bytes to its standard input; what a dead process cannot read is dropped."""
        assert self._transport is not None
        pipe = self._transport.get_pipe_transport(_STDIN)
        if isinstance(pipe, asyncio.WriteTransport):
            pipe.write(data)

    @property
    def last_words(self) -> str:
        """What it wrote last on standard error, as one line; empty if nothing.

        A line that names an error says more than what some languages print below it.
        """
        lines = [line.strip() for line in self._words.decode(errors="replace").splitlines() if line.strip()]
        telling = [line for line in lines if any(word in line.lower() for word in TELLING)]
        text = (telling or lines or [""])[-1]
        return "".join(sign if sign.isprintable() else " " for sign in text)[:SHOWN_WORDS]

    @property
    def story(self) -> str:
        """How it ended, for people: `exited with status 3, saying: ValueError: no model`."""
        status = self.exited.result()
        how = f"was killed by {_signal_name(-status)}" if status < 0 else f"exited with status {status}"
        return f"{how}, saying: {self.last_words}" if self.last_words else how

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
        if not self.exited.done():
            kill_group(self._group)

    async def end(self, grace: float) -> None:
        """Wait `grace` seconds for it to end by itself, then kill its whole group."""
        try:
            if grace and not self.exited.done():
                await asyncio.wait({self.exited}, timeout=grace)
        finally:
            self.kill()
        if not self.exited.done():
            await asyncio.wait({self.exited}, timeout=KILL_GRACE_S)
        assert self._transport is not None
        self._transport.close()

    @property
    def _group(self) -> int:
        assert self._transport is not None
        return self._transport.get_pid()

    def _set_exited(self) -> None:
        assert self._transport is not None
        if not self.exited.done():
            self.exited.set_result(self._transport.get_returncode() or 0)
        self._transport.close()


async def start(process: Process, command: Sequence[str], folder: str, cores: frozenset[int] | None = None) -> None:
    """Start a program in `folder`, in a process group of its own, on these cores or on any.

    Raises:
        StartError: there is no such program, or it is none.
        MachineError: the machine has no process, memory or file handle left.

    """
    stream = asyncio.subprocess.PIPE if process.on_output else asyncio.subprocess.DEVNULL
    try:
        await asyncio.get_running_loop().subprocess_exec(
            lambda: process,
            *command,
            stdin=stream,
            stdout=stream,
            stderr=asyncio.subprocess.PIPE,
            cwd=folder,
            env=_environment(),
            start_new_session=True,
            preexec_fn=None if cores is None else partial(os.sched_setaffinity, 0, cores),  # one system call, no lock
        )
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


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
