"""The order of play: every prefix is a good design, so a tournament may be stopped at any time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from fiedler import native
from fiedler.tournament.graph.problem import Ints
from fiedler.tournament.graph.spectrum import Array, Edge, laplacian

_PRIOR = 1e-6
"""Information on each rating before its first game in Elo^-2 (a standard deviation of 1,000 Elo)."""
_MOST = 2e10
"""Largest players^2 x units for which every unit is chosen by precision: about half a minute."""


def ordered(
    players: int,
    edges: Sequence[Edge],
    games: Sequence[int],
    games_per_unit: int,
    per_game_information: Array | float = 1.0,
    played: Iterable[tuple[int, int, float]] | None = None,
) -> list[int]:
    """Return the order of play: the edge of every unit of `games_per_unit` games.

    Each unit is the one that improves the precision most, among the units whose players are not ahead of their share:
    the fraction of their games that equals the fraction of all units played so far. No player gets more than one unit
    ahead of its share. If no such order is found for a graph, the limit is a fraction of a unit higher. Beyond about a
    thousand players the shares alone decide, within a few units. The same arguments give the same order.

    Parameters
    ----------
    players : int
        N.
    edges : sequence of (i, j), length M
        Pairs of players, 0-based.
    games : sequence of int, length M
        Remaining games of each edge, at least 0.
    games_per_unit : int
        Games played together, the same number with each colour; at least 1.
    per_game_information : ndarray of float64, shape (N, N), or float
        Fisher information of one game of each pair, or of all pairs, in Elo^-2.
    played : iterable of (i, j, games), optional
        Earlier games, not among `games`.

    Returns
    -------
    list of int
        Indices into `edges`; each edge appears ceil(games / games_per_unit) times.

    Raises
    ------
    ValueError
        A player or a number is out of range.

    Examples
    --------
    >>> from fiedler.tournament.graph.order import ordered
    >>> ordered(4, [(0, 1), (1, 2), (2, 3), (0, 3)], [4, 4, 4, 4], 2)
    [0, 2, 3, 1, 0, 2, 3, 1]

    """
    pairs = np.array(edges, dtype=np.int64).reshape(-1, 2)
    counts = np.array(games, dtype=np.int64)
    if len(counts) != len(pairs) or games_per_unit < 1 or (counts < 0).any():
        raise ValueError("games: expected one number of at least 0 for each edge, and games_per_unit of at least 1")
    if len(pairs) and (pairs.min() < 0 or pairs.max() >= players or (pairs[:, 0] == pairs[:, 1]).any()):
        raise ValueError(f"edges: expected pairs of different players from 0 to {players - 1}")
    units = -(-counts // games_per_unit)
    remaining = np.flatnonzero(units)
    if players**2 * float(units.sum()) > _MOST:
        return [int(remaining[place]) for place in _by_shares(units[remaining])]
    information = _matrix(players, per_game_information)
    scale = float(information.max())
    before = np.zeros((players, players))
    for i, j, number in played or ():
        before[i, j] += number
        before[j, i] += number
    covariance = np.linalg.inv(laplacian(before * information) / scale + _PRIOR / scale * np.eye(players))
    rows = np.concatenate([pairs[remaining], units[remaining, None]], axis=1).astype(np.int32)
    i, j = pairs[remaining].T
    weights = games_per_unit * np.maximum(information[i, j] / scale, 1e-12)
    order = native.order_units(np.ascontiguousarray(covariance), covariance @ covariance, rows, weights)
    return [int(edge) for edge in remaining[order]]


def _matrix(players: int, information: Array | float) -> Array:
    matrix = np.zeros((players, players))
    matrix[:] = information
    np.fill_diagonal(matrix, 0.0)
    if (matrix < 0).any() or not matrix.any():
        raise ValueError("per_game_information: expected numbers of at least 0, some more than 0")
    return matrix


def _by_shares(units: Ints) -> list[int]:
    """Distribute the units of each edge evenly over the tournament: the k-th of n at about (k + 1/2) / n.

    Every edge has a small shift of its own, by the golden ratio, so that edges with equally many units do not coincide.
    """
    edge = np.repeat(np.arange(len(units)), units)
    turn = np.arange(len(edge)) - np.repeat(np.cumsum(units) - units, units)
    shift = (edge * 0.6180339887498949) % 1.0
    return [int(place) for place in edge[np.lexsort((edge, (turn + shift) / units[edge]))]]
