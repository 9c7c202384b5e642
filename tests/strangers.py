"""Strangers at a port: connections that say nothing, and open again when they are closed."""

from __future__ import annotations

import selectors
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from tests.patience import PATIENCE

PAUSE_S = 0.01
"""Seconds between a close and the next connection: a stranger at full speed would take a core of the test."""


class Crowd:
    """So many connections from each source address, in a thread of their own."""

    def __init__(self, port: int, sources: Sequence[str], each: int, words: bytes = b"") -> None:
        """`words` are the first ones of each connection."""
        self._port = port
        self._words = words
        self._selector = selectors.DefaultSelector()
        self._ended = threading.Event()
        self.closed = 0
        """The connections that the port has closed."""
        for source in sources:
            for _ in range(each):
                self._come(source)
        self._thread = threading.Thread(target=self._stay)
        self._thread.start()

    def end(self) -> None:
        """Leave."""
        self._ended.set()
        self._thread.join(PATIENCE)
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]

    def _come(self, source: str) -> None:
        link = socket.create_connection(("127.0.0.1", self._port), timeout=PATIENCE, source_address=(source, 0))
        link.sendall(self._words)
        self._selector.register(link, selectors.EVENT_READ, source)

    def _stay(self) -> None:
        while not self._ended.wait(PAUSE_S):
            for key, _ in self._selector.select(timeout=0):
                self._look(key)

    def _look(self, key: selectors.SelectorKey) -> None:
        link: socket.socket = key.fileobj  # type: ignore[assignment]
        with suppress(OSError):
            if link.recv(4096):
                return
        self._selector.unregister(link)
        link.close()
        self.closed += 1
        with suppress(OSError):
            self._come(key.data)


@contextmanager
def strangers(port: int, sources: Sequence[str], each: int, words: bytes = b"") -> Iterator[Crowd]:
    """Have a crowd at a port."""
    crowd = Crowd(port, sources, each, words)
    try:
        yield crowd
    finally:
        crowd.end()
