"""A link to an engine: a port, or the pipes of a program that it starts."""

from __future__ import annotations

import os
import select
import shlex
import subprocess
import threading
from contextlib import suppress
from typing import IO, Protocol

from engine.bridge import CHUNK, connected
from support.address import Address, reason
from support.errors import UsageError
from support.exit_message import LAST_WORDS, story, telling_line
from support.reaper import Reaper, kill_group

SEND_SECONDS = 10.0
"""For a peer to take what is sent; only one that does not read needs more than no time."""
QUIT_SECONDS = 1.0
"""For a program to end after `quit`, before it is killed."""


class Link(Protocol):
    """Bytes to an engine and back. Methods raise OSError where the peer is out of reach."""

    @property
    def name(self) -> str:
        """What the person named."""

    def send(self, data: bytes) -> None:
        """Send it all; raises TimeoutError if the peer does not take it."""

    def receive(self, seconds: float) -> bytes:
        """Return what comes next, nothing at the end; raises TimeoutError."""

    def end(self) -> str:
        """Say in a few words how the peer ended; asked after the end alone."""

    def complaint(self) -> str:
        """Return what the peer has written on standard error since `send`, as one line; empty if nothing."""

    def close(self) -> None:
        """Let go of the peer."""


class PortLink:
    """An engine behind a port."""

    def __init__(self, address: Address) -> None:
        """Connect; raises WorkError."""
        self.name = str(address)
        self._socket = connected(address)

    def send(self, data: bytes) -> None:
        """Send it all."""
        self._socket.settimeout(SEND_SECONDS)
        self._socket.sendall(data)

    def receive(self, seconds: float) -> bytes:
        """Return what comes next."""
        self._socket.settimeout(seconds)
        return self._socket.recv(CHUNK)

    def end(self) -> str:
        """Say how the peer ended."""
        return "closed the connection"

    def complaint(self) -> str:
        """Return nothing: a port has no standard error."""
        return ""

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


class ProgramLink:
    """A program that speaks on its standard streams, in a process group of its own that ends with this process."""

    def __init__(self, command: str) -> None:
        """Start what a shell would split into words like this; raises UsageError."""
        self.name = command
        self._process = _started(_words(command))
        self._reaper = Reaper()
        self._reaper.watch(self._process.pid)
        self._in, self._out = _pipe(self._process.stdin), _pipe(self._process.stdout)
        os.set_blocking(self._in.fileno(), False)
        self._words = bytearray()
        self._words_so_far = self._words_before = 0
        self._listener = threading.Thread(target=self._listen, name="stderr", daemon=True)
        self._listener.start()

    def send(self, data: bytes) -> None:
        """Send it all; one that reads no more will be seen to have ended."""
        self._words_before = self._words_so_far
        with suppress(BrokenPipeError):
            while data:
                if not select.select([], [self._in], [], SEND_SECONDS)[1]:
                    raise TimeoutError
                data = data[os.write(self._in.fileno(), data) :]

    def receive(self, seconds: float) -> bytes:
        """Return what comes next."""
        if not select.select([self._out], [], [], seconds)[0]:
            raise TimeoutError
        return os.read(self._out.fileno(), CHUNK)

    def end(self) -> str:
        """Say how the program ended, with the last line of its standard error."""
        try:
            code = self._process.wait(QUIT_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its output"
        self._listener.join(QUIT_SECONDS)
        return story(code, self._words)

    def complaint(self) -> str:
        """Return what the program has written on standard error since it was told something, as one line."""
        new = self._words_so_far - self._words_before
        return telling_line(self._words[-new:]) if new else ""

    def close(self) -> None:
        """Give it a moment to end, then kill it and all that it has started."""
        self._in.close()
        try:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(QUIT_SECONDS)
        finally:
            kill_group(self._process.pid)
            self._process.wait()
            self._reaper.forget(self._process.pid)
            self._reaper.close()
            self._out.close()

    def _listen(self) -> None:
        with _pipe(self._process.stderr) as stderr:
            while data := stderr.read(CHUNK):
                self._words += data
                self._words_so_far += len(data)
                del self._words[:-LAST_WORDS]


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--command: {str(error).lower()} in {command!r}") from None
    if not words:
        raise UsageError("--command: expected a program, got nothing")
    return words


def _started(words: list[str]) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(words, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
    except OSError as error:
        raise UsageError(f"--command: cannot start {words[0]!r}: {reason(error)}") from None


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
