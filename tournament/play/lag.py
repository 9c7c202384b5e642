"""The lag of the line to a player: round trips of a ping while the player is idle."""

from __future__ import annotations

from collections import deque
from statistics import median

WINDOW = 9
"""The number of round trips that count, the last ones."""
PINGS = 3
"""The number of round trips that are measured at a time: after the handshake, and before each game."""


class Lag:
    """The last round trips, in seconds."""

    def __init__(self, most: float) -> None:
        """Credit at most this number of seconds per move."""
        self._most = most
        self._trips: deque[float] = deque(maxlen=WINDOW)

    def add(self, seconds: float) -> None:
        """Add a round trip."""
        self._trips.append(seconds)

    @property
    def credit(self) -> float:
        """The seconds that are subtracted from the time of a move: the median, or the most that counts."""
        return min(self._most, median(self._trips)) if self._trips else 0.0
