"""A fair queue: clients with much work take turns of equal time in a loop."""

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
HEAVY_REST_SECONDS = 0.009
"""The same for heavy clients while others are active: together they take a tenth of the loop's time."""
HEAVY_SECONDS = 1.0
"""The time for which a client that had more to do after its turn is heavy, and one with a small request active."""

Enough = Callable[[], bool]


class Talker(Protocol):
    """A client with lines to handle."""

    heavy_until: float
    """The end of its time in the slow queue, on the loop's clock."""

    def take_turn(self, enough: Enough) -> bool:
        """Work at least one step, until `enough` is true; return whether there is more to do."""


def within(seconds: float) -> Enough:
    """Return a function that is true once `seconds` have passed from now."""
    until = time.perf_counter() + seconds
    return lambda: time.perf_counter() >= until


class FairQueue:
    """Two queues of talkers, each talker in one of them at most once.

    A talker that has more to do after its turn is heavy for a while: it waits in the slow queue, whose turns have long
    rests while others are active.
    """

    def __init__(self, *, among_others: bool = False) -> None:
        """`among_others`: clients that need no turns are always active."""
        self._among_others = among_others
        self._light: deque[Talker] = deque()
        self._heavy: deque[Talker] = deque()
        self._light_at = 0.0
        """The earliest time of the next light turn, on the loop's clock."""
        self._heavy_at = 0.0
        self._others_until = 0.0
        """The time until which clients that are not heavy are active."""
        self._timer: asyncio.TimerHandle | None = None
        """The next turn."""

    @property
    def _loop(self) -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    def join(self, talker: Talker, *, heavy: bool = False) -> None:
        """Join the end of a queue; a talker in a queue keeps its place. `heavy`: its input is large."""
        if talker in self._light or talker in self._heavy:
            return
        if heavy:
            self._mark(talker)
        self._append(talker)
        self._wake()

    def note_small_request(self) -> None:
        """Note a client with a request that needs no turn: the heavy ones rest longer for a while."""
        self._others_until = self._loop.time() + HEAVY_SECONDS

    def _mark(self, talker: Talker) -> None:
        now = self._loop.time()
        talker.heavy_until = now + HEAVY_SECONDS
        if not self._heavy:
            self._heavy_at = max(self._heavy_at, now + self._heavy_rest)

    @property
    def _heavy_rest(self) -> float:
        others = self._among_others or self._loop.time() < self._others_until
        return HEAVY_REST_SECONDS if others else REST_SECONDS

    def _append(self, talker: Talker) -> None:
        queue = self._heavy if self._loop.time() < talker.heavy_until else self._light
        queue.append(talker)

    def _wake(self) -> None:
        """Set the timer for the next turn."""
        times = [at for queue, at in ((self._light, self._light_at), (self._heavy, self._heavy_at)) if queue]
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(min(times), self._take) if times else None

    def _take(self) -> None:
        """Give the turns that are due."""
        self._timer = None
        now = self._loop.time()
        try:
            if self._heavy and now >= self._heavy_at:
                self._serve(self._heavy)
                self._heavy_at = now + self._heavy_rest
            if self._light and now >= self._light_at:
                self._serve(self._light)
                self._light_at = now + REST_SECONDS
        finally:  # a failure of one talker, which the loop reports, stops none of the others
            self._wake()

    def _serve(self, queue: deque[Talker]) -> None:
        """Give turns in the order of the queue, until the time of one is used up."""
        enough = within(TURN_SECONDS)
        while queue and not enough():
            talker = queue.popleft()
            if talker.take_turn(within(TURN_SECONDS)):
                self._mark(talker)
                self._append(talker)
