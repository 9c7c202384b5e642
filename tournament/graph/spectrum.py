"""Laplacians of meeting graphs; the precision of a ranking from their eigenvalues."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Edge = tuple[int, int]

CONNECTED = 1e-7
"""λ2 above which a graph is connected: far above rounding, far below the path's 2 - 2 cos(π/N) for every N in use."""


def laplacian(adjacency: Array) -> Array:
    """Return the Laplacian D - A of a weighted graph.

    Parameters
    ----------
    adjacency : ndarray of float64, shape (N, N)
        Symmetric weights of the edges, with a zero diagonal.

    Returns
    -------
    ndarray of float64, shape (N, N)
        In the unit of the weights.

    Examples
    --------
    >>> from fiedler.tournament.graph.spectrum import adjacency, laplacian
    >>> laplacian(adjacency(3, [(0, 1), (1, 2)])).tolist()
    [[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]]

    """
    return np.diag(adjacency.sum(axis=1)) - adjacency


def adjacency(players: int, edges: Iterable[Edge], weights: Array | None = None) -> Array:
    """Return the adjacency matrix of a graph.

    Parameters
    ----------
    players : int
        N.
    edges : iterable of (i, j)
        Pairs of players, 0-based. A repeated edge counts once.
    weights : ndarray of float64, shape (N, N), optional
        Symmetric weights of the edges. Default: 1.

    Returns
    -------
    ndarray of float64, shape (N, N)
        Symmetric; 0 where there is no edge.

    Examples
    --------
    >>> from fiedler.tournament.graph.spectrum import adjacency
    >>> adjacency(3, [(0, 1), (1, 2)]).tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]

    """
    matrix = np.zeros((players, players))
    for i, j in edges:
        matrix[i, j] = matrix[j, i] = 1.0
    return matrix if weights is None else matrix * weights


def lambda2(matrix: Array) -> float:
    """Return the Fiedler value, the second smallest eigenvalue of a Laplacian.

    Parameters
    ----------
    matrix : ndarray of float64, shape (N, N)
        The Laplacian.

    Returns
    -------
    float
        At least 0, in the unit of the weights; 0 for a disconnected graph and for a single player.

    Examples
    --------
    >>> from fiedler.tournament.graph.spectrum import adjacency, lambda2, laplacian
    >>> ring = adjacency(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    >>> round(lambda2(laplacian(ring)), 6)
    2.0

    """
    return float(max(0.0, np.linalg.eigvalsh(matrix)[1])) if len(matrix) > 1 else 0.0


def mean_free_trace(matrix: Array) -> float:
    """Return tr(L^+), the sum of 1/λ over all eigenvalues but the zero one; infinite for a disconnected graph."""
    values = np.linalg.eigvalsh(matrix)[1:]
    scale = max(1.0, float(np.max(values, initial=0.0)))
    if len(values) and values[0] <= 1e-12 * scale:
        return float("inf")
    return float(np.sum(1.0 / values))


def rms_error(information: Array) -> float:
    """Return the predicted RMS error of the ratings, sqrt(tr(L^+)/N).

    This is the Cramér-Rao bound with the mean rating fixed at 0 (A-criterion).

    Parameters
    ----------
    information : ndarray of float64, shape (N, N)
        The Laplacian of the Fisher information of all games, in Elo^-2.

    Returns
    -------
    float
        In Elo; infinite for a disconnected graph.

    Examples
    --------
    >>> from fiedler.tournament.graph.information import equal_strength
    >>> from fiedler.tournament.graph.spectrum import adjacency, laplacian, rms_error
    >>> hundred_games = 100 * equal_strength() * adjacency(2, [(0, 1)])
    >>> round(rms_error(laplacian(hundred_games)), 1)
    16.0

    """
    scale = float(np.max(np.diag(information), initial=0.0)) or 1.0
    return float(np.sqrt(mean_free_trace(information / scale) / scale / len(information)))


def connected(players: int, edges: Iterable[Edge]) -> bool:
    """Return whether the edges connect all players."""
    return components(players, edges) == 1


def components(players: int, edges: Iterable[Edge]) -> int:
    """Return the number of connected components of a graph (union-find).

    Parameters
    ----------
    players : int
        N.
    edges : iterable of (i, j)
        Pairs of players, 0-based.

    Returns
    -------
    int
        From 1 to N.

    Examples
    --------
    >>> from fiedler.tournament.graph.spectrum import components
    >>> components(4, [(0, 1), (2, 3)])
    2

    """
    parent = list(range(players))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for i, j in edges:
        parent[root(i)] = root(j)
    return sum(root(i) == i for i in range(players))
