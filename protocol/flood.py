"""A bound on what a player may send."""

from __future__ import annotations

from collections.abc import Callable

FLOOD, FLOOD_S = 2**20, 1.0
"""bytes that a player may send within so many seconds, unless we ask for something meanwhile"""
TRICKLE = 2**16
"""bytes from one question to the next that are not worth a look at the clock"""
FLOODED = f"sent more than {FLOOD >> 20} MiB within a second"


class Flood:
    """Counts the bytes that have come since the last question. The clock is an argument."""

    __slots__ = ("_since", "received")

    def __init__(self) -> None:
        self._since = 0.0
        self.received = 0
        """bytes since the last question, or since the last second began"""

    def ask(self) -> None:
        """Forget what has come: a question is asked."""
        self.received = 0

    def rises(self, size: int, clock: Callable[[], float]) -> bool:
        """Take `size` bytes more and tell whether they are too many; `clock` gives seconds."""
        self.received += size
        return self.received > TRICKLE and self._is_over(size, clock())

    def _is_over(self, size: int, now: float) -> bool:
        """What came before `size` bytes is forgotten after FLOOD_S."""
        if now > self._since + FLOOD_S:
            self.received, self._since = size, now
        return self.received > FLOOD
