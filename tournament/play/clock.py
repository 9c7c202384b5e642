"""The two clocks of a game. Time is an argument everywhere, so that tests can choose it."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from fiedler import protocol
from fiedler.tournament.schedule.schedule import LimitSection

ROUNDING_S = 1e-6
"""Seconds that sums of times may be wrong by."""


class Clock(Protocol):
    """The time control of a match. Sides are 0 (moves first) and 1; times are seconds of one steady clock."""

    used: list[float]
    """Seconds that each side has used so far."""
    credit: list[float]
    """Seconds of lag that are subtracted from the time of each move of a side."""

    def limit(self, side: int, spent: float = 0.0) -> protocol.Limit:
        """Return the limit for the next move of `side`, after `spent` seconds of that move."""

    def start(self, side: int, now: float) -> float:
        """Start the clock of `side`; return the moment after which its move comes too late."""

    def stop(self, side: int, now: float) -> bool:
        """Stop the clock of `side`; return whether its move came in time."""

    def time_used(self, side: int) -> str:
        """Return the used and the allowed time of the last move of `side`, with the parts of the latter.

        `used 253 ms of 250 ms allowed: 120 ms a move, 100 ms margin, 30 ms for lag`.
        """


class MoveClock:
    """The same limit for every move: milliseconds, nodes or depth."""

    def __init__(self, limit: LimitSection) -> None:
        self.used = [0.0, 0.0]
        self.credit = [0.0, 0.0]
        self._sent = _sent(limit)
        seconds, margin = limit.stall_s, 0.0
        if limit.movetime_ms is not None:
            seconds, margin = limit.movetime_ms / 1000, limit.margin_ms / 1000
        self._parts = {"a move" if limit.movetime_ms is not None else "by limit.stall_s": seconds}
        self._parts |= {"margin": margin} if margin else {}
        self._allowed = seconds + margin
        self._started = 0.0
        self._last = 0.0

    def limit(self, side: int, spent: float = 0.0) -> protocol.Limit:  # noqa: ARG002 - the same for both
        """Return the limit for the next move of `side`, after `spent` seconds of that move."""
        if not spent or self._sent.movetime_ms is None:
            return self._sent
        return protocol.Limit(movetime_ms=max(1, self._sent.movetime_ms - int(spent * 1000)))

    def start(self, side: int, now: float) -> float:
        """Start the clock of `side`; return the moment after which its move comes too late."""
        self._started = now
        return now + self._allowed + self.credit[side]

    def stop(self, side: int, now: float) -> bool:
        """Stop the clock of `side`; return whether its move came in time."""
        self._last = max(0.0, now - self._started - self.credit[side])
        self.used[side] += self._last
        return self._last <= self._allowed + ROUNDING_S

    def time_used(self, side: int) -> str:
        """Return the used and the allowed time of the last move of `side`."""
        return _of_allowed(self._last, {**self._parts, "for lag": self.credit[side]})


class GameClock:
    """A budget for all moves of a side, and an increment after each; a move may exceed it by the margin."""

    def __init__(self, limit: LimitSection) -> None:
        assert limit.base_ms is not None
        self.used = [0.0, 0.0]
        self.credit = [0.0, 0.0]
        self._left = [limit.base_ms / 1000, limit.base_ms / 1000]
        self._increment_ms = limit.increment_ms or 0
        self._margin = limit.margin_ms / 1000
        self._started = 0.0
        self._last = (0.0, 0.0)

    def limit(self, side: int, spent: float = 0.0) -> protocol.Limit:
        """Return the limit for the next move of `side`, after `spent` seconds: both clocks, at least 1 ms each."""
        left = [*self._left]
        left[side] -= spent
        first, second = (min(max(1, int(seconds * 1000)), protocol.MAX_MS) for seconds in left)
        return protocol.Limit(
            p1time_ms=first, p2time_ms=second, p1inc_ms=self._increment_ms, p2inc_ms=self._increment_ms
        )

    def start(self, side: int, now: float) -> float:
        """Start the clock of `side`; return the moment after which its move comes too late."""
        self._started = now
        return now + self._left[side] + self._margin + self.credit[side]

    def stop(self, side: int, now: float) -> bool:
        """Stop the clock of `side` and give it its increment; return whether its move came in time."""
        used, had = max(0.0, now - self._started - self.credit[side]), self._left[side]
        self.used[side] += used
        self._last = (used, had)
        self._left[side] = max(0.0, had - used) + self._increment_ms / 1000
        return used <= had + self._margin + ROUNDING_S

    def time_used(self, side: int) -> str:
        """Return the used time of the last move of `side`, and the time that was left before it."""
        used, left = self._last
        return _of_allowed(used, {"left on its clock": left, "margin": self._margin, "for lag": self.credit[side]})


def _of_allowed(used: float, parts: Mapping[str, float]) -> str:
    """Return the text of a used time, after the subtraction of lag, and of the parts of the allowed time.

    The lag is named as time that was allowed beside the limit. A used time is rounded up: what is too much looks so.
    """
    used_ms = math.ceil(1000 * (used + parts["for lag"]) - 1e-3)
    known = {name: round(1000 * seconds) for name, seconds in parts.items()}
    listed = ", ".join(f"{number} ms {name}" for name, number in known.items() if number or name == "left on its clock")
    return f"used {used_ms} ms of {sum(known.values())} ms allowed: {listed}"


@functools.cache
def _sent(limit: LimitSection) -> protocol.Limit:
    """Return the limit that players receive: one object for all games, so that sessions recognise it."""
    return protocol.Limit(movetime_ms=limit.movetime_ms, nodes=limit.nodes, depth=limit.depth)


@functools.lru_cache(maxsize=64)
def reserved(limit: protocol.Limit, reserve_ms: int) -> protocol.Limit:
    """Return the limit with every time less a reserve, but at least 1 ms."""
    times = {name: getattr(limit, name) for name in ("movetime_ms", "p1time_ms", "p2time_ms")}
    return replace(limit, **{name: max(1, time - reserve_ms) for name, time in times.items() if time is not None})


def make_clock(limit: LimitSection) -> Clock:
    """Return new clocks for one game under `limit`."""
    return MoveClock(limit) if limit.base_ms is None else GameClock(limit)
