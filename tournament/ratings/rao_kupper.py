"""The Bayes-Elo model: the likelihood of games, given ratings, the advantage of moving first and the draw parameter.

With raw ratings r, D = r_first - r_second, advantage a and draw_elo d, all in Elo:

    P(first wins) = 1 / (1 + 10^((-D - a + d) / 400))      P(second wins) = 1 / (1 + 10^((D + a + d) / 400))
    P(draw) = 1 - both = (10^(2d / 400) - 1) * P(first wins) * P(second wins)

This is the model of Rao and Kupper (1967) for ties in paired comparisons. Its log-likelihood is a sum of log-logistic
functions of linear expressions plus (draws) * log(10^(2d/400) - 1), hence concave in all parameters at once.
"""

from __future__ import annotations

import numpy as np

from fiedler.tournament.ratings.likelihood import NATURAL, Point, Slopes, log_expit
from fiedler.tournament.ratings.pairs import Floats, Pairs

BY_DIFFERENCE = np.array([[1.0], [-1.0], [-1.0], [1.0]])
"""Sign of (own rating - opponent's rating) in the four rows of `Pairs.margins`."""

BY_ADVANTAGE = np.array([[1.0], [-1.0], [1.0], [-1.0]])
"""Sign of the advantage in them. All four fall with draw_elo, which is this model's coordinate of the draws."""


class RaoKupper:
    """The log-likelihood of one set of games in the Bayes-Elo model; see `Likelihood`."""

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs
        self.margins = pairs.margins()
        self.draws = pairs.draws()

    @staticmethod
    def scale(draw_elo: float) -> float:
        """Return scaled Elo per raw Elo."""
        x = 10 ** (-draw_elo / 400)
        return 4 * x / (1 + x) ** 2

    @staticmethod
    def log_outcomes(difference: Floats, advantage: float, draw_elo: float) -> Floats:
        """Return the logarithms of P(first wins), P(draw), P(second wins), shape (3, …)."""
        ahead = difference + advantage
        wins, losses = (log_expit(NATURAL * (side * ahead - draw_elo)) for side in (1, -1))
        with np.errstate(divide="ignore"):
            return np.stack([wins, np.log(np.expm1(2 * NATURAL * draw_elo)) + wins + losses, losses])

    def value(self, point: Point) -> float:
        """Return the natural logarithm of the likelihood; minus infinity for draws if draw_elo is 0."""
        return float((self.margins * log_expit(self._odds(point))).sum()) + self._of_draws(point)

    def slopes(self, point: Point) -> Slopes:
        """Return the first and second derivatives."""
        odds = self._odds(point)
        logs = log_expit(-odds)
        missing = np.exp(logs)
        push = self.margins * missing
        weight = push * (1 - missing)
        by_difference = (push * BY_DIFFERENCE).sum(axis=0)
        excess = -np.expm1(-2 * NATURAL * point.draw_elo)
        by_draw = (2 * self.draws / excess if self.draws else 0.0) - push.sum()
        of_draws = 4 * self.draws * (1 - excess) / excess**2 if self.draws else 0.0
        all_weight, across = weight.sum(), -(weight * BY_ADVANTAGE).sum()
        return Slopes(
            float((self.margins * (logs + odds)).sum()) + self._of_draws(point),
            np.concatenate(
                [
                    self.pairs.per_player(by_difference, -by_difference),
                    [(push * BY_ADVANTAGE).sum(), by_draw],
                ]
            ),
            curvature=weight.sum(axis=0),
            with_advantage=(weight * BY_DIFFERENCE * BY_ADVANTAGE).sum(axis=0),
            with_draws=-(weight * BY_DIFFERENCE).sum(axis=0),
            parameters=np.array([[all_weight, across], [across, all_weight + of_draws]]),
        )

    def moved(self, point: Point, step: Floats, length: float) -> Point:
        """Return the point after `length` of a step; the draws' coordinate is draw_elo itself."""
        change = length * step / NATURAL
        return Point(point.elo + change[:-2], point.advantage + float(change[-2]), point.draw_elo + float(change[-1]))

    def room(self, point: Point, step: Floats) -> float:
        """Return the largest length, at most 1, that leaves draw_elo positive."""
        fall = -float(step[-1]) / NATURAL
        return min(1.0, 0.9 * point.draw_elo / fall) if fall > 0 else 1.0

    def _of_draws(self, point: Point) -> float:
        """Return the part of the log-likelihood that only draw_elo changes."""
        if not self.draws:
            return 0.0
        with np.errstate(divide="ignore"):
            return float(self.draws * np.log(np.expm1(2 * NATURAL * point.draw_elo)))

    def _odds(self, point: Point) -> Floats:
        difference = point.elo[self.pairs.low] - point.elo[self.pairs.high]
        elo = BY_DIFFERENCE * difference + BY_ADVANTAGE * point.advantage - point.draw_elo
        return np.asarray(NATURAL * elo, dtype=np.float64)
