"""Variances of many ratings by random draws from their posterior."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.many.climb import MOST_STEPS, Separate
from fiedler.tournament.ratings.posterior.many.games import ManyGames, RandomNormals, SparseExpansion
from fiedler.tournament.ratings.sparse import conjugate_gradients

DRAWS = 100
"""Draws of the variances that are shown."""
FEW_DRAWS = 16
"""Least draws of a round of a search."""
NUMBERS = 160_000
"""Players times draws of a round, for fewer players."""
ACCURACY, ROUGH = 3e-3, 1e-2
"""Relative accuracy of a draw, and that of a round of a search."""


def draws_of_search(players: int) -> int:
    """Return the draws of a round of a search: the fewer the players, the more chance has each."""
    return min(DRAWS, max(FEW_DRAWS, NUMBERS // players))


@dataclass(frozen=True, slots=True, eq=False)
class DrawnVariances:
    """Variances in Elo squared, shape (players,), and the part of them that chance has drawn."""

    certain: Floats
    """The variance of each player given all others, which is exact."""
    drawn: Floats
    """The variance of the mean that the others give it."""
    solutions: Floats
    """The draws, shape (players, draws)."""

    @property
    def all(self) -> Floats:
        """The variances."""
        return self.certain + self.drawn

    @property
    def centred(self) -> Floats:
        """The variances relative to the mean of all players, with which every player shares its variance."""
        return self.all - float((self.solutions.mean(axis=0) ** 2).mean())

    @property
    def error(self) -> float:
        """The standard error of a standard deviation by the number of draws, relative to it; of the middle player."""
        return float(np.median(self.drawn / self.all)) * math.sqrt(2 / self.solutions.shape[1]) / 2


def drawn_variances(
    games: ManyGames,
    at: SparseExpansion,
    prior: Separate,
    normal: RandomNormals,
    near: Floats | None = None,
    accuracy: float = ACCURACY,
) -> DrawnVariances:
    """Return the variances of players who are independent but for their games; `near` are draws of a similar prior.

    A draw solves A r = a random vector with the covariance A = L + the precisions (Papandreou and Yuille, NIPS 2010).
    The variance of a player is that given all others, 1 / A_ii, plus the variance of its conditional mean over the
    draws (Sidén, Lindgren, Bolin and Villani, J. Comput. Graph. Statist. 27, 2018).
    """
    split, own = prior.split(at), prior.precision[:, None]
    right = games.noise(at, normal) + np.sqrt(own) * normal.of_prior
    if near is None:
        found = conjugate_gradients(split, right, tolerance=accuracy, most=MOST_STEPS)
    else:
        rest = right - at.times(near) - own * near
        found = near + conjugate_gradients(split, rest, tolerance=accuracy, most=MOST_STEPS, square=games.size)
    inner = at.known**2 / (at.known.sum() or 1.0)
    diagonal = at.own + prior.precision - inner
    mean = (at.apart(found) - inner[:, None] * found) / diagonal[:, None]
    return DrawnVariances(1 / diagonal, np.asarray((mean**2).mean(axis=1), dtype=np.float64), found)
