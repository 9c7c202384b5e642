"""A program that writes to its standard error without end, and gives no answer."""

from __future__ import annotations

LOUD = 2**20
"""The bytes a second on standard error that are loud: tens of thousands of lines."""
MOST_SECONDS = 5.0
"""The seconds for which a program may be loud while an answer is due: longer than one that reports its start."""


class Loudness:
    """Watches the standard error while an answer is due. The clock is an argument, in seconds."""

    def __init__(self, total: int, now: float) -> None:
        """Begin at this time, after `total` bytes."""
        self._total, self._at = total, now
        self._seconds = 0.0
        """The last ones in a row that were loud."""

    def lasts(self, total: int, now: float) -> bool:
        """Look at the number of bytes at this time; return whether the program has been loud for too long."""
        seconds = now - self._at
        is_loud = total - self._total > LOUD * seconds
        self._seconds = self._seconds + seconds if is_loud else 0.0
        self._total, self._at = total, now
        return self._seconds >= MOST_SECONDS

    def report(self) -> str:
        """Return what was too much, for a message."""
        return f"nothing, and more than {LOUD >> 20} MiB a second on standard error for {self._seconds:.0f} s"
