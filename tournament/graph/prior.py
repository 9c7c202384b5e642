"""What is known about the ratings besides games: a prior precision, reduced to what it says about differences."""

from __future__ import annotations

import numpy as np

from fiedler.tournament.graph.errors import DesignError
from fiedler.tournament.graph.spectrum import Array, laplacian

_SYMMETRY = 1e-6
"""Largest difference between a matrix and its transpose, and largest negative eigenvalue, relative to the matrix."""
_DETERMINED = 1e-12
"""Least eigenvalue of the normalised prior above which it determines all differences: well above rounding."""


def square_matrix(players: int, values: Array, name: str) -> Array:
    """Return a matrix of option `name` made exactly symmetric.

    Raises:
        DesignError: it is not a symmetric N x N matrix of finite numbers.
    """
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.shape != (players, players):
        shape = " x ".join(map(str, matrix.shape)) or "one number"
        raise DesignError(f"{name}: expected a matrix of {players} x {players}, got {shape}")
    if not np.isfinite(matrix).all():
        raise DesignError(f"{name}: expected finite numbers")
    if np.abs(matrix - matrix.T).max() > _SYMMETRY * np.abs(matrix).max():
        raise DesignError(f"{name}: expected a symmetric matrix")
    if (np.diag(matrix) < 0).any():
        raise DesignError(f"{name}: expected a diagonal of at least 0, got {np.diag(matrix).min():g}")
    return np.asarray(0.5 * (matrix + matrix.T))


def of_differences(players: int, precision: Array | None) -> Array | None:
    """Return what a prior precision P says about differences: S = P - P 1 1^T P / (1^T P 1), with S 1 = 0.

    For the Laplacian L of games and the projection J onto mean-free vectors, J (L + P)^-1 J is the pseudo-inverse of
    L + S. So a prior enters every search as the Laplacian of earlier games does. None: there is no prior, or it is 0.

    Raises:
        DesignError: P is not a symmetric positive semidefinite N x N matrix of finite numbers.
    """
    if precision is None:
        return None
    matrix = square_matrix(players, precision, "precision")
    lowest = float(np.linalg.eigvalsh(matrix)[0])
    if lowest < -_SYMMETRY * float(matrix.trace()):
        raise DesignError(f"precision: expected no negative eigenvalue, got {lowest:g}")
    return without_level(matrix) if matrix.any() else None


def without_level(precision: Array) -> Array:
    """Return P - P 1 1^T P / (1^T P 1): the prior once the level of all ratings is free."""
    sums = precision.sum(axis=1)
    total = float(sums.sum())
    free = precision
    if total > len(precision) * 1e-14 * float(precision.trace()):  # else the level is free already
        free = precision - np.outer(sums, sums) / total
    return laplacian(np.diag(np.diag(free)) - free)  # the diagonal from the row sums: exact for large entries, too


def determines(differences: Array | None) -> bool:
    """Return whether a prior determines every difference, so that no game is needed to connect the players."""
    if differences is None:
        return False
    own = np.diag(differences)
    if (own <= 0).any():
        return False
    root = np.sqrt(own)
    return bool(np.linalg.eigvalsh(differences / np.outer(root, root))[1] > _DETERMINED)
