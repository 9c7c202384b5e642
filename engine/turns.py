"""The order of service: clients with much work take turns of equal time."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

GLANCE_SECONDS = 0.0002
"""The time for new lines of a client; the rest waits for a turn. It is enough to answer one question."""
TURN_SECONDS = 0.001
"""The time of work for one client, before the next has its turn."""
REST_SECONDS = 0.001
"""The time between two turns of work: it lets small requests pass, and leaves time to other work of the machine."""

Enough = Callable[[], bool]


class Talker(Protocol):
    """A client with lines to handle."""

    def take_turn(self, enough: Enough) -> bool:
        """Work at least one step, until `enough` is true; return whether there is more to do."""


def within(seconds: float) -> Enough:
    """Return a function that is true once `seconds` have passed from now."""
    until = time.perf_counter() + seconds
    return lambda: time.perf_counter() >= until


class Turns:
    """A queue of talkers, each in it at most once."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Talker] = deque()
        self._awake = False
        """Whether the next turn is scheduled."""

    def join(self, talker: Talker) -> None:
        """Join the end of the queue; a talker in the queue keeps its place."""
        if talker not in self._waiting:
            self._waiting.append(talker)
            self._wake(0.0)

    def _wake(self, seconds: float) -> None:
        if not self._awake:
            self._awake = True
            self._loop.call_later(seconds, self._take)

    def _take(self) -> None:
        """Give turns in the order of the queue, until the time of one is used up."""
        self._awake = False
        enough = within(TURN_SECONDS)
        while self._waiting and not enough():
            talker = self._waiting.popleft()
            if talker.take_turn(enough):
                self._waiting.append(talker)
        if self._waiting:
            self._wake(REST_SECONDS)
