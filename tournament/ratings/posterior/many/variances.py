"""Variances of many ratings by random draws from their posterior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tournament.ratings.best import SEED
from tournament.ratings.pairs import Floats
from tournament.ratings.posterior.many.climb import MOST_STEPS, Separate
from tournament.ratings.posterior.many.games import ManyGames, SparseExpansion
from tournament.ratings.sparse import conjugate_gradients

DRAWS = 100
"""Draws of the variances that are shown."""
FEW_DRAWS = 16
"""Draws of a round of a search."""
ACCURACY = 1e-3
"""Relative accuracy of a draw."""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnVariances:
    """Variances in Elo squared, shape (players,), and the part of them that chance has drawn."""

    certain: Floats
    """The variance of each player given all others, which is exact."""
    drawn: Floats
    """The variance of the mean that the others give it."""
    draws: int

    @property
    def all(self) -> Floats:
        """The variances."""
        return self.certain + self.drawn

    @property
    def error(self) -> float:
        """The standard error of a standard deviation by the number of draws, relative to it; of the middle player."""
        return float(np.median(self.drawn / self.all)) * (2 / self.draws) ** 0.5 / 2


def drawn_variances(
    games: ManyGames, at: SparseExpansion, prior: Separate, draws: int = DRAWS, *, centred: bool = True
) -> DrawnVariances:
    """Return the variances of independent players beside their games, relative to the mean of all if `centred`.

    A draw solves A r = a random vector with the covariance A = L + the precisions (Papandreou and Yuille, NIPS 2010).
    The variance of a player is that given all others, 1 / A_ii, plus the variance of its conditional mean over the
    draws (Sidén, Lindgren, Bolin and Villani, J. Comput. Graph. Statist. 27, 2018). The draws are always the same.
    """
    source = np.random.default_rng(SEED)
    own = np.sqrt(prior.precision)[:, None] * source.standard_normal((games.size, draws))
    right = games.noise(at, source, draws) + own
    found = conjugate_gradients(prior.split(at), right, tolerance=ACCURACY, most=MOST_STEPS)
    inner = at.known**2 / (at.known.sum() or 1.0)
    diagonal = at.own + prior.precision - inner
    mean = (at.apart(found) - inner[:, None] * found) / diagonal[:, None]
    if centred:
        mean -= found.mean(axis=0)
    return DrawnVariances(1 / diagonal, np.asarray((mean**2).mean(axis=1), dtype=np.float64), draws)
