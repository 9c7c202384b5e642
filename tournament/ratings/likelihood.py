"""The Bayes-Elo model: how likely the games are, given ratings, the advantage of moving first and the draw parameter.

With raw ratings r, D = r_first - r_second, advantage a and draw_elo d, all in Elo:

    P(first wins) = 1 / (1 + 10^((-D - a + d) / 400))      P(second wins) = 1 / (1 + 10^((D + a + d) / 400))
    P(draw) = 1 - both = (10^(2d / 400) - 1) * P(first wins) * P(second wins)

This is the model of Rao and Kupper (1967) for ties in paired comparisons. Its log-likelihood is a sum of log-logistic
functions of linear expressions plus (draws) * log(10^(2d/400) - 1), hence concave in all parameters at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tournament.ratings.pairs import Floats, Integers, Pairs

NATURAL = float(np.log(10)) / 400
"""What one Elo is in units of the natural logarithm of the odds."""

BY_DIFFERENCE = np.array([[1.0], [-1.0], [-1.0], [1.0]])
"""How the four rows of `Entries.margins` depend on (own rating - opponent's rating)."""

BY_ADVANTAGE = np.array([[1.0], [-1.0], [1.0], [-1.0]])
"""How they depend on the advantage. All four fall with draw_elo."""


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """A value of everything the games can tell: raw ratings, advantage and draw_elo, in Elo."""

    elo: Floats
    advantage: float
    draw_elo: float


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """Derivatives of the log-likelihood at a point, per natural unit (1 unit = 400/ln 10 Elo).

    `gradient`, shape (players + 2,): the ratings, then advantage and draw_elo. `weight`, shape (4, pairs): minus the
    second derivative of each of the four terms of a pair. `draw_curvature`: what the draws add to that of draw_elo.
    """

    gradient: Floats
    weight: Floats
    draw_curvature: float


def scale(draw_elo: float) -> float:
    """Return what a raw Elo is multiplied by to be shown.

    With it the expected score has, between equal players, the slope of the plain logistic curve.
    """
    x = 10 ** (-draw_elo / 400)
    return 4 * x / (1 + x) ** 2


def log_expit(odds: Floats) -> Floats:
    """Return log(1 / (1 + exp(-odds))) of each, exact at both ends."""
    # scipy has it too, and takes long to import
    return np.asarray(np.minimum(odds, 0) - np.log1p(np.exp(-np.abs(odds))), dtype=np.float64)


class Likelihood:
    """The log-likelihood of one set of games."""

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs
        self.margins = pairs.margins()
        self.draws = pairs.draws()

    def value(self, point: Point) -> float:
        """Return the natural logarithm of the likelihood; minus infinity for draws where draw_elo is 0."""
        terms = self.margins * log_expit(self._odds(point))
        if not self.draws:
            return float(terms.sum())
        with np.errstate(divide="ignore"):
            return float(terms.sum() + self.draws * np.log(np.expm1(2 * NATURAL * point.draw_elo)))

    def slopes(self, point: Point) -> Slopes:
        """Return the first and second derivatives."""
        missing = np.exp(log_expit(-self._odds(point)))
        push = self.margins * missing
        by_difference = (push * BY_DIFFERENCE).sum(axis=0)
        excess = -np.expm1(-2 * NATURAL * point.draw_elo)
        by_draw = (2 * self.draws / excess if self.draws else 0.0) - push.sum()
        of_parameters = np.array([(push * BY_ADVANTAGE).sum(), by_draw])
        gradient = np.concatenate([self.pairs.per_player(by_difference, -by_difference), of_parameters])
        curvature = 4 * self.draws * (1 - excess) / excess**2 if self.draws else 0.0
        return Slopes(gradient, push * (1 - missing), float(curvature))

    def _odds(self, point: Point) -> Floats:
        difference = point.elo[self.pairs.low] - point.elo[self.pairs.high]
        elo = BY_DIFFERENCE * difference + BY_ADVANTAGE * point.advantage - point.draw_elo
        return np.asarray(NATURAL * elo, dtype=np.float64)


def information(pairs: Pairs, weight: Floats) -> Floats:
    """Return minus the second derivative in the ratings alone, shape (players, players): a Laplacian matrix.

    `weight` has shape (pairs,). The unit is that of `weight`: per natural unit squared if it comes from `Slopes`.
    """
    matrix = np.zeros((pairs.size, pairs.size))
    matrix[pairs.low, pairs.high] = matrix[pairs.high, pairs.low] = -weight
    np.fill_diagonal(matrix, pairs.per_player(weight, weight))
    return matrix


def grounded(matrix: Floats, groups: Integers) -> Floats:
    """Make a Laplacian positive definite by charging for the mean of each group, which no game determines.

    The result's inverse is the Laplacian's pseudo-inverse plus 1/strength for players of the same group.
    """
    strength = float(matrix.diagonal().mean()) / len(groups) or 1.0
    return np.asarray(matrix + strength * (groups[:, None] == groups[None, :]), dtype=np.float64)
