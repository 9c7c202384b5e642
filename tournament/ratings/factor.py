"""The exact errors of many players: the inverse of one Cholesky factor, in a single matrix of their size."""

from __future__ import annotations

import time

import numpy as np

from fiedler.support import stages
from fiedler.tournament.ratings.origin import Origin
from fiedler.tournament.ratings.pairs import Floats, Integers, Pairs

BLOCK = 512
"""Rows of a step, few enough for the display of progress and enough for fast products of matrices."""
MOST = 10_000
"""Most players: their matrix takes 800 MB."""


class InverseFactor:
    """W with Wᵀ W = the inverse of the information, whose columns are the players.

    The time grows with the cube of the number of players, and the memory with its square: 8 bytes an element.
    """

    def __init__(self, pairs: Pairs, weight: Floats, origin: Origin, block: int = BLOCK) -> None:
        """Factor the information of `weight`, shape (pairs,).

        Raises:
            LinAlgError: the matrix is singular in floating point.

        """
        free = np.setdiff1d(np.arange(pairs.size), origin.held)
        self._row = np.full(pairs.size, -1)
        self._row[free] = np.arange(free.size)
        self._origin = origin
        own = pairs.per_player(weight, weight)
        self._strength = float(own.mean()) / pairs.size or 1.0
        self._sizes = np.bincount(origin.groups)[origin.groups]
        matrix = self._grounded(pairs, weight, own)
        steps = -(-free.size // block)
        stages.begin(f"exact errors of {free.size:,} players, about {_seconds(free.size):.0f} s", 2 * steps)
        _factor(matrix, block)
        self._inverse = _inverted(matrix, block)

    def _grounded(self, pairs: Pairs, weight: Floats, own: Floats) -> Floats:
        """Return the information of the players who are not held, with the penalty of `Origin.grounded`."""
        low, high = self._row[pairs.low], self._row[pairs.high]
        both = (low >= 0) & (high >= 0)
        matrix = np.zeros((int(self._row.max()) + 1,) * 2)
        matrix[high[both], low[both]] = matrix[low[both], high[both]] = -weight[both]
        np.fill_diagonal(matrix, own[self._row >= 0])
        groups = self._origin.groups[self._row >= 0]
        for group in np.unique(groups[self._origin.floating[self._row >= 0]]):
            rows = np.flatnonzero(groups == group)
            if rows.size == len(matrix):
                matrix += self._strength
            else:
                matrix[np.ix_(rows, rows)] += self._strength
        return matrix

    def variances(self) -> Floats:
        """Return the variances relative to the mean of a floating group, shape (players,); 0 for held players."""
        found = np.zeros(self._row.size)
        rows = [
            np.arange(start, min(start + BLOCK, len(self._inverse))) for start in range(0, len(self._inverse), BLOCK)
        ]
        own = [np.einsum("ij,ij->j", self._inverse[one[0] :, one], self._inverse[one[0] :, one]) for one in rows]
        found[self._row >= 0] = np.concatenate(own)
        return np.asarray(found - self._shift(), dtype=np.float64)

    def covariance(self, players: Integers, others: Integers | None = None) -> Floats:
        """Return the covariances of some players with others, or among themselves: 0 between groups."""
        others = players if others is None else others
        columns = [np.where(self._row[of] >= 0, self._inverse[:, self._row[of]], 0.0) for of in (players, others)]
        groups = self._origin.groups
        same = groups[players][:, None] == groups[others]
        return np.asarray(np.where(same, columns[0].T @ columns[1] - self._shift()[players][:, None], 0.0))

    def _shift(self) -> Floats:
        """Return the variance of the mean of each player's floating group by the penalty alone, shape (players,)."""
        return np.where(self._origin.floating, 1 / (self._strength * self._sizes**2), 0.0)


def _factor(matrix: Floats, block: int) -> None:
    """Replace the lower triangle of a positive definite matrix by its Cholesky factor."""
    for start in range(0, len(matrix), block):
        end = min(start + block, len(matrix))
        panel = matrix[start:, start:end]
        panel -= matrix[start:, :start] @ matrix[start:end, :start].T
        panel[: end - start] = np.linalg.cholesky(panel[: end - start])
        panel[end - start :] = np.linalg.solve(panel[: end - start], panel[end - start :].T).T
        matrix[start:end, end:] = 0.0
        stages.step()


def _inverted(factor: Floats, block: int) -> Floats:
    """Replace a lower triangular matrix by its inverse, and return it."""
    for start in range(0, len(factor), block):
        end = min(start + block, len(factor))
        own = np.linalg.inv(factor[start:end, start:end])
        ahead = factor[start:end, :start].copy()
        for first in range(0, start, block):  # the inverse so far is triangular
            last = first + block
            factor[start:end, first:last] = -own @ (ahead[:, first:] @ factor[first:start, first:last])
        factor[start:end, start:end] = np.tril(own)
        stages.step()
    return factor


def _seconds(size: int) -> float:
    """Return the expected time, from that of a small product."""
    one = np.ones((BLOCK, BLOCK))
    start = time.perf_counter()
    one @ one
    return 2 / 3 * (size / BLOCK) ** 3 / 2 * (time.perf_counter() - start)
