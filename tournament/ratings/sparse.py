"""Many players: their information as a sparse matrix, and its equations by preconditioned conjugate gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from fiedler.tournament.ratings.pairs import Floats, Pairs

if TYPE_CHECKING:  # scipy is slow to import, and few tournaments are so large
    from scipy.sparse import csr_array

MANY = 2000
"""Players up to which every matrix is dense, and every number as exact as its floats."""
FAINT = 1e-100
"""Least diagonal element, instead of 0."""


class SplitMatrix(Protocol):
    """A symmetric positive definite matrix M − S, where equations with M are easy. Vectors are columns."""

    def solved(self, right: Floats) -> Floats:
        """Return M⁻¹ `right`, shape (rows, columns)."""

    def apart(self, columns: Floats) -> Floats:
        """Return S `columns`, shape (rows, columns)."""


class Adjacency:
    """The pairs as a symmetric sparse matrix: its places are found once, its values change."""

    def __init__(self, pairs: Pairs) -> None:
        player, opponent = np.concatenate([pairs.low, pairs.high]), np.concatenate([pairs.high, pairs.low])
        order = np.lexsort((opponent, player))
        self._pair = order % max(pairs.low.size, 1)
        self._opponent = opponent[order]
        self._bounds = np.concatenate([[0], np.cumsum(np.bincount(player, minlength=pairs.size))])
        self._size = pairs.size

    def of(self, weight: Floats) -> csr_array:
        """Return the matrix with the weight of each pair, shape (pairs,), at both of its places."""
        from scipy.sparse import csr_array

        shape = (self._size, self._size)
        return csr_array((weight[self._pair], self._opponent, self._bounds), shape=shape)


class DiagonalSplit:
    """D − S for a diagonal D, shape (rows,), and a sparse S; rows and columns that do not move are left out of S."""

    def __init__(self, diagonal: Floats, apart: csr_array, moves: NDArray[np.bool_] | None = None) -> None:
        self.diagonal = np.maximum(diagonal, FAINT)
        self._apart = apart
        self._moves = None if moves is None or moves.all() else moves[:, None]

    def solved(self, right: Floats) -> Floats:
        """Return D⁻¹ `right`."""
        return np.asarray(right / self.diagonal[:, None], dtype=np.float64)

    def apart(self, columns: Floats) -> Floats:
        """Return S `columns`, which are 0 where they do not move."""
        found = np.asarray(self._apart @ columns, dtype=np.float64)
        return found if self._moves is None else np.where(self._moves, found, 0.0)


def conjugate_gradients(
    matrix: SplitMatrix, right: Floats, *, tolerance: float, most: int, square: float | None = None
) -> Floats:
    """Solve (M − S) x = `right` for every column, from x = 0, with M as the preconditioner.

    M itself is never applied: M p follows from the residuals. A singular matrix is allowed where `right` is in its
    range; the part of x in its null space is then arbitrary.

    Parameters
    ----------
    matrix : SplitMatrix
        Of N rows.
    right : ndarray of float64, shape (N,) or (N, columns)
        The right sides.
    tolerance : float
        The length of the residuals in the metric of M⁻¹, at which the steps end, relative to theirs now.
    most : int
        Steps after which they end in any case.
    square : float, optional
        The square of the length that the tolerance is relative to, where `right` is what an earlier solution left over:
        N for a random right side with the covariance M − S. Default: that of each column of `right`.

    Returns
    -------
    ndarray of float64, shape of `right`

    """
    residual = _columns(right).copy()
    found, ahead = np.zeros_like(residual), matrix.solved(residual)
    times = residual.copy()  # M ahead
    image, moved = np.empty_like(found), np.empty_like(found)
    length = _dots(residual, ahead)
    enough = tolerance**2 * (length if square is None else square)
    if (length <= enough).all():
        return found.reshape(right.shape)
    for _ in range(most):
        image = np.subtract(times, matrix.apart(ahead), out=image)
        step = _ratio(length, _dots(ahead, image))
        if not step.any():
            break
        found += np.multiply(step, ahead, out=moved)
        residual -= np.multiply(step, image, out=moved)
        descent = matrix.solved(residual)
        before, length = length, _dots(residual, descent)
        if (length <= enough).all():
            break
        share = _ratio(length, before)
        ahead *= share
        ahead += descent
        times *= share
        times += residual
    return found.reshape(right.shape)


def _columns(values: Floats) -> Floats:
    return values if values.ndim == 2 else values[:, None]


def _dots(one: Floats, other: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->j", one, other), dtype=np.float64)


def _ratio(above: Floats, below: Floats) -> Floats:
    """Return the quotients; 0 where a column has come to its end."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
