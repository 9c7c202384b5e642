"""The precision of ratings: the three kinds of intervals, and the likelihood of superiority (LOS)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from statistics import NormalDist
from typing import Literal

import numpy as np

from fiedler.support import stages
from fiedler.tournament.ratings.factor import InverseFactor
from fiedler.tournament.ratings.likelihood import NATURAL, Likelihood, Point, information
from fiedler.tournament.ratings.origin import Origin
from fiedler.tournament.ratings.pairs import Floats, Integers
from fiedler.tournament.ratings.sparse import MANY, Adjacency, DiagonalSplit, conjugate_gradients
from fiedler.tournament.ratings.tails import normal_cdf

Kind = Literal["covariance", "variance", "exact"]
CONFIDENCE = 0.95
"""Default probability of an interval."""

ORIGINAL_RANGE = 1500.0
"""Largest raw Elo to either side in the original's exact marginals."""
ORIGINAL_BINS = 1001
"""Points of the original's grid."""
ROOM = 4.0
"""Standard deviations around a rating that the grid here contains in any case."""
BINS = 4001
"""Points of the grid here."""
NEGLIGIBLE = -25.0
"""Natural logarithm of a density, relative to the peak, at which the grid here may end."""

POLE = float(np.pi) / NATURAL
"""Distance of the poles of a logistic function from the real axis, in raw Elo."""
DIGITS = 14.0
"""Digits of the interpolation of a logarithm of a density."""

