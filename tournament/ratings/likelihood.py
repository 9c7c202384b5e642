"""The common part of every model: a point, its slopes, and the information about the ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fiedler.tournament.ratings.pairs import Floats, Pairs

NATURAL = float(np.log(10)) / 400
"""One Elo in units of the natural logarithm of the odds."""


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """Values of all parameters: raw ratings (players,), advantage and draw_elo, in Elo."""

    elo: Floats
    advantage: float
    draw_elo: float


@dataclass(frozen=True, slots=True, eq=False)
class Slopes:
    """The log-likelihood at a point, and its derivatives per natural unit (1 unit = 400/ln 10 Elo).

    `gradient`, shape (players + 2,): the ratings, then the advantage and the model's own coordinate of the draws. All
    others are minus second derivatives: in the difference (lower player - higher player) of each pair, shape (pairs,);
    in it and the advantage; in it and the draws; and in the two parameters, shape (2, 2).
    """

    value: float
    gradient: Floats
    curvature: Floats
    with_advantage: Floats
    with_draws: Floats
    parameters: Floats


class Likelihood(Protocol):
    """The log-likelihood of one set of games under one model, concave in the ratings and its coordinates."""

    pairs: Pairs

    def __init__(self, pairs: Pairs) -> None: ...

    @staticmethod
    def scale(draw_elo: float) -> float:
        """Return scaled Elo per raw Elo.

        In scaled Elo the expected score between equal players has the slope of the plain logistic curve.
        """

    @staticmethod
    def log_outcomes(difference: Floats, advantage: float, draw_elo: float) -> Floats:
        """Return the logarithms of P(first wins), P(draw), P(second wins), shape (3, …), for raw (first - second)."""

    def value(self, point: Point) -> float:
        """Return the natural logarithm of the likelihood; minus infinity for impossible results."""

    def slopes(self, point: Point) -> Slopes:
        """Return the first and second derivatives."""

    def moved(self, point: Point, step: Floats, length: float) -> Point:
        """Return the point after `length` of a step in natural units, shape (players + 2,)."""

    def room(self, point: Point, step: Floats) -> float:
        """Return the largest length, at most 1, that keeps the parameters in their range."""


def log_expit(odds: Floats) -> Floats:
    """Return log(1 / (1 + exp(-odds))) of each, exact at both ends."""
    # scipy has it too, but is slow to import
    return np.asarray(np.minimum(odds, 0) - np.log1p(np.exp(-np.abs(odds))), dtype=np.float64)


def information(pairs: Pairs, weight: Floats) -> Floats:
    """Return minus the second derivatives in the ratings alone, a Laplacian.

    Parameters
    ----------
    pairs : Pairs
        M pairs of N players.
    weight : ndarray of float64, shape (M,)
        The information of each pair.

    Returns
    -------
    ndarray of float64, shape (N, N)
        In the unit of `weight`: per natural unit squared for `Slopes.curvature`.

    Examples
    --------
    >>> import numpy as np
    >>> from fiedler.tournament.ratings import Results
    >>> from fiedler.tournament.ratings.likelihood import information
    >>> from fiedler.tournament.ratings.pairs import Pairs
    >>> information(Pairs.of(Results(("Ann", "Bob"), ((0, 1, 1, 0, 0),))), np.array([0.5])).tolist()
    [[0.5, -0.5], [-0.5, 0.5]]

    """
    matrix = np.zeros((pairs.size, pairs.size))
    matrix[pairs.low, pairs.high] = matrix[pairs.high, pairs.low] = -weight
    np.fill_diagonal(matrix, pairs.per_player(weight, weight))
    return matrix
