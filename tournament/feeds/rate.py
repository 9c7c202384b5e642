"""The games per minute of a run."""

from __future__ import annotations

from collections import deque

WINDOW_S = 60.0


class GameRate:
    """The finished games of the last minute, or since the first look."""

    def __init__(self) -> None:
        self._looks: deque[tuple[float, int]] = deque()
        """The seconds of a steady clock and the number of finished games, the oldest first."""

    def look(self, now: float, finished: int) -> float:
        """Note the number of finished games; return the games per minute, to one decimal."""
        while len(self._looks) > 1 and self._looks[1][0] <= now - WINDOW_S:
            self._looks.popleft()
        if not self._looks or now - self._looks[-1][0] >= 1.0:
            self._looks.append((now, finished))
        began, before = self._looks[0]
        return round(60.0 * (finished - before) / max(now - began, 1.0), 1)
