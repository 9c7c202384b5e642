"""One direction of a wire: when does a packet leave at the far end, how often, or never."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

LATE_S = 0.02
"""Seconds by which a packet is kept back that later ones overtake."""
BITS = 8


@dataclass(frozen=True)
class Quality:
    """The properties of a direction."""

    delay_s: float = 0.0
    """Seconds from one end to the other."""
    jitter_s: float = 0.0
    """The most further seconds, evenly distributed; packets keep their order."""
    loss: float = 0.0
    """The share of packets that are lost, 0 to 1."""
    duplicate: float = 0.0
    """The share of packets that come twice."""
    reorder: float = 0.0
    """The share of packets that come LATE_S late, so that others may overtake them."""
    rate: float = math.inf
    """Bits per second."""
    queue: int = 1 << 16
    """The most bytes that wait for a slow line; more are lost."""


class Lane:
    """The packets of one direction; the same seed, packets and moments have the same fates."""

    def __init__(self, seed: str) -> None:
        self.quality = Quality()
        self.is_cut = False
        """Whether nothing comes through."""
        self.passed = self.lost = 0
        """Numbers of packets."""
        self._random = random.Random(seed)
        self._free_at = self._last = -math.inf
        """The moment from which the line is free, and the latest one at which a packet leaves."""

    def moments(self, size: int, now: float) -> list[float]:
        """Return the moments at which a packet of some bytes leaves: none, one, or two of them."""
        quality = self.quality
        start = max(now, self._free_at)
        is_lost = self._random.random() < quality.loss  # a cut line draws its numbers, too
        if self.is_cut or is_lost or (start - now) * quality.rate > BITS * quality.queue:
            self.lost += 1
            return []
        self.passed += 1
        self._free_at = start + BITS * size / quality.rate
        leaves = self._free_at + quality.delay_s + self._random.random() * quality.jitter_s
        if self._random.random() < quality.reorder:
            leaves += LATE_S
        else:
            leaves = self._last = max(leaves, self._last)
        return [leaves] * (2 if self._random.random() < quality.duplicate else 1)
