"""Which is the best: the differences whose uncertainty costs most if the player with the highest mean is chosen.

Another player i is better than the chosen one b by max(r_i - r_b, 0). With the mean -Δ and the deviation σ of
r_i - r_b its expectation, the expected improvement, is σ φ(Δ/σ) - Δ Φ(-Δ/σ). Games make the expectation known, so its
derivative by σ², α = φ(Δ/σ) / 2σ, is the worth of a smaller variance of this difference. A design that minimises
Σ α_i Var(r_i - r_b) lowers the sum of expected losses fastest (a knowledge gradient of a batch: Frazier, Powell and
Dayanik 2009).
"""

from __future__ import annotations

import numpy as np

from fiedler.tournament.graph.information import difference_variances
from fiedler.tournament.graph.spectrum import Array, laplacian

_KNOWN = 1e-12
"""Variance of a difference, relative to the largest, below which it counts as known."""


def contrasts(elo: Array, covariance: Array) -> Array:
    """Return W, the sum over i of α_i (e_i - e_b)(e_i - e_b)^T, where b has the highest mean (the first of equals).

    Parameters
    ----------
    elo : ndarray of float64, shape (N,)
        Means of the ratings in raw Elo.
    covariance : ndarray of float64, shape (N, N)
        Covariance of the ratings in raw Elo^2.

    Returns
    -------
    ndarray of float64, shape (N, N)
        A Laplacian, scaled to max α = 1; 0 if the covariance leaves no difference to b uncertain.

    Examples
    --------
    >>> import numpy as np
    >>> from fiedler.tournament.graph.expected_improvement import contrasts
    >>> contrasts(np.array([30.0, 20.0, -500.0]), 400.0 * np.eye(3)).round(3).tolist()
    [[1.0, -1.0, -0.0], [-1.0, 1.0, 0.0], [-0.0, 0.0, 0.0]]

    """
    best = int(np.argmax(elo))
    variance = difference_variances(covariance)[best]
    unknown = variance > _KNOWN * max(1.0, float(variance.max()))
    unknown[best] = False
    worth = np.full(len(elo), -np.inf)  # logarithms: all of the α may be too small for a number
    worth[unknown] = -0.5 * (elo[best] - elo[unknown]) ** 2 / variance[unknown] - 0.5 * np.log(variance[unknown])
    star = np.zeros((len(elo), len(elo)))
    if unknown.any():
        star[best] = star[:, best] = np.exp(worth - worth.max())
    return laplacian(star)
