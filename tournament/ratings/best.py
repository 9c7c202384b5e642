"""The probability of each player to be the best, and the number of games to decide it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tournament.ratings.intervals import CONFIDENCE
from tournament.ratings.pairs import Floats

SEED = 1
MOST_DRAWS = 100_000
"""random ratings of all players; the standard error of a probability is at most 0.16 %"""
LEAST_DRAWS = 2_000
"""where players are many: 1.1 %"""
OPERATIONS = 2e9
"""that the draws may take, the square of the players in question each"""
AT_A_TIME = 200_000
"""numbers that are drawn together: games that are played meanwhile wait no longer than some milliseconds"""
NEGLIGIBLE = 1e-7
"""probability to be above the leader, below which a player is not in question"""
JITTER = 1e-9
"""of a variance, which keeps a singular covariance factorable"""


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """What the ratings say about who is best."""

    chances: Floats
    """P(best) of each player, shape (players,)."""
    growth: float
    """By what factor the games must grow until the leader is best with the confidence asked for; at least 1, or inf."""


def best(elo: Floats, covariance: Floats, confidence: float = CONFIDENCE) -> Best:
    """Return who is best under the joint normal distribution of the ratings, the leader being the highest of `elo`.

    `elo`, shape (players,), and `covariance`, shape (players, players), in the same unit, all of them known. P(best) of
    a player is the probability of the orthant in which its differences to all others are positive (Genz and Bretz,
    Computation of Multivariate Normal and t Probabilities, 2009). It is estimated from random ratings with a fixed
    seed, and lies between the bounds that two players at a time give: at most the smallest P(above another), at least
    one minus the sum of P(below another), which for two players are one and exact.

    `growth` supposes that ratings stay where they are and that further games are spread as those were, so that f times
    the games make every covariance 1/f of it. The leader, ahead by D_j, with random errors e_j of these differences, is
    best among f times the games where max(e_j / D_j) < sqrt(f): its quantile is the answer.
    """
    from scipy.special import ndtr

    leader = int(elo.argmax())
    ahead = elo[leader] - elo
    shared = covariance[leader]
    errors = covariance - shared - shared[:, None] + shared[leader]
    with np.errstate(divide="ignore", invalid="ignore"):  # players that are held have no error
        above = np.where(ahead > 0, ndtr(-ahead / np.sqrt(np.maximum(errors.diagonal(), 0.0))), 0.5)
    above[leader] = 0.0
    rivals = np.flatnonzero(above > NEGLIGIBLE)
    wins, needed = _drawn(ahead[rivals], errors[np.ix_(rivals, rivals)], confidence)
    chances = np.zeros(elo.size)
    chances[rivals] = np.minimum(wins[1:], above[rivals])
    chances[leader] = min(max(wins[0], 1 - above.sum()), 1 - above.max(initial=0.0))
    return Best(chances, max(1.0, needed * abs(needed)))


def _drawn(ahead: Floats, errors: Floats, confidence: float) -> tuple[Floats, float]:
    """Return the shares of random ratings in which the leader and each rival is best, and the quantile of e / D."""
    count = ahead.size
    draws = int(min(MOST_DRAWS, max(LEAST_DRAWS, OPERATIONS / max(count, 1) ** 2)))
    source, factor = np.random.default_rng(SEED), _factor(errors).T
    wins, furthest = np.zeros(count + 1), []
    for start in range(0, draws, step := max(1, AT_A_TIME // max(count, 1))):
        error = source.standard_normal((min(step, draws - start), count)) @ factor
        behind = np.hstack([np.zeros((len(error), 1)), error - ahead])
        wins += np.bincount(behind.argmax(axis=1), minlength=count + 1)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            furthest.append(np.where(error > 0, error / ahead, -np.inf).max(axis=1, initial=-np.inf))
    return wins / draws, float(np.quantile(np.concatenate(furthest), confidence, method="higher"))


def _factor(covariance: Floats) -> Floats:
    """Return F with F Fᵀ the covariance, also where it is singular."""
    jitter = JITTER * covariance.diagonal().mean() if covariance.size else 0.0
    try:
        return np.asarray(np.linalg.cholesky(covariance + jitter * np.eye(len(covariance))), dtype=np.float64)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(covariance)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)), dtype=np.float64)
