"""A bound on what a player may send, and on the time that its lines may take."""

from __future__ import annotations

from collections.abc import Callable

FLOOD, FLOOD_S = 2**20, 1.0
"""The bytes that a player may send within this time, in seconds, between two requests."""
LINES = 100_000
"""The lines that it may send within that time."""
WORK_S, WORK_SHARE = 0.15, 0.03
"""The seconds that the reading of its lines may take between two requests, beyond this share of the time."""
FREE, FREE_LINES = FLOOD, LINES // 2
"""The bytes and lines between two requests that never take too long: a slow machine blames no player for them."""
TRICKLE = 2**16
"""Bytes between two requests that do not need a look at the clock."""
FLOODED = f"sent more than {FLOOD >> 20} MiB within a second"
UNASKED = 64
"""Lines between two requests that are read although nothing is due: a message may quote them."""


class Flood:
    """Counts the input since the last request. The clock is an argument."""

    __slots__ = ("_since", "_work", "_work_at", "all_bytes", "all_lines", "lines", "received")

    def __init__(self) -> None:
        self._since = 0.0
        self.received = 0
        """Bytes since the last request, or since the last second began."""
        self.lines = 0
        """Lines of that time that `count` has seen."""
        self.all_lines = 0
        """Lines since the last request, those of earlier seconds included."""
        self.all_bytes = 0
        """Bytes since the last request, those of earlier seconds included."""
        self._work = self._work_at = 0.0

    def ask(self) -> None:
        """Forget the received bytes: a request is sent."""
        self.received = self.lines = self.all_bytes = self.all_lines = 0
        self._work = 0.0

    def rises(self, size: int, clock: Callable[[], float]) -> bool:
        """Count `size` more bytes and return whether they are too many; `clock` gives seconds."""
        self.received += size
        self.all_bytes += size
        return self.received > TRICKLE and self._is_over(size, clock())

    def count(self, data: bytes) -> bool:
        """Count the lines of bytes that `rises` has counted, and return whether they are too many."""
        lines = max(data.count(b"\n"), data.count(b"\r"))
        self.lines += lines
        self.all_lines += lines
        return self.lines > LINES

    def works(self, seconds: float, clock: Callable[[], float]) -> bool:
        """Count time that the lines have taken, and return whether it is too much."""
        now = clock()
        self._work = max(0.0, self._work - WORK_SHARE * (now - self._work_at)) + seconds
        self._work_at = now
        return self._work > WORK_S and (self.all_lines > FREE_LINES or self.all_bytes > FREE)

    def report(self, *, asked: bool) -> str:
        """Return what was too much, for a message; `asked`: an answer was due."""
        if self.received > FLOOD:
            return FLOODED
        if self.lines > LINES:
            return f"sent {self.lines:,} lines within a second{'' if asked else ' without being asked'}"
        what = f"{self.all_lines:,} lines" if self.all_lines else "text without the end of a line"
        return f"sent {what}, whose reading took more than {WORK_S:g} s"

    def _is_over(self, size: int, now: float) -> bool:
        """Return whether there are too many; bytes older than FLOOD_S are forgotten first."""
        if now > self._since + FLOOD_S:
            self.received, self.lines, self._since = size, 0, now
        return self.received > FLOOD
