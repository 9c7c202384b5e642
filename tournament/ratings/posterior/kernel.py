"""The prior covariance of players in an order: a level, a slope, white noise, a Wiener process and its integral."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fiedler.tournament.ratings.pairs import Floats, Integers

Warp = Literal["linear", "logarithmic"]
LOG_SHIFT = 0.1
"""Added to a place from 0 to 1 before its logarithm."""
LEVEL_SD = 1000.0
"""Of the level of a series, and of the mean of the free players, in Elo: nearly unknown."""
SLOPE_SD = 3000.0
"""Of the slope of a series, in Elo from its first player to its last."""


@dataclass(frozen=True, slots=True, eq=False)
class OrderedPlayers:
    """A series: its players in the order of their numbers, by their places in the ratings."""

    stem: str
    players: Integers
    numbers: Floats
    """Rising, in the unit of the names."""

    def places(self, warp: Warp) -> Floats:
        """Return the places of the players from 0 to 1."""
        even = (self.numbers - self.numbers[0]) / (self.numbers[-1] - self.numbers[0])
        bent = even if warp == "linear" else np.log1p(even / LOG_SHIFT) / np.log1p(1 / LOG_SHIFT)
        return np.asarray(bent, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """Prior covariances K = fixed + Σ θ² part, each of shape (players, players), for raw ratings.

    The parts: white noise, Wiener process, integrated Wiener process; and the free players if there are any.
    """

    fixed: Floats
    parts: tuple[Floats, ...]

    @classmethod
    def of(cls, size: int, lines: Sequence[OrderedPlayers], warps: Sequence[Warp]) -> Kernel:
        """Return the covariances of `size` players, of which some are in lines; all others are free."""
        fixed, noise, wiener, smooth = (np.zeros((size, size)) for _ in range(4))
        free = np.ones(size, dtype=np.bool_)
        for line, warp in zip(lines, warps, strict=True):
            place, block = line.places(warp), np.ix_(line.players, line.players)
            low, high = np.minimum(place, place[:, None]), np.maximum(place, place[:, None])
            ahead = place - place.mean()
            fixed[block] = LEVEL_SD**2 + SLOPE_SD**2 * np.outer(ahead, ahead)
            noise[block] = np.eye(place.size)
            wiener[block] = low
            smooth[block] = low**2 * (3 * high - low) / 6
            free[line.players] = False
        fixed += LEVEL_SD**2 * np.outer(free, free)
        return cls(fixed, (noise, wiener, smooth, *_own_block(free)))

    def covariance(self, theta: Floats) -> Floats:
        """Return K for standard deviations, shape (parts,), in Elo."""
        varying = sum(one**2 * part for one, part in zip(theta.tolist(), self.parts, strict=True))
        return np.asarray(self.fixed + varying, dtype=np.float64)


def _own_block(free: NDArray[np.bool_]) -> tuple[Floats, ...]:
    return (np.diag(free.astype(np.float64)),) if free.any() else ()
