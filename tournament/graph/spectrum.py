"""Laplacians of meeting graphs; the precision of a ranking from their eigenvalues."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Edge = tuple[int, int]

CONNECTED = 1e-7
"""A λ2 above this counts as connected: far above rounding, far below the path's 2 - 2 cos(π/N) for any N we serve."""


def laplacian(adjacency: Array) -> Array:
    """Return D - A of a symmetric matrix of edge weights with a zero diagonal."""
    return np.diag(adjacency.sum(axis=1)) - adjacency


def adjacency(players: int, edges: Iterable[Edge], weights: Array | None = None) -> Array:
    """Return the symmetric 0/1 matrix of `edges`, times `weights` (N x N) if given; an edge named twice counts once."""
    matrix = np.zeros((players, players))
    for i, j in edges:
        matrix[i, j] = matrix[j, i] = 1.0
    return matrix if weights is None else matrix * weights


def lambda2(matrix: Array) -> float:
    """Return the Fiedler value of a Laplacian, its second smallest eigenvalue (0 for a single player)."""
    return float(max(0.0, np.linalg.eigvalsh(matrix)[1])) if len(matrix) > 1 else 0.0


def mean_free_trace(matrix: Array) -> float:
    """Return tr(L^+), the sum of 1/λ over the eigenvalues but the zero one; infinite for a disconnected graph."""
    values = np.linalg.eigvalsh(matrix)[1:]
    scale = max(1.0, float(np.max(values, initial=0.0)))
    if len(values) and values[0] <= 1e-12 * scale:
        return float("inf")
    return float(np.sum(1.0 / values))


def rms_error(information: Array) -> float:
    """Return the predicted RMS error in Elo, sqrt(tr(L^+)/N), of a Laplacian of Fisher information in Elo^-2.

    This is the Cramér-Rao figure with the mean rating fixed at 0 (A-criterion); infinite for a disconnected graph.
    """
    scale = float(np.max(np.diag(information), initial=0.0)) or 1.0
    return float(np.sqrt(mean_free_trace(information / scale) / scale / len(information)))


def connected(players: int, edges: Iterable[Edge]) -> bool:
    """Tell whether the graph of these edges reaches every player."""
    return components(players, edges) == 1


def components(players: int, edges: Iterable[Edge]) -> int:
    """Count the connected parts of a graph (union-find)."""
    parent = list(range(players))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, j in edges:
        parent[root(i)] = root(j)
    return sum(root(i) == i for i in range(players))
