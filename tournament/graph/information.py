"""Fisher information of one game on the difference of two ratings, in the Bayes-Elo model."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fiedler.tournament.graph.spectrum import Array

ADVANTAGE = 32.8
"""First player's advantage in Elo, the default of Bayes-Elo."""
DRAW_ELO = 97.3
"""Draw parameter in Elo, the default of Bayes-Elo (32 % draws between equals)."""

_SLOPE = math.log(10) / 400


@dataclass(frozen=True)
class GameModel:
    """The parameters of the Bayes-Elo model of one game, in raw Elo."""

    advantage: float = ADVANTAGE
    draw_elo: float = DRAW_ELO


BAYES_ELO = GameModel()
"""The defaults of Bayes-Elo."""


def _logistic(x: Array) -> Array:
    return 1.0 / (1.0 + np.exp(-_SLOPE * x))


def _one_colour(difference: Array, advantage: float, draw_elo: float) -> Array:
    """Return sum over outcomes of (dP/dd)^2 / P when the first player is `difference` Elo stronger."""
    win = _logistic(difference + advantage - draw_elo)
    loss = _logistic(-difference - advantage - draw_elo)
    win_slope, loss_slope = _SLOPE * win * (1 - win), -_SLOPE * loss * (1 - loss)
    draw = np.maximum(1 - win - loss, 1e-12)  # without draws both terms are 0 but for rounding
    return win_slope**2 / win + loss_slope**2 / loss + (win_slope + loss_slope) ** 2 / draw


def fisher(difference: Array, advantage: float = ADVANTAGE, draw_elo: float = DRAW_ELO) -> Array:
    """Return the Fisher information of one game on the difference of two ratings, averaged over both colours.

    Parameters
    ----------
    difference : ndarray of float64, any shape
        Rating differences in raw Elo. The information is even in them and greatest at 0.
    advantage, draw_elo : float
        Parameters of the Bayes-Elo model in raw Elo.

    Returns
    -------
    ndarray of float64, the shape of `difference`
        Information in Elo^-2.

    Examples
    --------
    >>> import numpy as np
    >>> from fiedler.tournament.graph.information import fisher
    >>> (fisher(np.array([0.0, 200.0, 400.0])) * 400**2).round(2).tolist()
    [1.55, 1.27, 0.68]

    """
    bounded = np.clip(difference, -3000.0, 3000.0)  # the information is 0 beyond; avoids overflow
    return 0.5 * (_one_colour(bounded, advantage, draw_elo) + _one_colour(-bounded, advantage, draw_elo))


def equal_strength(model: GameModel = BAYES_ELO) -> float:
    """Return the Fisher information of one game between equal players.

    Returns
    -------
    float
        Information in Elo^-2.

    Examples
    --------
    >>> from fiedler.tournament.graph.information import equal_strength
    >>> round(equal_strength() * 400**2, 2)
    1.55

    """
    return float(fisher(np.zeros(1), model.advantage, model.draw_elo)[0])


def greatest(model: GameModel) -> float:
    """Return the largest Fisher information of one game, in Elo^-2: with a great advantage not that of equal players.

    The maximum lies where one player's advantage makes up for the difference; whole Elo are tried.
    """
    reach = math.ceil(abs(model.advantage) + model.draw_elo)
    return float(fisher(np.arange(-reach, reach + 1.0), model.advantage, model.draw_elo).max())


def expected(elo: Array, elo_sd: Array, model: GameModel = BAYES_ELO) -> Array:
    """Return the expected Fisher information of one game of each pair, for uncertain ratings.

    The ratings are independent and normal. The average over their uncertainty makes a design robust: players who are
    believed to be far apart may be close. Gauss-Hermite quadrature with 9 points.

    Parameters
    ----------
    elo : ndarray of float64, shape (N,)
        Means of the ratings in raw Elo.
    elo_sd : ndarray of float64, shape (N,)
        Standard deviations in raw Elo, at least 0.
    model : GameModel
        First player's advantage and draw parameter. Default: those of Bayes-Elo.

    Returns
    -------
    ndarray of float64, shape (N, N)
        Symmetric, in Elo^-2, with a zero diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> from fiedler.tournament.graph.information import expected
    >>> (expected(np.array([0.0, 400.0]), np.array([0.0, 100.0])) * 400**2).round(2).tolist()
    [[0.0, 0.7], [0.7, 0.0]]

    """
    return _averaged(elo, np.sqrt(elo_sd[:, None] ** 2 + elo_sd[None, :] ** 2), 9, model)


def expected_jointly(elo: Array, covariance: Array, model: GameModel = BAYES_ELO) -> Array:
    """Return the expected Fisher information of one game of each pair, for ratings with a covariance.

    The difference of two ratings is normal with the variance C_ii + C_jj - 2 C_ij: close players of a learning curve
    may both be uncertain, but hardly their difference. Gauss-Hermite quadrature with 7 points.

    Parameters
    ----------
    elo : ndarray of float64, shape (N,)
        Means of the ratings in raw Elo.
    covariance : ndarray of float64, shape (N, N)
        Covariance C of the ratings in raw Elo^2.
    model : GameModel
        First player's advantage and draw parameter. Default: those of Bayes-Elo.

    Returns
    -------
    ndarray of float64, shape (N, N)
        Symmetric, in Elo^-2, with a zero diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> from fiedler.tournament.graph.information import expected_jointly
    >>> together = np.full((2, 2), 10_000.0)  # the level is uncertain, the difference is not
    >>> (expected_jointly(np.array([0.0, 400.0]), together) * 400**2).round(2).tolist()
    [[0.0, 0.68], [0.68, 0.0]]

    """
    return _averaged(elo, np.sqrt(difference_variances(covariance)), 7, model)


def difference_variances(covariance: Array) -> Array:
    """Return the variance of every difference of two ratings (N x N): C_ii + C_jj - 2 C_ij, at least 0."""
    own = np.diag(covariance)
    return np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0.0)


def _averaged(elo: Array, spread: Array, points: int, model: GameModel) -> Array:
    """Return the mean information of all pairs, whose differences have the standard deviations `spread` (N x N)."""
    difference = elo[:, None] - elo[None, :]
    nodes, shares = np.polynomial.hermite_e.hermegauss(points)
    total = np.zeros_like(difference)
    for node, share in zip(nodes, shares / shares.sum(), strict=True):
        total += share * fisher(difference + node * spread, model.advantage, model.draw_elo)
    np.fill_diagonal(total, 0.0)
    return 0.5 * (total + total.T)  # symmetric to the last bit
