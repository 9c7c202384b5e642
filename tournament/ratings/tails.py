"""Distribution functions of the tests and probabilities; scipy has them too, but takes 25 MB and 0.3 s to import."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
ROUNDING = 2.0**-53
"""A smaller share of a sum changes nothing."""
MOST_STEPS = 100_000
TINY = 1e-300


def normal_cdf(values: Floats) -> Floats:
    """Return P(X <= value) of a standard normal X for each value, in the same shape; nan for nan."""
    flat = (0.5 * math.erfc(value) for value in (np.ravel(values) * -math.sqrt(0.5)).tolist())
    return np.fromiter(flat, np.float64, np.size(values)).reshape(np.shape(values))


def chi_squared_tail(degrees: float, value: float) -> float:
    """Return P(X > value) of a chi-squared X with `degrees` > 0 of freedom; 1 for `value` <= 0, nan for nan."""
    return gamma_tail(degrees / 2, value / 2)


def gamma_tail(shape: float, value: float) -> float:
    """Return P(X > value) of a gamma-distributed X with `shape` > 0 and scale 1; 1 for `value` <= 0, nan for nan.

    The series of the lower part below `shape` + 1, Lentz's continued fraction of the upper part above
    (DLMF, 8.7.1 and 8.9.2).
    """
    if math.isnan(shape) or math.isnan(value):
        return math.nan
    if value <= 0:
        return 1.0
    if math.isinf(value):
        return 0.0
    factor = math.exp(shape * math.log(value) - value - math.lgamma(shape))
    if value < shape + 1:
        return 1.0 - factor * _lower(shape, value)
    return factor * _upper(shape, value)


def _lower(shape: float, value: float) -> float:
    term = total = 1 / shape
    while term > ROUNDING * total:
        shape += 1
        term *= value / shape
        total += term
    return total


def _upper(shape: float, value: float) -> float:
    base = value + 1 - shape
    above, below = 1 / TINY, 1 / base
    found = below
    for count in range(1, MOST_STEPS):
        part = count * (shape - count)
        base += 2
        below = 1 / _not_zero(base + part * below)
        above = _not_zero(base + part / above)
        found *= below * above
        if abs(below * above - 1) <= 10 * ROUNDING:
            break
    return found


def _not_zero(value: float) -> float:
    return value if abs(value) > TINY else TINY
