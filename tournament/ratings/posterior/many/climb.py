"""The mode of many ratings under a normal prior, by Newton's method and conjugate gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.laplace import LONG_STEP, MAX_ROUNDS
from fiedler.tournament.ratings.posterior.many.games import ManyGames, SparseExpansion
from fiedler.tournament.ratings.sparse import SplitMatrix, conjugate_gradients

SMALL_STEP = 1e-3
"""Largest change by the last step in Elo."""
ACCURACY = 1e-4
"""Relative accuracy of a step; the next one corrects its error."""
MOST_STEPS = 2000
"""Of the conjugate gradients."""


class ManyPrior(Protocol):
    """A normal prior N(0, K) of many ratings."""

    def split(self, at: SparseExpansion) -> SplitMatrix:
        """Return L + K⁻¹ as M − S, with S of the games."""


@dataclass(frozen=True, slots=True, eq=False)
class ManyMode:
    """The mode of the ratings in raw Elo."""

    at: SparseExpansion
    """The likelihood there."""
    dual: Floats
    """K⁻¹ times the mode, shape (players,)."""
    change: float
    """The change by the last step in Elo."""

    @property
    def height(self) -> float:
        """The logarithm of likelihood and prior, up to the constant of the prior."""
        return self.at.value - float(self.at.point @ self.dual) / 2

    @property
    def unfinished(self) -> float:
        """The change by the last step in Elo if the climb did not converge, else 0."""
        return self.change if self.change > SMALL_STEP else 0.0


def climb(games: ManyGames, prior: ManyPrior, start: ManyMode | None = None) -> ManyMode:
    """Return the mode; `start` is that of the same prior, or of none."""
    at, dual = (games.expand(np.zeros(games.size)), np.zeros(games.size)) if start is None else (start.at, start.dual)
    change = np.inf
    for _ in range(MAX_ROUNDS):
        pull = at.gradient - dual
        step = conjugate_gradients(prior.split(at), pull, tolerance=ACCURACY, most=MOST_STEPS)
        change = float(np.abs(step).max())
        if not np.isfinite(change):
            break
        at, dual = _advanced(games, at, dual, step, pull - at.times(step[:, None])[:, 0])
        if change <= SMALL_STEP:
            break
    return ManyMode(at, dual, change)


def _advanced(
    games: ManyGames, at: SparseExpansion, dual: Floats, step: Floats, dual_step: Floats
) -> tuple[SparseExpansion, Floats]:
    """Return the expansion and the dual after a step, which is halved until it does not lead downhill."""
    change = float(np.abs(step).max())
    length, height = min(1.0, LONG_STEP / max(change, LONG_STEP)), at.value - float(at.point @ dual) / 2
    while True:
        point, moved = at.point + length * step, dual + length * dual_step
        if change * length <= SMALL_STEP or games.value(point) - float(point @ moved) / 2 >= height:
            return games.expand(point), moved
        length /= 2


@dataclass(frozen=True, slots=True, eq=False)
class Separate:
    """A prior of independent players, by the precision of each, shape (players,)."""

    precision: Floats

    def split(self, at: SparseExpansion) -> SplitMatrix:
        """Return L + the precisions, with its diagonal as M."""
        return _DiagonalPart(at, self.precision)


class _DiagonalPart:
    def __init__(self, at: SparseExpansion, precision: Floats) -> None:
        self._diagonal = (at.own + precision)[:, None]
        self.apart = at.apart

    def solved(self, right: Floats) -> Floats:
        return np.asarray(right / self._diagonal, dtype=np.float64)
