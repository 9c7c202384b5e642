"""The deviation of the pair effects: its distribution, given the games."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.normal import softmax
from fiedler.tournament.ratings.posterior.observations import Expansion, Observations

PRIOR_MODE = 40.0
"""Of the prior of the deviation in raw Elo, a Rayleigh distribution."""
MOST_SD = 250.0
"""Largest deviation in raw Elo."""
CELLS = 12
"""Parts of the range of the deviation, of equal width in its root, in each of two looks."""
NEGLIGIBLE = np.log(1e-4)
"""Nats below the highest density from which a deviation is not looked at again."""
NODES = 3
"""Deviations that take the place of the distribution, each with the same weight."""


@dataclass(frozen=True, slots=True, eq=False)
class StyleFit:
    """The distribution of the deviation b of the pair effects, in raw Elo."""

    sds: tuple[float, ...]
    """The medians of `NODES` parts with the same probability, rising."""
    sd: float
    """The root of the mean of b²."""
    evidence: float
    """Nats for effects with the prior of b, against none."""


def style_fit(observed: Observations, elo: Floats, height: Callable[[Expansion], float]) -> StyleFit:
    """Return the distribution of b around the ratings `elo`, which fit the games without effects.

    `height` is the evidence of an expansion under the prior of the ratings, up to a constant. Where few pairs have
    nearly all games, an effect looks like a rating, and the games say little about b. So it is not set to its
    most likely value, which may be 0, but integrated. The prior density is b exp(-b²/2m²) with the mode m, which keeps
    b away from 0 as the densities of the other deviations do.
    """
    expansion = observed.expansion_by_style(elo)
    nothing = height(expansion(0.0))
    edges = _edges(0.0, MOST_SD)
    logs = _log_densities(expansion, height, edges)
    likely = np.flatnonzero(logs > logs.max() + NEGLIGIBLE)
    edges = _edges(edges[max(likely[0] - 1, 0)], edges[min(likely[-1] + 2, CELLS)])
    logs = _log_densities(expansion, height, edges) + np.log(np.diff(edges))
    weight = softmax(logs)
    upper = np.concatenate([[0.0], np.cumsum(weight)])
    sds = np.interp((np.arange(NODES) + 0.5) / NODES, upper, edges)
    evidence = float(np.logaddexp.reduce(logs)) - nothing
    return StyleFit(tuple(sds.tolist()), float(np.sqrt(weight @ _middles(edges) ** 2)), evidence)


def _edges(low: float, high: float) -> Floats:
    return np.asarray(np.linspace(np.sqrt(low), np.sqrt(high), CELLS + 1) ** 2, dtype=np.float64)


def _middles(edges: Floats) -> Floats:
    return np.asarray((edges[1:] + edges[:-1]) / 2, dtype=np.float64)


def _log_densities(
    expansion: Callable[[float], Expansion], height: Callable[[Expansion], float], edges: Floats
) -> Floats:
    """Return the logarithm of prior times evidence in the middle of each cell."""
    sds = _middles(edges)
    prior = np.log(sds / PRIOR_MODE**2) - (sds / PRIOR_MODE) ** 2 / 2
    return prior + [height(expansion(sd)) for sd in sds.tolist()]