FEW = 16
"""Covariances of so few of many players come from equations of their own."""
ACCURACY = 1e-10
"""Relative accuracy of these."""


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """The uncertainty of the ratings around a point, from the games with their virtual draws.

    Advantage, draw_elo and the ratings of held players count as exact. `original` reproduces the numerical methods of
    the original program: its coarse normal distribution, its grid, and no covariance if the players fall into groups.
    """

    likelihood: Likelihood
    point: Point
    origin: Origin
    original: bool = False
    many: int = MANY
    """More players have no covariance matrix in memory, unless it is asked for."""

    def interval(self, kind: Kind, confidence: float = CONFIDENCE) -> tuple[Floats, Floats]:
        """Return the lengths of the intervals below and above the ratings (players,) in raw Elo; nan if unknown."""
        if kind == "exact":
            return self._marginal(confidence)
        if kind == "covariance":
            deviation = np.sqrt(self.variances() if self.is_many else np.diag(self.covariance()))
        else:
            deviation = 1 / np.sqrt(self._precision())
            deviation[self.origin.held] = 0.0
        reach = normal_quantile(confidence, original=self.original) * deviation
        return reach, reach

    def covariance(self) -> Floats:
        """Return the covariances, in raw Elo squared, of the ratings relative to the mean of their group.

        It is 0 between groups that never met, where nothing is known (see `known_covariance`). The original has no
        numbers at all in that case, so all are nan if it is imitated.
        """
        return self._covariance.copy()

    @cached_property
    def _covariance(self) -> Floats:
        """Computed once: the time grows with the cube of the number of players."""
        size = self.point.elo.size
        if self._has_none:
            return np.full((size, size), np.nan)
        if self.is_many:
            return self.some_covariance(np.arange(size))
        stages.begin("errors of the ratings")
        return self.origin.covariance(information(self.likelihood.pairs, self._curvature))

    @property
    def is_many(self) -> bool:
        """Whether there are more players than `many`."""
        return self.point.elo.size > self.many

    @cached_property
    def factor(self) -> InverseFactor:
        """The exact errors of many players, computed once.

        Raises:
            LinAlgError: the information is singular in floating point.

        """
        return InverseFactor(self.likelihood.pairs, self._curvature, self.origin)

    @property
    def is_factored(self) -> bool:
        """Whether `factor` is computed."""
        return "factor" in self.__dict__

    def variances(self) -> Floats:
        """Return the diagonal of the covariances of many players, shape (players,); nan if it is unknown."""
        try:
            return np.full(self.point.elo.size, np.nan) if self._has_none else self.factor.variances()
        except np.linalg.LinAlgError:
            return np.full(self.point.elo.size, np.nan)

    def some_covariance(self, players: Integers) -> Floats:
        """Return the covariances of some of many players, shape (players, players); nan if they are unknown."""
        if self._has_none:
            return np.full((players.size, players.size), np.nan)
        if not self.is_factored and players.size <= FEW:
            return self._solved(players)
        try:
            return self.factor.covariance(players)
        except np.linalg.LinAlgError:
            return np.full((players.size, players.size), np.nan)

    def _solved(self, players: Integers) -> Floats:
        """Return the same, one equation for each player."""
        pairs, curvature = self.likelihood.pairs, self._curvature
        unit, moves = np.zeros((pairs.size, players.size)), np.ones(pairs.size, dtype=np.bool_)
        unit[players, np.arange(players.size)] = 1.0
        moves[self.origin.held] = False
        unit *= moves[:, None]
        split = DiagonalSplit(pairs.per_player(curvature, curvature), Adjacency(pairs).of(curvature), moves)
        right = np.stack([self.origin.centred(one) for one in unit.T], axis=1) * moves[:, None]
        found = conjugate_gradients(split, right, tolerance=ACCURACY, most=2 * pairs.size + 100)
        return np.stack([self.origin.centred(one)[players] for one in found.T], axis=1)

    @property
    def _has_none(self) -> bool:
        """Whether the original program has no covariance."""
        return bool(self.original and self.origin.groups.max(initial=0) > 0)

    @cached_property
    def _curvature(self) -> Floats:
        """The information of each pair, per raw Elo squared."""
        return NATURAL**2 * self.likelihood.slopes(self.point).curvature

    def known_covariance(self) -> Floats:
        """Return the covariances with nan between groups that never met."""
        covariance = self.covariance()
        covariance[self.origin.groups[:, None] != self.origin.groups[None, :]] = np.nan
        return covariance

    def los(self) -> Floats:
        """Return P(row stronger than column): nan on the diagonal and between players of different groups."""
        covariance = self.known_covariance()
        own = np.diag(covariance)
        variance = np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0.0)
        np.fill_diagonal(variance, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):  # two held players; infinite ratings
            difference = self.point.elo[:, None] - self.point.elo[None, :]
            return normal_cdf(difference / np.sqrt(variance))

    def _precision(self) -> Floats:
        """Return the diagonal of minus the second derivatives in the ratings, per raw Elo squared."""
        return self.likelihood.pairs.per_player(self._curvature, self._curvature)

    def _marginal(self, confidence: float) -> tuple[Floats, Floats]:
        """Return the interval from each rating's own density, in which all others shift together to keep the mean."""
        density = _Density(self)
        deviation = 1 / np.sqrt(self._precision())
        size = self.point.elo.size
        below, above = np.zeros(size), np.zeros(size)
        stages.begin("exact intervals", size)
        for player in range(size):
            grid = _original_grid() if self.original else density.grid(player, float(deviation[player]))
            low, high = quantiles(grid, density.interpolated(player, grid), confidence)
            below[player], above[player] = self.point.elo[player] - low, high - self.point.elo[player]
            stages.step()
        return below, above


