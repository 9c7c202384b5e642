"""The learning rate by iteration: it rises, then falls along half a cosine (Loshchilov and Hutter 2017)."""

from __future__ import annotations

import math
from typing import Protocol


class Rates(Protocol):
    """The keys of a recipe that define the learning rate."""

    @property
    def rate(self) -> float:
        """The highest rate."""

    @property
    def final_rate(self) -> float:
        """The rate of the last iteration."""

    @property
    def warmup(self) -> int:
        """The iterations over which the rate rises."""


def learning_rate(settings: Rates, iteration: int, iterations: int) -> float:
    """Return the rate of an iteration, counted from 0, of a run of `iterations`."""
    s, last = settings, iterations - 1
    if iteration < s.warmup:
        return s.rate * (iteration + 1) / (s.warmup + 1)
    done = (iteration - s.warmup) / max(last - s.warmup, 1)
    return s.final_rate + (s.rate - s.final_rate) * (1 + math.cos(math.pi * done)) / 2
