"""Nash averaging (Balduzzi, Tuyls, Perolat and Graepel 2018): the score of a player against the best mixture of all.

In the meta-game two sides choose a player each, and these play a game. The share of a player in the equilibrium of
maximal entropy is its weight. A copy of a player does not change the result, and wins against weak players do not
count.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fiedler.tournament.ratings.meetings import SCORE, Meetings
from fiedler.tournament.ratings.model import MODELS, Rating
from fiedler.tournament.ratings.origin import Origin
from fiedler.tournament.ratings.pairs import Floats, Pairs
from fiedler.tournament.ratings.results import Results

TRUST = 2.0
"""Weight of the expectation of a pair, in games."""
ACCURATE = 1e-7
"""Score by which an equilibrium may be exploited."""
STEPS = 200
"""Least limit of steps of the minimisation."""
WORK = 200_000
"""Limit of steps times players; few players have more steps than `STEPS`."""
WORTH_MENTIONING = 1e-4
"""Share from which a player is considered first."""


@dataclass(frozen=True, slots=True)
class NashPlayer:
    """One player in the equilibrium."""

    name: str
    share: float
    """Probability in the mixture."""
    score: float
    """Expected score against the mixture: 0.5 for players with a share, at most 0.5 for all others."""


def nash(rating: Rating, results: Results) -> tuple[NashPlayer, ...]:
    """Return the players in the order of the ranking, with their shares in the equilibrium.

    The result is empty if players with games fall into groups that never met: their scores against each other are
    unknown.
    """
    rateable = results.rateable()
    held = np.array([place for place, name in enumerate(rateable.names) if name in rating.anchors], dtype=np.int64)
    if Origin.of(Pairs.of(rateable), held).groups.any():
        return ()
    matrix = payoffs(rating, results)
    shares = maximal_entropy_equilibrium(matrix)
    scores = 0.5 + matrix @ shares
    return tuple(
        NashPlayer(player.name, float(share), float(score))
        for player, share, score in zip(rating.players, shares, scores, strict=True)
    )


def payoffs(rating: Rating, results: Results) -> Floats:
    """Return the score of a row against a column minus 0.5, shape (players, players), in the order of the ranking.

    It is the mean of both colours. Pairs that never met have the prediction of the fit. Pairs that met move from there
    towards their own results with the number of games: residual * games / (games + 2). A player without a rating counts
    as an average one.
    """
    elo = np.nan_to_num([player.elo for player in rating.players], posinf=0.0, neginf=0.0) / rating.scale
    logs = MODELS[rating.model].log_outcomes(elo[:, None] - elo[None, :], rating.advantage, rating.draw_elo)
    first = np.tensordot(SCORE, np.exp(logs), axes=1)
    expected = (first + 1 - first.T) / 2 - 0.5
    meetings = Meetings.of(rating, results)
    excess, games = np.zeros_like(expected), np.zeros_like(expected)
    more = SCORE @ meetings.counts - meetings.games() * meetings.expected(SCORE)
    for i, j, sign in ((meetings.first, meetings.second, 1), (meetings.second, meetings.first, -1)):
        np.add.at(excess, (i, j), sign * more)
        np.add.at(games, (i, j), meetings.games())
    return np.asarray(np.clip(expected + excess / (games + TRUST), -0.5, 0.5), dtype=np.float64)


def maximal_entropy_equilibrium(matrix: Floats) -> Floats:
    """Return the mixture p of maximal entropy with matrix @ p <= 0, for an antisymmetric matrix.

    In the dual problem p is proportional to exp(matrix @ y), where y >= 0 minimises the sum. If the equilibrium
    excludes players, y grows without limit; a linear program then removes their remaining shares.
    """
    from scipy.optimize import minimize

    size = len(matrix)
    unit = float(np.abs(matrix).max(initial=0.0))
    if unit <= ACCURATE:  # rounding errors
        return np.full(size, 1 / max(size, 1))
    scaled = matrix / unit
    steps = max(STEPS, WORK // size)

    def value(y: Floats) -> tuple[float, Floats]:
        odds = scaled @ y
        top = float(odds.max())
        weights = np.exp(odds - top)
        shares = weights / weights.sum()
        return top + float(np.log(weights.sum())), scaled.T @ shares

    found = minimize(
        value,
        np.zeros(size),
        jac=True,
        bounds=[(0, None)] * size,
        method="L-BFGS-B",
        options={"maxiter": steps, "maxfun": 2 * steps, "ftol": 0.0, "gtol": 1e-9},
    )
    odds = scaled @ found.x
    shares = np.exp(odds - odds.max())
    shares /= shares.sum()
    if float((matrix @ shares).max()) <= ACCURATE:
        return np.asarray(shares, dtype=np.float64)
    return _polished(matrix, shares)


def _polished(matrix: Floats, shares: Floats) -> Floats:
    """Return the equilibrium nearest to these shares in the sum of the absolute differences.

    It begins with the players of the largest shares and adds players until there is an equilibrium.
    """
    from scipy.optimize import linprog

    order = np.argsort(-shares, kind="stable")
    count = max(int((shares > WORTH_MENTIONING).sum()), 1)
    while True:
        chosen = order[:count]
        one, zero = np.eye(count), np.zeros((len(matrix), count))
        answer = linprog(
            np.concatenate([np.zeros(count), np.ones(count)]),
            A_ub=np.block([[matrix[:, chosen], zero], [one, -one], [-one, -one]]),
            b_ub=np.concatenate([np.zeros(len(matrix)), shares[chosen], -shares[chosen]]),
            A_eq=np.concatenate([np.ones(count), np.zeros(count)])[None, :],
            b_eq=[1.0],
            bounds=[(0, None)] * (2 * count),
            method="highs",
        )
        if answer.x is not None:
            found = np.zeros(len(matrix))
            found[chosen] = np.maximum(answer.x[:count], 0.0)
            return np.asarray(found / found.sum(), dtype=np.float64)
        if count == len(matrix):
            return shares
        count = min(2 * count, len(matrix))