class _Density:
    """The posterior density of one rating at a time."""

    def __init__(self, uncertainty: Uncertainty) -> None:
        pairs = uncertainty.likelihood.pairs
        self.point = uncertainty.point
        self.log_outcomes = uncertainty.likelihood.log_outcomes
        self.entries = pairs.entries()
        groups = uncertainty.origin.groups
        sizes = np.bincount(groups)[groups]
        self.others = np.full(pairs.size, pairs.size - 1) if uncertainty.original else sizes - 1

    def log_density(self, player: int, grid: Floats) -> Floats:
        """Return the logarithm of the (unnormalised) density of a player's rating at the points of a grid."""
        mine = slice(self.entries.bounds[player], self.entries.bounds[player + 1])
        others = self.point.elo[self.entries.opponent[mine], None]
        difference = grid - others + (grid - self.point.elo[player]) / self.others[player]
        advantage, draw_elo = self.point.advantage, self.point.draw_elo
        total = np.zeros(grid.size)
        for side, counts in ((1, self.entries.counts[:3, mine]), (-1, self.entries.counts[3:, mine])):
            for logs, count in zip(self.log_outcomes(side * difference, advantage, draw_elo), counts, strict=True):
                total += count @ logs
        return total

    def interpolated(self, player: int, grid: Floats) -> Floats:
        """Return the same on an even grid, from its values at few points: the Chebyshev points between its ends.

        No singularity is nearer than `POLE`, so every point divides the error by a factor that is known in advance
        (Trefethen, Approximation Theory, theorem 8.2).
        """
        middle, reach = (grid[0] + grid[-1]) / 2, (grid[-1] - grid[0]) / 2
        height = POLE / (1 + 1 / self.others[player]) / reach  # the others move too
        count = int(DIGITS * np.log(10) / np.log(height + np.sqrt(1 + height**2))) + 8
        if count >= grid.size:
            return self.log_density(player, grid)
        points, matrix = _chebyshev(-(-count // 8) * 8, grid.size)  # few different counts, so that the cache hits
        return np.asarray(matrix @ self.log_density(player, middle + reach * points), dtype=np.float64)

    def grid(self, player: int, deviation: float) -> Floats:
        """Return a fine grid around a rating, up to a negligible density.

        Like the original's, it ends at +-1500, unless the rating itself is near or beyond. It reaches at most twice
        that range from the rating, however uncertain the rating is.
        """
        rating = float(self.point.elo[player])
        room = min(ROOM * deviation, ORIGINAL_RANGE)
        reach = min(8 * deviation, 2 * ORIGINAL_RANGE)
        peak, *ends = self.log_density(player, np.array([rating, rating - reach, rating + reach]))
        while max(ends) > peak + NEGLIGIBLE and reach < 2 * ORIGINAL_RANGE:
            reach *= 1.5
            ends = list(self.log_density(player, np.array([rating - reach, rating + reach])))
        lowest, highest = min(-ORIGINAL_RANGE, rating - room), max(ORIGINAL_RANGE, rating + room)
        return np.linspace(max(lowest, rating - reach), min(highest, rating + reach), BINS)


@lru_cache(16)
def _chebyshev(count: int, size: int) -> tuple[Floats, Floats]:
    """Return the Chebyshev points of [-1, 1], and the matrix from values there to values on an even grid."""
    places = np.arange(count)
    points = np.cos(np.pi * places / (count - 1))
    signs = np.where(places % 2, -1.0, 1.0)
    signs[[0, -1]] /= 2
    distance = np.linspace(-1, 1, size)[:, None] - points
    hit = np.abs(distance) < 1e-14
    distance[hit] = 1.0
    matrix = signs / distance
    matrix[hit.any(axis=1)] = 0.0
    matrix[hit] = 1.0
    return points, np.asarray(matrix / matrix.sum(axis=1, keepdims=True), dtype=np.float64)


def quantiles(grid: Floats, log_density: Floats, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the ends of the central interval, by the trapezoidal rule and linear interpolation."""
    density = np.exp(log_density - log_density.max())
    density /= density.sum()
    threshold = (1 - confidence) / 2
    low = np.interp(threshold, np.cumsum(density) - density / 2, grid)
    backwards = density[::-1]
    high = np.interp(threshold, np.cumsum(backwards) - backwards / 2, grid[::-1])
    return float(low), float(high)


def normal_quantile(confidence: float = CONFIDENCE, *, original: bool = False) -> float:
    """Return the half-width of a central interval of the normal distribution: 1.96 for 0.95.

    The original computes it on a grid of 1000 points: 1.9601273.
    """
    if not original:
        return NormalDist().inv_cdf((1 + confidence) / 2)
    grid = _bin_centres(10.0, 1000)
    return quantiles(grid, -grid * grid / 2, confidence)[1]


def _original_grid() -> Floats:
    return _bin_centres(ORIGINAL_RANGE, ORIGINAL_BINS)


def _bin_centres(reach: float, bins: int) -> Floats:
    return np.asarray((np.arange(bins) + 0.5) * (2 * reach / bins) - reach, dtype=np.float64)
