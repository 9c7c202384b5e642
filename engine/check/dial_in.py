"""A link to a program that connects to us."""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from threading import Thread

from engine.port.link import SEND_SECONDS, ProgramLink
from support.address import LOOPBACK
from support.errors import UsageError

PORT_PLACE = "{port}"
"""Replaced in the command by the port at which we listen."""
MOVETIME_PLACE = "{movetime_s}"
"""Replaced by the time of a move, in seconds."""
MOVETIME = "0.1"
CHUNK = 65536
LOOK_SECONDS = 0.05
"""The time between two looks whether the program has exited."""


class DialInLink(ProgramLink):
    """A program with a port of its own, which is open before it starts. Its own output means nothing."""

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        """Start the program, and wait for its connection.

        Raises:
            UsageError: The command is wrong, or cannot start.
            ConnectionError: The program exits first; the message has its end.
            TimeoutError: It does not connect within `seconds`.
        """
        if not any(PORT_PLACE in word for word in command):
            raise UsageError(f"COMMAND: expected {PORT_PLACE} in it: its program opens the connection")
        self._socket: socket.socket | None = None
        self._door = socket.create_server((LOOPBACK, 0))
        port = str(self._door.getsockname()[1])
        try:
            super().__init__([word.replace(PORT_PLACE, port).replace(MOVETIME_PLACE, MOVETIME) for word in command])
        except BaseException:
            self._door.close()
            raise
        Thread(target=self._drain, name="stdout", daemon=True).start()
        try:
            self._socket = self._accepted(seconds)
        except BaseException:
            self.close()
            raise

    def send(self, data: bytes) -> None:
        """Send all of it over the connection."""
        self._opened.settimeout(SEND_SECONDS)
        self._opened.sendall(data)

    def receive(self, seconds: float) -> bytes:
        """Return the next bytes of the connection."""
        self._opened.settimeout(max(seconds, 1e-6))  # 0 would not wait, and raise another error
        return self._opened.recv(CHUNK)

    def hang_up(self) -> None:
        """Close the connection."""
        self._opened.close()

    def leaves_within(self, seconds: float) -> str:
        """Return how the program leaves a connection that has gone: it ends, or connects again; empty if neither."""
        try:
            self._accepted(seconds).close()
        except ConnectionError:
            return "it ended"
        except TimeoutError:
            return ""
        return "it connected again"

    def close(self) -> None:
        """Close the connection, then end the program."""
        if self._socket is not None:
            self._socket.close()
        self._door.close()
        super().close()

    @property
    def _opened(self) -> socket.socket:
        assert self._socket is not None
        return self._socket

    def _accepted(self, seconds: float) -> socket.socket:
        until = time.monotonic() + seconds
        self._door.settimeout(LOOK_SECONDS)
        while time.monotonic() < until:
            try:
                return self._door.accept()[0]
            except TimeoutError:
                if self.ends_within(0.0):
                    raise ConnectionError(f"{self.end()}; it did not connect") from None
        raise TimeoutError

    def _drain(self) -> None:
        """Read what the program prints, so that it never waits for a reader."""
        try:
            while ProgramLink.receive(self, 3600.0):
                pass
        except (OSError, ValueError):
            return
