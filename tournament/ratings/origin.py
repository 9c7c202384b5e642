"""The zero of the scale: every group of players may shift as a whole, unless one of its players is held."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fiedler.tournament.ratings.pairs import Floats, Integers, Pairs, group_labels

SINGULAR = 1e-7
"""Relative size below which a pivot or an eigenvalue counts as 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """Groups of players with known differences, and the held players. The groups of held players form one group."""

    groups: Integers
    """The group of each player, shape (players,)."""
    floating: NDArray[np.bool_]
    """Whether the group of each player has no held player, shape (players,)."""
    held: Integers
    """The held players."""

    @classmethod
    def of(cls, pairs: Pairs, held: Integers | None = None) -> Origin:
        """Return the origin for the groups of players that games connect."""
        held = np.zeros(0, dtype=np.int64) if held is None else held
        links = (np.concatenate([pairs.low, held[:-1]]), np.concatenate([pairs.high, held[1:]]))
        groups = group_labels(pairs.size, *links) if held.size else pairs.groups()
        return cls(groups, ~np.isin(groups, groups[held]), held)

    def centred(self, elo: Floats) -> Floats:
        """Return the ratings shifted to a mean of 0 in every floating group."""
        means = np.bincount(self.groups, elo) / np.bincount(self.groups)
        return np.asarray(elo - np.where(self.floating, means[self.groups], 0.0), dtype=np.float64)

    def grounded(self, information: Floats) -> Floats:
        """Return a positive definite Laplacian, with a penalty on the undetermined mean of each floating group.

        The inverse is the Laplacian's pseudo-inverse plus 1/strength for players of the same group.
        """
        strength = float(information.diagonal().mean()) / len(self.groups) or 1.0
        if self.floating.all() and not self.groups.any():
            return information + strength
        same = (self.groups[:, None] == self.groups[None, :]) & self.floating
        return np.asarray(information + strength * same, dtype=np.float64)

    def covariance(self, information: Floats) -> Floats:
        """Return the inverse of minus the second derivatives: covariances relative to the mean of a floating group.

        They are 0 between groups, where nothing is known, and for held players. All are nan if the matrix is singular
        in floating point.
        """
        free = np.setdiff1d(np.arange(self.groups.size), self.held)
        inverse = np.zeros_like(information)
        try:
            inverse[np.ix_(free, free)] = np.linalg.inv(self.grounded(information)[np.ix_(free, free)])
        except np.linalg.LinAlgError:
            return np.full_like(information, np.nan)
        member = (self.groups[:, None] == np.arange(self.groups.max(initial=0) + 1)) & self.floating[:, None]
        sizes = np.maximum(np.bincount(self.groups), 1)[self.groups]
        means = (inverse @ member)[:, self.groups] / sizes  # over the group of the column
        mean_of_means = (member.T @ means)[self.groups] / sizes[:, None]
        covariance = inverse - means - means.T + mean_of_means
        covariance[self.groups[:, None] != self.groups[None, :]] = 0.0
        return np.asarray(covariance, dtype=np.float64)


def inverse(information: Floats) -> Floats:
    """Return the inverse, or the pseudo-inverse if the games do not determine a parameter."""
    unit = np.sqrt(information.diagonal())
    scaled = information / unit[:, None] / unit
    try:
        smallest = float(np.linalg.cholesky(scaled).diagonal().min())
    except np.linalg.LinAlgError:
        smallest = 0.0
    found = np.linalg.inv(scaled) if smallest > SINGULAR else np.linalg.pinv(scaled, rcond=SINGULAR, hermitian=True)
    return np.asarray(found / unit[:, None] / unit, dtype=np.float64)
