"""The covariances of some of many players, without those of all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fiedler.tournament.ratings.intervals import Uncertainty
from fiedler.tournament.ratings.pairs import Floats, Integers


@dataclass(frozen=True, slots=True, eq=False)
class SomeOfMany:
    """The precision of some of many players, by their places in a ranking; all in scaled Elo."""

    uncertainty: Uncertainty
    scale: float
    """Scaled Elo per raw Elo."""
    numbers: Integers
    """The number of each place's player in the uncertainty, shape (places,); -1 for players without games."""

    @property
    def is_exact(self) -> bool:
        """Whether the exact errors of all players are known, so that any covariance costs little."""
        return self.uncertainty.is_factored

    def comparable(self, places: Integers) -> bool:
        """Return whether chains of games connect all these players."""
        return bool(np.ptp(self.uncertainty.origin.groups[self.numbers[places]]) == 0)

    def covariance(self, places: Integers) -> Floats:
        """Return the covariances, shape (places, places), relative to the mean of all players."""
        return self.scale**2 * self.uncertainty.some_covariance(self.numbers[places])

    def difference_errors(self, place: int) -> Floats:
        """Return the standard errors of the differences to one player, shape (all places,); nan where unknown."""
        known = self.numbers >= 0
        groups = self.uncertainty.origin.groups[self.numbers]
        known &= groups == groups[place]
        mine, others = self.numbers[[place]], self.numbers[known]
        own = self.uncertainty.variances()
        shared = self.uncertainty.factor.covariance(others, mine)[:, 0]
        found = np.full(self.numbers.size, np.nan)
        found[known] = self.scale * np.sqrt(np.maximum(own[others] + own[mine] - 2 * shared, 0.0))
        return found
