"""Many players drawn from one normal distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fiedler.tournament.ratings.best import SEED
from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.many.climb import ACCURACY, MOST_STEPS, ManyMode, Separate, climb
from fiedler.tournament.ratings.posterior.many.determinant import log_determinant
from fiedler.tournament.ratings.posterior.many.games import ManyGames, RandomNormals, SparseExpansion
from fiedler.tournament.ratings.posterior.many.variances import ROUGH, DrawnVariances, drawn_variances, draws_of_search
from fiedler.tournament.ratings.posterior.normal import LEAST_SD, MOST_SD
from fiedler.tournament.ratings.sparse import conjugate_gradients

SETTLED = 0.002
"""Change of the logarithm of the deviation below which the search ends."""
MOST_ROUNDS = 30
BEND = 1.0
"""Elo of the step of a numerical derivative."""


@dataclass(frozen=True, slots=True, eq=False)
class ManyNormalFit:
    """The posterior of the ratings with the most likely deviation, in raw Elo.

    The dense fit integrates over the deviation; thousands of players leave no doubt about it.
    """

    mode: ManyMode
    prior: Separate
    sd: float
    evidence: float
    """Natural logarithm of the probability of the observations."""
    normal: RandomNormals
    """The random numbers of the search."""


def many_normal_fit(games: ManyGames, sd: float, near: SparseExpansion | None = None) -> ManyNormalFit:
    """Return the posterior of players from N(μ, s²), from a first guess of s, and of the ratings if there is one.

    The evidence and its density, which is proportional to s, have their maximum where s is `_better` than itself; the
    secant method finds it.
    """
    log_sd = math.log(min(max(sd, LEAST_SD), MOST_SD))
    normal = RandomNormals.of(games, draws_of_search(games.size))
    before, found = None, None
    for _ in range(MOST_ROUNDS):
        mode = _mode(games, log_sd, near)
        near = mode.at
        prior = Separate(np.full(games.size, math.exp(-2 * log_sd)))
        found = drawn_variances(games, mode.at, prior, normal, None if found is None else found.solutions, ROUGH)
        gain = _better(games, mode, prior, found) - log_sd
        step = gain
        if before is not None and gain != before[1]:
            slope = (gain - before[1]) / (log_sd - before[0])
            step = float(np.clip(-gain / min(slope, -0.1), -0.7, 0.7))
        before = log_sd, gain
        log_sd = float(np.clip(log_sd + step, math.log(LEAST_SD), math.log(MOST_SD)))
        if abs(log_sd - before[0]) < SETTLED:
            break
    mode = _mode(games, log_sd, near)
    prior = Separate(np.full(games.size, math.exp(-2 * log_sd)))
    volume = log_determinant(mode.at, prior.precision, np.random.default_rng(SEED)) + 2 * games.size * log_sd
    return ManyNormalFit(mode, prior, math.exp(log_sd), mode.height - volume / 2, normal)


def _mode(games: ManyGames, log_sd: float, near: SparseExpansion | None) -> ManyMode:
    return climb(games, Separate(np.full(games.size, math.exp(-2 * log_sd))), near)


def _better(games: ManyGames, mode: ManyMode, prior: Separate, found: DrawnVariances) -> float:
    """Return log s of the next round of the EM algorithm, whose fixed point is the maximum.

    s² = (|m|² + tr A⁻¹) / (players − 1 + ½ tr A⁻¹ ∂L/∂log s): the last term is the change of the information with the
    mode.
    """
    squares = float((mode.at.point**2).sum() + found.all.sum())
    return math.log(squares / (games.size - 1 + _bend(games, mode, prior, found.solutions) / 2)) / 2


def _bend(games: ManyGames, mode: ManyMode, prior: Separate, draws: Floats) -> float:
    """Return tr A⁻¹ ∂L/∂log s."""
    moved = conjugate_gradients(prior.split(mode.at), 2 * mode.dual, tolerance=ACCURACY, most=MOST_STEPS)
    unit = BEND / max(float(np.abs(moved).max()), 1e-300)
    ends = [games.expand(mode.at.point + side * unit * moved).weight for side in (1, -1)]
    change = (ends[0] - ends[1]) / (2 * unit)
    apart = draws[games.pairs.low] - draws[games.pairs.high]
    return float(change @ (apart**2).mean(axis=1))
