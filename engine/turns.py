"""The order of service: clients with much work take turns of equal time."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

GLANCE_SECONDS = 0.0002
"""For what a client has just said; what is left then waits for a turn. One question is answered within it."""
TURN_SECONDS = 0.001
"""Of work, before the next client has its turn."""
REST_SECONDS = 0.001
"""Between two turns of work: those who say little come first, and the machine has other things to do as well."""

Enough = Callable[[], bool]


class Talker(Protocol):
    """One who may have more to say."""

    def take_turn(self, enough: Enough) -> bool:
        """Work until `enough` says so, at least one step; tell whether there is more to do."""


def within(seconds: float) -> Enough:
    """Return what tells whether so much time has passed from now on."""
    until = time.perf_counter() + seconds
    return lambda: time.perf_counter() >= until


class Turns:
    """A queue of talkers, each of whom stands in it at most once."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Talker] = deque()
        self._awake = False  # the next turn is on its way

    def join(self, talker: Talker) -> None:
        """Wait for a turn, at the end of the queue; who waits already keeps the place."""
        if talker not in self._waiting:
            self._waiting.append(talker)
            self._wake(0.0)

    def _wake(self, seconds: float) -> None:
        if not self._awake:
            self._awake = True
            self._loop.call_later(seconds, self._take)

    def _take(self) -> None:
        """Give turns, each to the next, until the time of one is used up."""
        self._awake = False
        enough = within(TURN_SECONDS)
        while self._waiting and not enough():
            talker = self._waiting.popleft()
            if talker.take_turn(enough):
                self._waiting.append(talker)
        if self._waiting:
            self._wake(REST_SECONDS)
