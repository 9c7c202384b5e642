"""The curve prior: the deviations of its parts by marginal likelihood, and the posterior of the ratings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.kernel import Kernel, OrderedPlayers, Warp
from fiedler.tournament.ratings.posterior.laplace import MAX_ROUNDS, Laplace, laplace, log_determinant, symmetric
from fiedler.tournament.ratings.posterior.observations import Expansion, Observations

ENOUGH = 20
"""Least players of a series."""
BOUNDS = ((0.5, 1000.0), (1.0, 5000.0), (10.0, 30_000.0), (0.5, 3000.0))
"""The ranges of the deviations in Elo: noise, Wiener, integrated Wiener, free players."""
START = (20.0, 100.0, 1000.0, 200.0)
PENALISED = (True, False, False, True)
"""Deviations whose density is proportional to them, which keeps them away from 0."""
SMALL_CHANGE = 0.02
"""Change of the logarithm of a deviation below which the rounds end."""

ROUGH = 1e-5
"""Relative gain of an evidence that is only compared with others, below which the search for its deviations ends."""


@dataclass(frozen=True, slots=True, eq=False)
class CurveFit:
    """The posterior of ratings with one or more series, in raw Elo."""

    lines: tuple[OrderedPlayers, ...]
    warps: tuple[Warp, ...]
    deviations: Floats
    """Of noise, Wiener process, integrated Wiener process, and the free players if there are any."""
    posterior: Laplace
    kernel: Kernel
    change: float
    """The change of the logarithm of a deviation in the last round."""

    @property
    def evidence(self) -> float:
        """Natural logarithm of the probability of the observations."""
        return self.posterior.evidence

    @property
    def prior(self) -> Floats:
        """The covariance of the prior, shape (players, players)."""
        return self.kernel.covariance(self.deviations)

    @property
    def moments(self) -> tuple[Floats, Floats]:
        """Mean, shape (players,), and covariance of the ratings."""
        return self.posterior.at.point, self.posterior.covariance

    def refitted(self, observed: Observations) -> CurveFit:
        """Return the fit of similar observations, with the same places."""
        return _fit(observed, self.lines, self.warps, self)

    def heights(self) -> Callable[[Expansion], float]:
        """Return the evidence of expansions, each at its most likely deviations, up to a constant.

        The search for them begins where that of the call before ended.
        """
        logs = np.log(self.deviations)

        def height(at: Expansion) -> float:
            nonlocal logs
            logs = _most_likely(self.kernel, at, logs, ftol=ROUGH)
            return at.constant - minus_evidence(logs, self.kernel, at).value

        return height

    def curve(self) -> tuple[Floats, Floats]:
        """Return mean, shape (players,), and covariance of the ratings without their white noise.

        Free players have their ratings there.
        """
        cut = self.deviations[0] ** 2 * self.kernel.parts[0]
        # with K = F + cut, F = the covariance of the curve: mean F α, covariance F − F (K + L⁻¹)⁻¹ F
        prior = self.prior - cut
        information, covariance = self.posterior.at.information, self.posterior.covariance
        known = information - information @ covariance @ information
        return prior @ self.posterior.dual, symmetric(prior - prior @ known @ prior)


def curve_fit(observed: Observations, lines: Sequence[OrderedPlayers]) -> CurveFit:
    """Return the posterior, with the places of each series linear or logarithmic by evidence."""
    both: list[Warp] = ["linear", "logarithmic"]
    best: CurveFit | None = None
    for warp in both:
        best = _better(best, _fit(observed, lines, [warp] * len(lines), best))
    assert best is not None
    for place in range(len(lines) if len(lines) > 1 else 0):
        warps = list(best.warps)
        warps[place] = both[1 - both.index(warps[place])]
        best = _better(best, _fit(observed, lines, warps, best))
    return best


def _better(one: CurveFit | None, other: CurveFit) -> CurveFit:
    return other if one is None or other.evidence > one.evidence else one


def _fit(
    observed: Observations, lines: Sequence[OrderedPlayers], warps: Sequence[Warp], near: CurveFit | None
) -> CurveFit:
    kernel = Kernel.of(observed.size, lines, warps)
    logs = np.log(START[: len(kernel.parts)] if near is None else near.deviations)
    found = laplace(observed, kernel.covariance(np.exp(logs)))
    change = np.inf
    for _ in range(MAX_ROUNDS):
        before, logs = logs, _most_likely(kernel, found.at, logs)
        found = laplace(observed, kernel.covariance(np.exp(logs)), found.dual)
        change = float(np.abs(logs - before).max())
        if change < SMALL_CHANGE:
            break
    return CurveFit(tuple(lines), tuple(warps), np.exp(logs), found, kernel, change)


def _most_likely(kernel: Kernel, at: Expansion, logs: Floats, **options: float) -> Floats:
    """Return the logarithms of the deviations that maximise the evidence with this expansion of the likelihood.

    `options` are those of scipy's L-BFGS-B.
    """
    from scipy.optimize import minimize

    bounds = np.log(BOUNDS[: logs.size])
    found = minimize(minus_evidence, logs, (kernel, at), method="L-BFGS-B", jac=True, bounds=bounds, options=options)
    return np.asarray(found.x, dtype=np.float64)


class _Loss(NamedTuple):
    value: float
    slopes: Floats


def minus_evidence(logs: Floats, kernel: Kernel, at: Expansion) -> _Loss:
    """Return minus the evidence, and its derivatives by the logarithms of the deviations."""
    deviations, pull = np.exp(logs), at.pull
    prior = kernel.covariance(deviations)
    system = np.eye(pull.size) + prior @ at.information
    covariance = symmetric(np.linalg.solve(system, prior))
    mean = covariance @ pull
    dual = pull - at.information @ mean
    known = at.information - at.information @ covariance @ at.information  # P − P A P with P = K⁻¹
    density = np.array(PENALISED[: logs.size], dtype=np.float64)
    value = float(pull @ mean) / 2 - log_determinant(system) / 2 + float(density @ logs)
    pairs = zip(deviations, kernel.parts, strict=True)
    slopes = [one**2 * float(dual @ part @ dual - (known * part).sum()) for one, part in pairs]
    return _Loss(-value, -np.asarray(slopes + density, dtype=np.float64))
