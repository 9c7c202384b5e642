"""A test of the hypothesis that all players are equal, without ratings."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from fiedler.tournament.ratings.pairs import Floats, Integers
from fiedler.tournament.ratings.results import Results
from fiedler.tournament.ratings.tails import chi_squared_tail

POINTS = np.array([1.0, 0.5, 0.0])
"""Points of the first player by outcome."""
MOST = 3000
"""Most players of a test; its time grows with their cube, ten seconds for 3,000."""
SINGULAR = 1e-9
"""Eigenvalue, relative to the largest one, below which it counts as 0."""


@dataclass(frozen=True, slots=True)
class Homogeneity:
    """The chi-square test of equal players."""

    chi_square: float
    degrees: int
    """Degrees of freedom; 0 if no players can be compared."""
    p_value: float
    """The probability of differences at least as large if all are equal; nan without degrees of freedom."""


def homogeneity(results: Results, names: Collection[str] | None = None) -> Homogeneity:
    """Test whether the players of these `names` (all, unless given) are equally strong.

    If they are, all games among them have the same distribution, and so have their games against each other player
    with each colour. These are the strata. Given the points of a stratum, their assignment to players is random. The
    test uses the excess of each player over the mean of its strata, and its covariance under permutation: the
    generalised Cochran-Mantel-Haenszel test (Mantel 1963; Agresti, Categorical Data Analysis, section 8.4). It assumes
    no model of draws, no advantage of moving first and no prior. Two games of one opening with the colours reversed
    scatter less than two independent games, so p is too large with such pairs.
    """
    chosen = set(results.names if names is None else names)
    mine = np.array([name in chosen for name in results.names], dtype=np.bool_)
    place = np.where(mine, np.cumsum(mine) - 1, -1)
    count = int(mine.sum())
    if count > MOST:
        return Homogeneity(math.nan, 0, math.nan)
    excess, covariance = moments(results, place, count)
    values, vectors = np.linalg.eigh(covariance)
    known = values > SINGULAR * max(values.max(initial=0.0), 1e-300)
    degrees = int(known.sum())
    if not degrees:
        return Homogeneity(math.nan, 0, math.nan)
    chi_square = float(((excess @ vectors[:, known]) ** 2 / values[known]).sum())
    return Homogeneity(chi_square, degrees, chi_squared_tail(degrees, chi_square))


def moments(results: Results, place: Integers, count: int) -> tuple[Floats, Floats]:
    """Return the points of each player above the means of its strata, and their covariance if all are equal.

    `place`, shape (players of the results,), is the index of each player among the `count` compared ones, or -1.
    """
    table = results.table[results.table[:, 0] != results.table[:, 1]]
    first, second = place[table[:, 0]], place[table[:, 1]]
    strata = np.where(first < 0, len(place) + table[:, 0], np.where(second < 0, table[:, 1], -1))
    some = (first >= 0) | (second >= 0)
    table, first, second = table[some], first[some], second[some]
    stratum = np.unique(strata[some], return_inverse=True)[1]
    games, points, squares = (table[:, 2:] @ POINTS**power for power in (0, 1, 2))
    total = np.bincount(stratum, games)
    mean = np.bincount(stratum, points) / np.maximum(total, 1)
    variance = (np.bincount(stratum, squares) - total * mean**2) / np.maximum(total - 1, 1)
    above = points - games * mean[stratum]
    excess, covariance = np.zeros(count), np.zeros((count, count))
    load = np.zeros((total.size, count))
    weight = games * variance[stratum]
    for player, sign in ((first, 1), (second, -1)):
        in_it = player >= 0
        np.add.at(excess, player[in_it], sign * above[in_it])
        np.add.at(covariance, (player[in_it], player[in_it]), weight[in_it])
        np.add.at(load, (stratum[in_it], player[in_it]), sign * games[in_it])
    both = (first >= 0) & (second >= 0)
    for here, there in ((first, second), (second, first)):
        np.add.at(covariance, (here[both], there[both]), -weight[both])
    covariance -= load.T @ (load * (variance / np.maximum(total, 1))[:, None])
    return excess, covariance
