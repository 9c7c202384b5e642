"""The posterior under a normal prior, by Laplace's approximation: the mode, the covariance there, and the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.observations import Expansion, Observations

MAX_ROUNDS = 200
"""Steps of Newton's method here, and rounds of a fit of the prior, after which it is given up."""
LONG_STEP = 300.0
"""Largest change by a step in Elo."""
SMALL_STEP = 1e-4
"""Largest change by the last step in Elo."""


@dataclass(frozen=True, eq=False)
class Laplace:
    """The posterior of ratings with the prior N(0, K), all in raw Elo."""

    prior: Floats
    """K, shape (players, players), or its diagonal, shape (players,)."""
    at: Expansion
    """The likelihood at the mode; `at.point` are the means."""
    dual: Floats
    """α with mode = K α, shape (players,): the start of a climb with another K."""
    evidence: float
    """Natural logarithm of the probability of the observations."""
    change: float = 0.0
    """The change by the last step in Elo; infinite after a step that could not be made."""

    @cached_property
    def covariance(self) -> Floats:
        """The covariance, shape (players, players); computed when it is asked for, because a search needs few."""
        return symmetric(np.linalg.solve(_system(self.prior, self.at), _times(self.prior, np.eye(self.dual.size))))

    @property
    def unfinished(self) -> float:
        """The change by the last step in Elo if the climb did not converge, else 0."""
        return self.change if self.change > SMALL_STEP else 0.0


def laplace(observed: Observations, prior: Floats, dual: Floats | None = None) -> Laplace:
    """Return the posterior for the prior covariance K, from the start r = K `dual`.

    `prior` is K, shape (players, players), or the diagonal of a diagonal K, shape (players,), which saves time.

    K may be singular: all is computed from I + K L, as by Rasmussen and Williams, Gaussian Processes for Machine
    Learning (2006), section 3.4.
    """
    at, dual = _start(observed, prior, np.zeros(observed.size) if dual is None else dual)
    change = np.inf
    for _ in range(MAX_ROUNDS):
        at, dual, change = _step(observed, prior, at, dual)
        if change <= SMALL_STEP or change == np.inf:
            break
    with np.errstate(invalid="ignore"):  # of a prior that is not finite
        evidence = at.total - float(at.point @ dual) / 2 - log_determinant(_system(prior, at)) / 2
    return Laplace(prior, at, dual, evidence, change)


def _times(prior: Floats, other: Floats) -> Floats:
    """Return K times a vector or a matrix."""
    return np.asarray(prior @ other if prior.ndim == 2 else (prior * other.T).T, dtype=np.float64)


def _system(prior: Floats, at: Expansion) -> Floats:
    """Return I + K L."""
    return np.asarray(np.eye(len(prior)) + _times(prior, at.information), dtype=np.float64)


def _start(observed: Observations, prior: Floats, dual: Floats) -> tuple[Expansion, Floats]:
    """Return the expansion at K `dual`, or at 0 if that is higher: a dual of another K may be anywhere."""
    at, flat = observed.expand(_times(prior, dual)), observed.expand(np.zeros(observed.size))
    return (at, dual) if at.value - float(at.point @ dual) / 2 >= flat.value else (flat, np.zeros(observed.size))


def _step(observed: Observations, prior: Floats, at: Expansion, dual: Floats) -> tuple[Expansion, Floats, float]:
    """Return the expansion after one step of Newton's method, its dual, and the largest change in Elo.

    A step that is not finite is not made; its change is infinite.
    """
    pull = at.pull
    target = np.linalg.solve(_system(prior, at), _times(prior, pull))
    step, dual_step = target - at.point, pull - at.information @ target - dual
    change = float(np.abs(step).max(initial=0.0))
    if not np.isfinite(change):
        return at, dual, np.inf
    length, height = min(1.0, LONG_STEP / max(change, LONG_STEP)), at.value - float(at.point @ dual) / 2
    while True:  # ends, because the change is finite
        point, moved = at.point + length * step, dual + length * dual_step
        there = observed.expand(point)
        if change * length <= SMALL_STEP or there.value - float(point @ moved) / 2 >= height:
            return there, moved, change
        length /= 2


def log_determinant(matrix: Floats) -> float:
    """Return the logarithm of a positive determinant."""
    return float(np.linalg.slogdet(matrix)[1])


def symmetric(matrix: NDArray[np.floating[Any]]) -> Floats:
    """Return a matrix that rounding made slightly asymmetric as a symmetric one."""
    return np.asarray((matrix + matrix.T) / 2, dtype=np.float64)
