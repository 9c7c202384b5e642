"""Players drawn from one normal distribution, whose standard deviation is estimated and then integrated."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.laplace import Laplace, laplace
from fiedler.tournament.ratings.posterior.observations import Expansion, Observations

LEAST_SD, MOST_SD = 0.5, 3000.0
"""The range of the standard deviation in Elo."""
NODES = 13
"""Standard deviations of the integral."""
REACH = 1.6
"""Half of its range in units of log s, for few players."""
PRECISE = 0.005
"""Precision of the logarithm of the most likely standard deviation."""
PLACES = 300
"""Standard deviations of the integral of one expansion."""
GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True, slots=True, eq=False)
class NormalFit:
    """The posterior of ratings, in raw Elo."""

    mean: Floats
    """Shape (players,)."""
    covariance: Floats
    """Shape (players, players)."""
    precision: float
    """Mean of 1/s² over the likely standard deviations, per Elo squared."""
    sd: float
    """The most likely standard deviation."""
    evidence: float
    """Natural logarithm of the probability of the observations with it."""
    change: float
    """The largest change by a last step in Elo if a climb did not converge, else 0."""


def normal_fit(observed: Observations) -> NormalFit:
    """Return the posterior of players from N(μ, s²).

    Only differences count, so μ is 0. The density of s is proportional to s, which keeps it away from 0 (Chung,
    Rabe-Hesketh, Dorie, Gelman and Liu, Psychometrika 78, 2013).
    """
    fit = _climber(observed, None)
    best = _maximum(lambda log_sd: fit(log_sd).evidence + log_sd, math.log(LEAST_SD), math.log(MOST_SD))
    return _around(fit, best, observed.size)


def normal_refit(observed: Observations, near: NormalFit) -> NormalFit:
    """Return the same, from the fit of similar observations; the most likely s is that of one expansion."""
    begin = laplace(observed, np.full(observed.size, near.sd**2), near.mean / near.sd**2)
    logs, heights = _heights(begin.at)
    return _around(_climber(observed, begin), float(logs[heights.argmax()]), observed.size)


def normal_evidence(at: Expansion) -> float:
    """Return the evidence of an expansion, integrated over the standard deviation, up to a constant."""
    return at.constant + float(np.logaddexp.reduce(_heights(at)[1]))


def _heights(at: Expansion) -> tuple[Floats, Floats]:
    """Return logarithms of standard deviations, and of the densities there, which share the constant of `at`."""
    logs = np.linspace(math.log(LEAST_SD), math.log(MOST_SD), PLACES)
    values, vectors = np.linalg.eigh(at.information)
    variance, known = np.exp(2 * logs)[:, None], np.exp(2 * logs)[:, None] * np.maximum(values, 0.0) + 1
    gained = variance * (vectors.T @ at.pull) ** 2 / known - np.log(known)
    return logs, np.asarray(gained.sum(axis=1) / 2 + logs, dtype=np.float64)


def _climber(observed: Observations, last: Laplace | None) -> Callable[[float], Laplace]:
    """Return the fit as a function of log s; each begins where the last one ended."""

    def fit(log_sd: float) -> Laplace:
        nonlocal last
        variance = math.exp(2 * log_sd)
        dual = None if last is None else last.at.point / variance
        last = laplace(observed, np.full(observed.size, variance), dual)
        return last

    return fit


def _around(fit: Callable[[float], Laplace], best: float, players: int) -> NormalFit:
    """Return the integral over log s around its most likely value."""
    centre = fit(best)
    reach = REACH * min(1.0, max(0.25, 3 / math.sqrt(players)))
    places = np.linspace(best - reach, best + reach, NODES)
    fits = [fit(float(log_sd)) for log_sd in places]
    weight = softmax(np.array([one.evidence for one in fits]) + places)
    precision = float(weight @ [1 / one.prior[0] for one in fits])
    mean, covariance = mixed(weight, [(one.at.point, one.covariance) for one in fits])
    change = max(one.unfinished for one in (centre, *fits))
    return NormalFit(mean, covariance, precision, math.exp(best), centre.evidence, change)


def mixed(weight: Floats, parts: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Return mean and covariance of a mixture of normal distributions with these weights."""
    mean = np.asarray(sum(share * part[0] for share, part in zip(weight, parts, strict=True)))
    around = [covariance + np.outer(point - mean, point - mean) for point, covariance in parts]
    return mean, np.asarray(sum(share * part for share, part in zip(weight, around, strict=True)))


def softmax(logs: Floats) -> Floats:
    """Return weights with these logarithms, up to a factor, and the sum 1."""
    weight = np.exp(logs - logs.max())
    return np.asarray(weight / weight.sum(), dtype=np.float64)


def _maximum(height: Callable[[float], float], low: float, high: float) -> float:
    """Return the place of the maximum of a function with one peak, by golden section."""
    inner = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)]
    heights = [height(place) for place in inner]
    while high - low > PRECISE:
        if heights[0] >= heights[1]:
            high, inner = inner[1], [inner[1] - GOLDEN * (inner[1] - low), inner[0]]
            heights = [height(inner[0]), heights[0]]
        else:
            low, inner = inner[0], [inner[1], inner[0] + GOLDEN * (high - inner[0])]
            heights = [heights[1], height(inner[1])]
    return (low + high) / 2
