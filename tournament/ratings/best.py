"""The probability of each player to be the best, the games to decide it, and the loss with the leader as the choice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fiedler.tournament.ratings.intervals import CONFIDENCE
from fiedler.tournament.ratings.pairs import Floats, Integers
from fiedler.tournament.ratings.tails import normal_cdf

SEED = 1
"""Seed of the draws: the same ratings give the same probabilities."""
MOST_DRAWS = 100_000
"""Random ratings of all players; the standard error of a probability is then at most 0.16 %."""
LEAST_DRAWS = 2_000
"""Random ratings for many players; the standard error is then at most 1.1 %."""
OPERATIONS = 2e9
"""Most operations of all draws; a draw takes the square of the number of rivals."""
AT_A_TIME = 200_000
"""Numbers drawn at a time, so that running games wait for a few milliseconds only."""
NEGLIGIBLE = 1e-7
"""Probability to be above the leader from which a player is a rival."""
JITTER = 1e-9
"""Fraction of the mean variance added to the diagonal, so that a singular covariance can be factored."""


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """P(best) of every player, and the games to decide."""

    chances: Floats
    """P(best) of each player, shape (players,)."""
    growth: float
    """Factor of the games until the leader is best with the requested confidence; at least 1, or inf."""


def best(elo: Floats, covariance: Floats, confidence: float = CONFIDENCE) -> Best:
    """Return P(best) of each player for jointly normal ratings; the leader has the highest `elo`.

    `elo`, shape (players,), and `covariance`, shape (players, players), are finite and in the same unit. P(best) of a
    player is the probability of the orthant in which its differences to all others are positive (Genz and Bretz,
    Computation of Multivariate Normal and t Probabilities, 2009). It is estimated from random ratings with a fixed
    seed and clipped to its bounds from pairs of players: at most the smallest P(above another), at least one minus the
    sum of P(below another). For two players these bounds coincide and are exact.

    `growth` assumes that the ratings stay the same and that further games are distributed like those so far. Then f
    times the games divide every covariance by f. The leader is ahead by D_j, with random errors e_j of these
    differences. It is best after f times the games if max(e_j / D_j) < sqrt(f), so the quantile of this maximum gives
    f.
    """
    field = _Rivals.of(elo, covariance)
    wins, needed = _drawn(field, confidence)
    chances = np.zeros(elo.size)
    chances[field.places] = np.minimum(wins[1:], field.above[field.places])
    chances[field.leader] = min(max(wins[0], 1 - field.above.sum()), 1 - field.above.max(initial=0.0))
    return Best(chances, max(1.0, needed * abs(needed)))


def losses(elo: Floats, covariance: Floats) -> Floats:
    """Return max r - r_leader in random ratings, shape (draws,), each at least 0; arguments as for `best`.

    The share of those up to a distance is the probability that the leader is within it of the best; their mean is the
    expected loss. The fixed seed makes both functions of the arguments.
    """
    field = _Rivals.of(elo, covariance)
    behind = [(error - field.ahead).max(axis=1, initial=0.0) for error in field.draws()]
    return np.concatenate(behind)


@dataclass(frozen=True, slots=True, eq=False)
class _Rivals:
    """The leader, and the players who may be above it with more than a negligible probability."""

    leader: int
    above: Floats
    """P(above the leader) of each player, shape (players,)."""
    places: Integers
    """The rivals among the players, shape (rivals,)."""
    ahead: Floats
    """The leader's lead over each rival, shape (rivals,)."""
    errors: Floats
    """Covariance of the differences of the rivals to the leader, shape (rivals, rivals)."""

    @classmethod
    def of(cls, elo: Floats, covariance: Floats) -> _Rivals:
        leader = int(elo.argmax())
        ahead = elo[leader] - elo
        shared = covariance[leader]
        errors = covariance - shared - shared[:, None] + shared[leader]
        with np.errstate(divide="ignore", invalid="ignore"):  # players that are held have no error
            above = np.where(ahead > 0, normal_cdf(-ahead / np.sqrt(np.maximum(errors.diagonal(), 0.0))), 0.5)
        above[leader] = 0.0
        places = np.flatnonzero(above > NEGLIGIBLE)
        return cls(leader, above, places, ahead[places], errors[np.ix_(places, places)])

    def draws(self) -> Iterator[Floats]:
        """Give random errors of the differences, shape (some, rivals) each, the same in every call."""
        count = self.ahead.size
        number = int(min(MOST_DRAWS, max(LEAST_DRAWS, OPERATIONS / max(count, 1) ** 2)))
        source, root = np.random.default_rng(SEED), square_root(self.errors).T
        for start in range(0, number, step := max(1, AT_A_TIME // max(count, 1))):
            yield source.standard_normal((min(step, number - start), count)) @ root


def _drawn(field: _Rivals, confidence: float) -> tuple[Floats, float]:
    """Return the shares of random ratings in which the leader and each rival is best, and the quantile of e / D."""
    count = field.ahead.size
    wins, furthest = np.zeros(count + 1), []
    for error in field.draws():
        behind = np.hstack([np.zeros((len(error), 1)), error - field.ahead])
        wins += np.bincount(behind.argmax(axis=1), minlength=count + 1)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            furthest.append(np.where(error > 0, error / field.ahead, -np.inf).max(axis=1, initial=-np.inf))
    quotients = np.concatenate(furthest)
    return wins / quotients.size, float(np.quantile(quotients, confidence, method="higher"))


def square_root(covariance: Floats) -> Floats:
    """Return F with F Fᵀ = covariance, which may be singular."""
    jitter = JITTER * covariance.diagonal().mean() if covariance.size else 0.0
    try:
        return np.asarray(np.linalg.cholesky(covariance + jitter * np.eye(len(covariance))), dtype=np.float64)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(covariance)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)), dtype=np.float64)
