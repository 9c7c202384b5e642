"""The running games of a run, read from its `live.sock`."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from fiedler.tournament.run.live import FILE, Board
from fiedler.tournament.run.run_socket import connected

CHUNK = 1 << 16


class LiveLine(Struct, frozen=True):
    """A line of `live.sock`."""

    tables: tuple[Board, ...]
    """The games with a new move; in the first line all running games."""
    ended: tuple[int, ...] = ()
    """The games that are over since the last line."""


class LiveReader:
    """Reads positions without waiting. There may be no manager, or another one later."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket: socket.socket | None = None
        self._unread = bytearray()
        self._decoder = msgspec.json.Decoder(LiveLine)

    @property
    def is_connected(self) -> bool:
        """Whether a manager is watched."""
        return self._socket is not None

    def connect(self) -> None:
        """Watch the manager, if there is one."""
        if self._socket is not None or not (self._folder / FILE).exists():
            return
        try:
            self._socket = connected(self._folder, FILE, 0.0)
        except OSError:  # a manager that was killed has left it
            return
        self._unread.clear()

    def read(self) -> Iterator[LiveLine]:
        """Yield the lines that have come since the last call, and close the socket if the manager has."""
        if self._socket is None:
            return
        try:
            while data := self._socket.recv(CHUNK):
                self._unread += data
            self.close()
        except BlockingIOError:
            pass
        except OSError:
            self.close()
        whole, _, rest = self._unread.rpartition(b"\n")
        self._unread = bytearray(rest)
        for line in whole.splitlines():
            yield self._decoder.decode(line)

    def close(self) -> None:
        """Stop watching."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
