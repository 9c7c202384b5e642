"""Fisher information of one game on the difference of two ratings, in the Bayes-Elo model."""

from __future__ import annotations

import math

import numpy as np

from tournament.graph.spectrum import Array

ADVANTAGE = 32.8
"""First player's advantage in Elo, the default of Bayes-Elo."""
DRAW_ELO = 97.3
"""Draw parameter in Elo, the default of Bayes-Elo (32 % draws between equals)."""

_SLOPE = math.log(10) / 400


def _logistic(x: Array) -> Array:
    return 1.0 / (1.0 + np.exp(-_SLOPE * x))


def _one_colour(difference: Array, advantage: float, draw_elo: float) -> Array:
    """Return sum over outcomes of (dP/dd)^2 / P when the first player is `difference` Elo stronger."""
    win = _logistic(difference + advantage - draw_elo)
    loss = _logistic(-difference - advantage - draw_elo)
    win_slope, loss_slope = _SLOPE * win * (1 - win), -_SLOPE * loss * (1 - loss)
    draw = np.maximum(1 - win - loss, 1e-300)
    return win_slope**2 / win + loss_slope**2 / loss + (win_slope + loss_slope) ** 2 / draw


def fisher(difference: Array, advantage: float = ADVANTAGE, draw_elo: float = DRAW_ELO) -> Array:
    """Return the information of one game in Elo^-2 at a rating difference in (raw) Elo, averaged over both colours."""
    bounded = np.clip(difference, -3000.0, 3000.0)  # beyond that every game says nothing; avoids overflow
    return 0.5 * (_one_colour(bounded, advantage, draw_elo) + _one_colour(-bounded, advantage, draw_elo))


def equal_strength() -> float:
    """Return the information of one game between equals, in Elo^-2."""
    return float(fisher(np.zeros(1))[0])


def expected(elo: Array, elo_sd: Array) -> Array:
    """Return the N x N matrix of E[I(Δ)] in Elo^-2 for ratings believed to be normal with mean `elo` and sd `elo_sd`.

    Averaging over what is not known keeps a design robust: players thought to be far apart may turn out to be close.
    Gauss-Hermite quadrature with 9 points; the diagonal is 0.
    """
    difference = elo[:, None] - elo[None, :]
    spread = np.sqrt(elo_sd[:, None] ** 2 + elo_sd[None, :] ** 2)
    nodes, shares = np.polynomial.hermite_e.hermegauss(9)
    total = np.zeros_like(difference)
    for node, share in zip(nodes, shares / shares.sum(), strict=True):
        total += share * fisher(difference + node * spread)
    np.fill_diagonal(total, 0.0)
    return 0.5 * (total + total.T)  # the same number both ways, to the last bit
