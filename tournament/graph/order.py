"""The order of play: every prefix of a tournament is itself a good design, so that it may be stopped at any time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

import native
from tournament.graph.problem import Ints
from tournament.graph.spectrum import Array, Edge, laplacian

_PRIOR = 1e-6
"""Elo^-2: what is known of each rating before its first game (a deviation of 1,000 Elo)."""
_MOST = 2e10
"""Players^2 x units up to which the precision is followed unit by unit: half a minute or so."""


def ordered(
    players: int,
    edges: Sequence[Edge],
    games: Sequence[int],
    games_per_unit: int,
    per_game_information: Array | float = 1.0,
    played: Iterable[tuple[int, int, float]] | None = None,
) -> list[int]:
    """Return the order in which to play: for every unit of `games_per_unit` games the index of its edge.

    edges: pairs (i, j) of players, 0-based; games: how many each is still to play, so that it appears
    ceil(games / games_per_unit) times. A unit is what is played in one go, the same number with each colour.
    per_game_information: of each pair in Elo^-2 (N x N, as `information.expected` gives it), or one number for all
    pairs. played: games (i, j, n) that the ratings rest on already, not among `games`.

    Next comes the unit that improves the precision most, among those whose players are not ahead of their share: that
    part of their games which equals the part of all units played so far. So nobody ever gets more than one unit ahead
    of it, but for graphs where no such order is found: there, by a fraction of a unit more. Beyond some thousand
    players the shares alone decide, within a few units. The same arguments give the same order. Raises ValueError for
    players out of range and negative numbers.
    """
    pairs = np.array(edges, dtype=np.int64).reshape(-1, 2)
    counts = np.array(games, dtype=np.int64)
    if len(counts) != len(pairs) or games_per_unit < 1 or (counts < 0).any():
        raise ValueError("games: expected one number of at least 0 for each edge, and games_per_unit of at least 1")
    if len(pairs) and (pairs.min() < 0 or pairs.max() >= players or (pairs[:, 0] == pairs[:, 1]).any()):
        raise ValueError(f"edges: expected pairs of different players from 0 to {players - 1}")
    units = -(-counts // games_per_unit)
    wanted = np.flatnonzero(units)
    if players**2 * float(units.sum()) > _MOST:
        return [int(wanted[place]) for place in _by_shares(units[wanted])]
    information = _matrix(players, per_game_information)
    scale = float(information.max())
    before = np.zeros((players, players))
    for i, j, number in played or ():
        before[i, j] += number
        before[j, i] += number
    covariance = np.linalg.inv(laplacian(before * information) / scale + _PRIOR / scale * np.eye(players))
    rows = np.concatenate([pairs[wanted], units[wanted, None]], axis=1).astype(np.int32)
    i, j = pairs[wanted].T
    weights = games_per_unit * np.maximum(information[i, j] / scale, 1e-12)
    order = native.order_units(np.ascontiguousarray(covariance), covariance @ covariance, rows, weights)
    return [int(edge) for edge in wanted[order]]


def _matrix(players: int, information: Array | float) -> Array:
    matrix = np.zeros((players, players))
    matrix[:] = information
    np.fill_diagonal(matrix, 0.0)
    if (matrix < 0).any() or not matrix.any():
        raise ValueError("per_game_information: expected numbers of at least 0, some more than 0")
    return matrix


def _by_shares(units: Ints) -> list[int]:
    """Spread the units of each edge evenly over the tournament: the k-th of n at about (k + 1/2) / n.

    A small shift of its own for every edge, by the golden ratio, keeps edges with as many units apart.
    """
    edge = np.repeat(np.arange(len(units)), units)
    turn = np.arange(len(edge)) - np.repeat(np.cumsum(units) - units, units)
    shift = (edge * 0.6180339887498949) % 1.0
    return [int(place) for place in edge[np.lexsort((edge, (turn + shift) / units[edge]))]]
