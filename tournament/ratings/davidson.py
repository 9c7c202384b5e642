"""Davidson's model of draws (1970): the odds of a draw are proportional to the geometric mean of those of win and loss.

With x = (r_first - r_second + a) * ln 10 / 400 and the draw parameter d, written as draw_elo:

    P(first wins) : P(draw) : P(second wins)  =  e^(x/2) : (10^(d/400) - 1) : e^(-x/2)

so that d gives the same share of draws as in the Bayes-Elo model between equal players without advantage. A rating
depends on the sum of points alone (an exponential family); in the Bayes-Elo model a draw weighs as a win and a loss.
The log-likelihood is concave in ratings, advantage and the logarithm of the draws' odds, its coordinate of the draws.
"""

from __future__ import annotations

import numpy as np

from fiedler.tournament.ratings.likelihood import NATURAL, Point, Slopes
from fiedler.tournament.ratings.pairs import Floats, Pairs

SIDE = np.array([[1.0], [-1.0]])
"""Sign of (lower - higher player) for the two colours of a pair."""


class Davidson:
    """The log-likelihood of one set of games in Davidson's model; see `Likelihood`."""

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs
        self.counts = pairs.counts.astype(np.float64).reshape(2, 3, -1)
        """By colour: first wins, draws, second wins."""

    @staticmethod
    def scale(draw_elo: float) -> float:
        """Return scaled Elo per raw Elo."""
        return float(2 / (1 + 10 ** (draw_elo / 400)))

    @staticmethod
    def log_outcomes(difference: Floats, advantage: float, draw_elo: float) -> Floats:
        """Return the logarithms of P(first wins), P(draw), P(second wins), shape (3, …)."""
        half = NATURAL * (np.asarray(difference) + advantage) / 2
        with np.errstate(divide="ignore"):
            draws = np.broadcast_to(np.log(np.expm1(NATURAL * draw_elo)), half.shape)
        odds = np.stack([half, draws, -half])
        return np.asarray(odds - np.logaddexp.reduce(odds, axis=0), dtype=np.float64)

    def value(self, point: Point) -> float:
        """Return the natural logarithm of the likelihood; minus infinity for draws if draw_elo is 0."""
        return self._value(self._logs(point))

    def slopes(self, point: Point) -> Slopes:
        """Return the first and second derivatives: actual minus expected results, and their covariances."""
        logs = self._logs(point)
        wins, draws, losses = np.exp(logs).transpose(1, 0, 2)
        games = self.counts.sum(axis=1)
        tilt = wins - losses
        more = (self.counts[:, 0] - self.counts[:, 2] - games * tilt) / 2
        of_score = games * (wins + losses - tilt**2) / 4
        of_both = -games * draws * tilt / 2
        of_draws = games * draws * (1 - draws)
        by_difference = (SIDE * more).sum(axis=0)
        by_draws = (self.counts[:, 1] - games * draws).sum()
        return Slopes(
            self._value(logs),
            np.concatenate([self.pairs.per_player(by_difference, -by_difference), [more.sum(), by_draws]]),
            curvature=of_score.sum(axis=0),
            with_advantage=(SIDE * of_score).sum(axis=0),
            with_draws=(SIDE * of_both).sum(axis=0),
            parameters=np.array([[of_score.sum(), of_both.sum()], [of_both.sum(), of_draws.sum()]]),
        )

    def moved(self, point: Point, step: Floats, length: float) -> Point:
        """Return the point after `length` of a step; the draws' coordinate is log(10^(draw_elo/400) - 1)."""
        elo = point.elo + length * step[:-2] / NATURAL
        advantage = point.advantage + length * float(step[-2]) / NATURAL
        if not step[-1]:
            return Point(elo, advantage, point.draw_elo)
        odds = np.log(np.expm1(NATURAL * point.draw_elo)) + length * step[-1]
        return Point(elo, advantage, float(np.logaddexp(odds, 0)) / NATURAL)

    def room(self, point: Point, step: Floats) -> float:  # noqa: ARG002
        """Return 1: this coordinate is unbounded."""
        return 1.0

    def _value(self, logs: Floats) -> float:
        terms = self.counts * logs
        return float(terms[self.counts > 0].sum())

    def _logs(self, point: Point) -> Floats:
        """Logarithms of the probabilities, shape (2, 3, pairs)."""
        difference = point.elo[self.pairs.low] - point.elo[self.pairs.high]
        logs = self.log_outcomes(SIDE * difference, point.advantage, point.draw_elo)
        return np.asarray(logs.transpose(1, 0, 2), dtype=np.float64)
