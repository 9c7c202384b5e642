"""How sure the ratings are: the three kinds of intervals, and the likelihood of superiority (LOS)."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from tournament.ratings.likelihood import (
    BY_ADVANTAGE,
    BY_DIFFERENCE,
    NATURAL,
    Likelihood,
    Point,
    grounded,
    information,
    log_expit,
)
from tournament.ratings.pairs import Floats, Pairs

Kind = Literal["covariance", "variance", "exact"]
CONFIDENCE = 0.95

ORIGINAL_RANGE = 1500.0  # raw Elo to either side: what the original thinks possible when it makes exact marginals
ORIGINAL_BINS = 1001
ROOM = 4.0  # deviations around a rating for which our own range is widened
BINS = 4001
NEGLIGIBLE = -25.0  # natural logarithm of a density, relative to the peak, at which our own grid may end


@dataclass(frozen=True, slots=True, eq=False)
class Uncertainty:
    """What the games with their virtual draws say about the ratings around a point.

    Advantage and draw_elo count as known exactly. `original` asks for the original program's numerical habits: its
    coarse normal distribution, its grid, and no covariance where the players fall into groups.
    """

    pairs: Pairs
    point: Point
    original: bool

    def interval(self, kind: Kind) -> tuple[Floats, Floats]:
        """Return how far the 95 % interval reaches below and above each rating, in raw Elo; nan where unknown."""
        if kind == "exact":
            return self._marginal()
        deviation = np.sqrt(np.diag(self.covariance()) if kind == "covariance" else 1 / self._information().diagonal())
        reach = normal_quantile(original=self.original) * deviation
        return reach, reach

    def covariance(self) -> Floats:
        """Return the covariances, in raw Elo squared, of the ratings relative to the mean of their group.

        Between groups that never met it is 0, which says nothing (see `los`). The original has no numbers at all
        then, so all are nan if it is imitated.
        """
        groups = self.pairs.groups()
        if self.original and groups.max(initial=0) > 0:
            return np.full((self.pairs.size, self.pairs.size), np.nan)
        inverse = np.linalg.inv(grounded(self._information(), groups))
        same = groups[:, None] == groups[None, :]
        inverse = np.where(same, inverse, 0.0)
        sizes = np.bincount(groups)[groups]
        means = (inverse @ same) / sizes[:, None]
        mean_of_means = (same @ means) / sizes[:, None]
        return np.asarray(inverse - means - means.T + mean_of_means, dtype=np.float64)

    def los(self) -> Floats:
        """Return P(row stronger than column): nan on the diagonal and between players of different groups."""
        from scipy.special import ndtr

        covariance = self.covariance()
        own = np.diag(covariance)
        variance = own[:, None] + own[None, :] - 2 * covariance
        groups = self.pairs.groups()
        variance[groups[:, None] != groups[None, :]] = np.nan
        np.fill_diagonal(variance, np.nan)
        difference = self.point.elo[:, None] - self.point.elo[None, :]
        return np.asarray(ndtr(difference / np.sqrt(variance)), dtype=np.float64)

    def _information(self) -> Floats:
        """Minus the second derivatives in the ratings, per raw Elo squared."""
        weight = Likelihood(self.pairs).slopes(self.point).weight.sum(axis=0)
        return NATURAL**2 * information(self.pairs, weight)

    def _marginal(self) -> tuple[Floats, Floats]:
        """Quantiles of each rating's own density, all others moving together so that their mean stays."""
        density = _Density(self)
        deviation = 1 / np.sqrt(self._information().diagonal())
        below, above = np.zeros(self.pairs.size), np.zeros(self.pairs.size)
        for player in range(self.pairs.size):
            grid = _original_grid() if self.original else density.grid(player, float(deviation[player]))
            low, high = quantiles(grid, density.log_density(player, grid))
            below[player], above[player] = self.point.elo[player] - low, high - self.point.elo[player]
        return below, above


class _Density:
    """The posterior density of one rating at a time."""

    def __init__(self, uncertainty: Uncertainty) -> None:
        pairs = uncertainty.pairs
        self.point = uncertainty.point
        self.entries = pairs.entries()
        groups = pairs.groups()
        sizes = np.bincount(groups)[groups]
        self.others = np.full(pairs.size, pairs.size - 1) if uncertainty.original else sizes - 1

    def log_density(self, player: int, grid: Floats) -> Floats:
        """Return the logarithm of the (unnormalised) density of a player's rating at the points of a grid."""
        mine = slice(self.entries.bounds[player], self.entries.bounds[player + 1])
        others = self.point.elo[self.entries.opponent[mine], None]
        difference = grid - others + (grid - self.point.elo[player]) / self.others[player]
        total = np.zeros(grid.size)
        rows = zip(self.entries.margins[:, mine], BY_DIFFERENCE[:, 0], BY_ADVANTAGE[:, 0], strict=True)
        for margins, by_difference, by_advantage in rows:
            elo = by_difference * difference + by_advantage * self.point.advantage - self.point.draw_elo
            total += margins @ log_expit(NATURAL * elo)
        return total

    def grid(self, player: int, deviation: float) -> Floats:
        """Return a fine grid over all that matters.

        Ratings beyond the original's +-1500 are excluded as it excludes them, unless the rating itself is near there.
        """
        rating = float(self.point.elo[player])
        reach = 8 * deviation
        peak, *ends = self.log_density(player, np.array([rating, rating - reach, rating + reach]))
        while max(ends) > peak + NEGLIGIBLE and reach < 2 * ORIGINAL_RANGE:
            reach *= 1.5
            ends = list(self.log_density(player, np.array([rating - reach, rating + reach])))
        lowest = min(-ORIGINAL_RANGE, rating - ROOM * deviation)
        highest = max(ORIGINAL_RANGE, rating + ROOM * deviation)
        return np.linspace(max(lowest, rating - reach), min(highest, rating + reach), BINS)


def quantiles(grid: Floats, log_density: Floats, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the two ends of the central interval, by the trapezoidal rule and linear interpolation."""
    density = np.exp(log_density - log_density.max())
    density /= density.sum()
    threshold = (1 - confidence) / 2
    low = np.interp(threshold, np.cumsum(density) - density / 2, grid)
    backwards = density[::-1]
    high = np.interp(threshold, np.cumsum(backwards) - backwards / 2, grid[::-1])
    return float(low), float(high)


def normal_quantile(confidence: float = CONFIDENCE, *, original: bool = False) -> float:
    """Return the deviations that a central interval of the normal distribution reaches: 1.96 for 0.95.

    The original takes it from a grid of 1000 points, where it is 1.9601273.
    """
    if not original:
        return NormalDist().inv_cdf((1 + confidence) / 2)
    grid = _bin_centres(10.0, 1000)
    return quantiles(grid, -grid * grid / 2, confidence)[1]


def _original_grid() -> Floats:
    return _bin_centres(ORIGINAL_RANGE, ORIGINAL_BINS)


def _bin_centres(reach: float, bins: int) -> Floats:
    return np.asarray((np.arange(bins) + 0.5) * (2 * reach / bins) - reach, dtype=np.float64)
