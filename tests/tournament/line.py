"""A TCP line between the manager and a player, which a test can delay, cut and keep closed."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from fiedler.support.address import parse_address

TO_PLAYER, TO_MANAGER = 0, 1
CHUNK = 65536

Cut = tuple[bytes, int]
"""A word, and the number of its appearances since the last cut after which the line is cut."""


def free_port() -> int:
    """Return a port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class Line:
    """Copies bytes both ways. After each of the `cuts` the line is closed for a while."""

    def __init__(self, target: str, cuts: Sequence[Cut], delay_s: float, closed_s: float) -> None:
        self._target = parse_address(target)
        self._cuts = [*cuts]
        self._seen = 0
        self._delay_s, self._closed_s = delay_s, closed_s
        self._open_from = 0.0
        self._lock = threading.Lock()
        self._passing = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._server.getsockname()[1]}"
        self.attempts = 0
        """Connections to the line."""
        self.connections = 0
        """Connections that were passed on."""
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def cuts_left(self) -> int:
        return len(self._cuts)

    def close(self) -> None:
        self._server.close()
        self.cut()

    def open(self) -> None:
        """Open the line before its time."""
        self._open_from = 0.0

    def cut(self) -> None:
        """Close all connections."""
        with self._lock:
            cut, self._sockets = self._sockets, []
        for one in cut:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                self.attempts += 1
                if time.monotonic() < self._open_from:
                    near.close()
                    continue
                try:
                    far = socket.create_connection((self._target.host, self._target.port))
                except OSError:  # nobody listens yet
                    near.close()
                    continue
                self.connections += 1
                with self._lock:
                    self._sockets += [near, far]
                for one, other in ((near, far), (far, near)):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    threading.Thread(target=self._copy, args=(one, other), daemon=True).start()

    def _copy(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(CHUNK):
                time.sleep(self._delay_s)
                with self._passing:  # no answer outruns a cut
                    sink.sendall(data)
                    if self._is_due(data):
                        self._open_from = time.monotonic() + self._closed_s
                        self.cut()
        for one in (source, sink):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _is_due(self, data: bytes) -> bool:
        with self._lock:
            if not self._cuts:
                return False
            word, count = self._cuts[0]
            self._seen += data.count(word)
            if self._seen < count:
                return False
            self._seen = 0
            self._cuts.pop(0)
            return True


@contextmanager
def line_to(target: str, *cuts: Cut, delay_s: float = 0.0, closed_s: float = 0.0) -> Iterator[Line]:
    """Yield a line to the player at an address."""
    line = Line(target, cuts, delay_s, closed_s)
    try:
        yield line
    finally:
        line.close()
