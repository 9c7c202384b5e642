"""Scores of Thurstone's model (case V) with a normal prior, as a normal distribution of all of them together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, ndtr

from fiedler.tournament.ratings.pairs import Floats

PRIOR_VARIANCE = 0.5
"""Of each score, in units of the variance of one comparison."""
STEPS = 50
CLOSE = 1e-6
"""Largest change of a score by the last step."""
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(15)


@dataclass(frozen=True)
class Scores:
    """The mean of the scores, shape (players,), and their covariance, shape (players, players)."""

    mean: Floats
    covariance: Floats

    @classmethod
    def of(cls, won: Floats, start: Floats) -> Scores:
        """Return the mode and the covariance there; `won`, shape (players, players), counts the points of the rows.

        P(i beats j) = Φ(score_i - score_j). The logarithm of the posterior density is concave. Newton's method climbs
        it from `start`; a step of more than 1 is shortened.
        """
        mean, games = start, won + won.T
        prior = np.eye(len(won)) / PRIOR_VARIANCE
        for _ in range(STEPS):
            ahead = mean[:, None] - mean[None, :]
            slope = _slope(ahead)
            bend = won * slope * (slope + ahead)  # -d²/d(ahead)² of log Φ
            weight = bend + bend.T
            precision = prior + np.diag(weight.sum(axis=1)) - weight
            push = won * slope
            step = np.linalg.solve(precision, (push - push.T).sum(axis=1) - mean / PRIOR_VARIANCE)
            mean = mean + step / max(1.0, np.abs(step).max())
            if np.abs(step).max() < CLOSE or not games.any():
                break
        return cls(mean, np.asarray(np.linalg.inv(precision), dtype=np.float64))

    def gain(self) -> Floats:
        """Return the expected information gain of a comparison of each pair in nats, shape (players, players).

        It is the entropy of the result less its mean entropy for given scores: the expected divergence of the scores
        after the comparison from those before.
        """
        own = self.covariance.diagonal()
        deviation = np.sqrt(np.maximum(own + own[:, None] - 2 * self.covariance, 0.0))
        ahead = self.mean[:, None] - self.mean[None, :]
        chances = ndtr(ahead[..., None] + deviation[..., None] * NODES)
        weights = WEIGHTS / WEIGHTS.sum()
        return np.asarray(_entropy(chances @ weights) - _entropy(chances) @ weights, dtype=np.float64)


def _slope(ahead: Floats) -> Floats:
    """Return d/d(ahead) of log Φ."""
    return np.asarray(np.exp(-(ahead**2) / 2 - log_ndtr(ahead)) / np.sqrt(2 * np.pi), dtype=np.float64)


def _entropy(chance: Floats) -> Floats:
    low = np.clip(np.minimum(chance, 1 - chance), 1e-300, None)
    return np.asarray(-low * np.log(low) - (1 - low) * np.log1p(-low), dtype=np.float64)
