"""A bound on what a player may send."""

from __future__ import annotations

from collections.abc import Callable

FLOOD, FLOOD_S = 2**20, 1.0
"""The bytes that a player may send within this time, in seconds, between two requests."""
TRICKLE = 2**16
"""Bytes between two requests that do not need a look at the clock."""
FLOODED = f"sent more than {FLOOD >> 20} MiB within a second"


class Flood:
    """Counts the bytes received since the last request. The clock is an argument."""

    __slots__ = ("_since", "received")

    def __init__(self) -> None:
        self._since = 0.0
        self.received = 0
        """Bytes since the last request, or since the last second began."""

    def ask(self) -> None:
        """Forget the received bytes: a request is sent."""
        self.received = 0

    def rises(self, size: int, clock: Callable[[], float]) -> bool:
        """Count `size` more bytes and return whether they are too many; `clock` gives seconds."""
        self.received += size
        return self.received > TRICKLE and self._is_over(size, clock())

    def _is_over(self, size: int, now: float) -> bool:
        """Return whether there are too many; bytes older than FLOOD_S are forgotten first."""
        if now > self._since + FLOOD_S:
            self.received, self._since = size, now
        return self.received > FLOOD
