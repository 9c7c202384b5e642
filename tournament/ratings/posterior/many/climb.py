"""The mode of many ratings under a normal prior, by Newton's method and conjugate gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.laplace import LONG_STEP, MAX_ROUNDS
from fiedler.tournament.ratings.posterior.many.games import ManyGames, SparseExpansion
from fiedler.tournament.ratings.sparse import SplitMatrix, conjugate_gradients

SMALL_STEP = 0.02
"""Largest change by the last step in Elo; the error that it leaves is far smaller."""
ACCURACY = 1e-3
"""Relative accuracy of a step; the next one corrects its error."""
MOST_STEPS = 2000
"""Of the conjugate gradients."""


class ManyPrior(Protocol):
    """A normal prior N(0, K) of many ratings. Vectors are columns."""

    def inverse(self, columns: Floats) -> Floats:
        """Return K⁻¹ `columns`."""

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


def climb(games: ManyGames, prior: ManyPrior, near: SparseExpansion | None = None) -> ManyMode:
    """Return the mode, from ratings `near` it, unless ratings of 0 are likelier."""
    here = _Place(games.expand(np.zeros(games.size)), np.zeros(games.size))
    if near is not None:
        there = _Place(near, prior.inverse(near.point[:, None])[:, 0])
        here = max(here, there, key=lambda one: one.height)
    change = np.inf
    for _ in range(MAX_ROUNDS):
        slope = here.at.gradient - here.dual
        step = conjugate_gradients(prior.split(here.at), slope, tolerance=ACCURACY, most=MOST_STEPS)
        change = float(np.abs(step - step.mean()).max())  # a shift of all players changes nothing
        if not np.isfinite(change):
            break
        here = _advanced(games, here, step, prior.inverse(step[:, None])[:, 0])
        if change <= SMALL_STEP:
            break
    return ManyMode(here.at, here.dual, change)


class _Place(NamedTuple):
    at: SparseExpansion
    dual: Floats

    @property
    def height(self) -> float:
        return self.at.value - float(self.at.point @ self.dual) / 2


def _advanced(games: ManyGames, here: _Place, step: Floats, dual_step: Floats) -> _Place:
    """Return the place after a step, which is halved until it does not lead downhill."""
    change = float(np.abs(step).max())
    length, height = min(1.0, LONG_STEP / max(change, LONG_STEP)), here.height
    while True:
        there = _Place(games.expand(here.at.point + length * step), here.dual + length * dual_step)
        if change * length <= SMALL_STEP or there.height >= height:
            return there
        length /= 2


@dataclass(frozen=True, slots=True, eq=False)
class Separate:
    """A prior of independent players, by the precision of each, shape (players,)."""

    precision: Floats

    def inverse(self, columns: Floats) -> Floats:
        """Return K⁻¹ `columns`."""
        return np.asarray(self.precision[:, None] * columns, dtype=np.float64)

    def split(self, at: SparseExpansion) -> SplitMatrix:
        """Return L + the precisions, with its diagonal as M."""
        return _DiagonalPart(at, self.precision)


class _DiagonalPart:
    def __init__(self, at: SparseExpansion, precision: Floats) -> None:
        self._diagonal = (at.own + precision)[:, None]
        self.apart = at.apart

    def solved(self, right: Floats) -> Floats:
        return np.asarray(right / self._diagonal, dtype=np.float64)
