"""The counts of one server, for its metrics."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""The upper ends of the histogram of search times."""


class ServerCounts:
    """Since the start of the server. The loop writes; another thread may read."""

    def __init__(self) -> None:
        self.sessions = 0
        self.searches = 0
        self.nodes = 0
        self.refused: Counter[str] = Counter()
        """Refused clients and closed sessions by the kind of the reason."""
        self.search_seconds = 0.0
        self.buckets = [0] * (len(SECONDS) + 1)
        """Searches by time: up to each of SECONDS, and beyond."""

    def refuse(self, why: str) -> None:
        """Count a refused client, or a session that was closed for a limit."""
        self.refused[why] += 1

    def searched(self, nodes: int, seconds: float) -> None:
        """Count a search at its end."""
        self.searches += 1
        self.nodes += nodes
        self.search_seconds += seconds
        self.buckets[bisect_left(SECONDS, seconds)] += 1
