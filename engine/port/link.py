"""A link to an engine: a port, or the pipes of a program that it starts."""

from __future__ import annotations

import os
import select
import shlex
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Protocol

from engine.port.bridge import CHUNK, open_socket
from support.address import Address
from support.errors import UsageError
from support.exit_message import STDERR_KEPT, error_line, exit_message
from support.programs import start_program
from support.reaper import Reaper, kill_group, new_mark
from support.start_failure import start_failure
from support.tokens import Token

SEND_SECONDS = 10.0
"""The time for a peer to take the sent bytes; only a peer that does not read exceeds it."""
BURST, BURST_REST_SECONDS = 4096, 0.01
"""The bytes at once on standard error that are followed by a rest of this time: endless ones take no processor."""
QUIT_SECONDS = 1.0
"""The time for a program to end after `quit`, before it is killed."""


class Link(Protocol):
    """Bytes to an engine and back.

    Raises:
        OSError: By any method, if the peer is out of reach.
    """

    @property
    def name(self) -> str:
        """The address or the command, as the user wrote it."""

    def send(self, data: bytes) -> None:
        """Send all of it.

        Raises:
            TimeoutError: The peer does not take it.
        """

    def receive(self, seconds: float) -> bytes:
        """Return the next bytes, none at the end.

        Raises:
            TimeoutError: Nothing has come within `seconds`.
        """

    def end(self) -> str:
        """Return in a few words how the peer ended; only after the end."""

    @property
    def stderr_bytes(self) -> int:
        """The number of bytes on the peer's standard error so far."""

    def complaint(self) -> str:
        """Return the peer's output on standard error since `send`, as one line; empty if there is none."""

    def end_input(self) -> None:
        """End our half of the conversation; the peer may still answer."""

    def hang_up(self) -> None:
        """Cut the connection without a word; `ends_within` and `close` may follow."""

    def ends_within(self, seconds: float) -> bool:
        """Return whether the peer ends by itself within a time: the program, or its side of the connection."""

    def close(self) -> None:
        """Let go of the peer."""


class PortLink:
    """An engine behind a port."""

    def __init__(self, address: Address, token: Token | None = None, tls: ssl.SSLContext | None = None) -> None:
        """Connect, encrypted with `tls`, and send the token.

        Raises:
            WorkError: The port cannot be reached, or does not admit us.
        """
        self.name = str(address)
        self._socket, self._early = open_socket(address, token, tls)

    def send(self, data: bytes) -> None:
        """Send all of it."""
        self._socket.settimeout(SEND_SECONDS)
        self._socket.sendall(data)

    def receive(self, seconds: float) -> bytes:
        """Return the next bytes."""
        if self._early:
            early, self._early = self._early, b""
            return early
        self._socket.settimeout(seconds)
        return self._socket.recv(CHUNK)

    def end(self) -> str:
        """Return how the peer ended."""
        return "closed the connection"

    @property
    def stderr_bytes(self) -> int:
        """0: a port has no standard error."""
        return 0

    def complaint(self) -> str:
        """Return an empty text: a port has no standard error."""
        return ""

    def end_input(self) -> None:
        """Close our half of the connection."""
        self._socket.shutdown(socket.SHUT_WR)

    def hang_up(self) -> None:
        """Close the connection."""
        self._socket.close()

    def ends_within(self, seconds: float) -> bool:
        """Return whether the engine closes the connection; its further output is dropped."""
        until = time.monotonic() + seconds
        try:
            while self.receive(max(0.0, until - time.monotonic())):
                if time.monotonic() > until:  # it still sends
                    return False
        except TimeoutError:
            return False
        except OSError:
            pass
        return True

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


class ProgramLink:
    """A program that speaks on its standard streams, in a process group of its own that ends with this process."""

    def __init__(self, command: str | Sequence[str]) -> None:
        """Start a command; a text is split into words like in a shell.

        Raises:
            UsageError: The command is wrong, or cannot start.
        """
        words = command_words(command) if isinstance(command, str) else [*command]
        self.name = command if isinstance(command, str) else shlex.join(words)
        mark = new_mark()
        try:
            self._process = start_program(words, None, pipes=True, mark=mark)
        except OSError as error:
            raise UsageError(f"--command: {start_failure(words[0], error)}") from None
        self._reaper = Reaper()
        self._reaper.watch(self._process.pid, mark)
        self._in, self._out = _pipe(self._process.stdin), _pipe(self._process.stdout)
        os.set_blocking(self._in.fileno(), False)
        self._stderr = bytearray()
        self._stderr_total = self._stderr_before = 0
        self._listener = threading.Thread(target=self._listen, name="stderr", daemon=True)
        self._listener.start()

    def send(self, data: bytes) -> None:
        """Send all of it; `receive` finds the end of a program that reads no more."""
        self._stderr_before = self._stderr_total
        with suppress(BrokenPipeError):
            while data:
                if not select.select([], [self._in], [], SEND_SECONDS)[1]:
                    raise TimeoutError
                data = data[os.write(self._in.fileno(), data) :]

    def receive(self, seconds: float) -> bytes:
        """Return the next bytes."""
        if not select.select([self._out], [], [], seconds)[0]:
            raise TimeoutError
        return os.read(self._out.fileno(), CHUNK)

    def end(self) -> str:
        """Return how the program ended, with the last line of its standard error."""
        try:
            code = self._process.wait(QUIT_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its output"
        self._listener.join(QUIT_SECONDS)
        return exit_message(code, self._stderr)

    @property
    def stderr_bytes(self) -> int:
        """The number of bytes on its standard error that have been read."""
        return self._stderr_total

    def complaint(self) -> str:
        """Return the program's output on standard error since `send`, as one line."""
        new = self._stderr_total - self._stderr_before
        return error_line(self._stderr[-new:]) if new else ""

    def end_input(self) -> None:
        """Close its standard input."""
        self._in.close()

    def hang_up(self) -> None:
        """Close both pipes."""
        self._in.close()
        self._out.close()

    def ends_within(self, seconds: float) -> bool:
        """Return whether the program ends."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def close(self) -> None:
        """Give it a moment to end, then kill it and its descendants."""
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
                self._stderr += data
                self._stderr_total += len(data)
                del self._stderr[:-STDERR_KEPT]
                if len(data) > BURST:
                    time.sleep(BURST_REST_SECONDS)


def command_words(command: str) -> list[str]:
    """Split the value of --command into words like a shell.

    Raises:
        UsageError: It has no words, or a quotation without its end.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--command: {str(error).lower()} in {command!r}") from None
    if not words:
        raise UsageError("--command: expected a program, got nothing")
    return words


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
