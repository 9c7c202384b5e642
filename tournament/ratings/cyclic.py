"""The cyclic part of results, which no ratings express: A beats B, B beats C and C beats A.

The residuals of the pairs that met, in Elo, are a flow on the meeting graph. It is the sum of a gradient, which other
ratings would express, and a cyclic part (the combinatorial Hodge decomposition; Jiang, Lim, Yao and Ye 2011). Chance
causes a cyclic part too: one degree of freedom for each pair beyond a spanning forest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fiedler.tournament.ratings.meetings import SCORE, Meetings
from fiedler.tournament.ratings.model import Rating
from fiedler.tournament.ratings.origin import Origin, inverse
from fiedler.tournament.ratings.pairs import Floats, Integers, group_labels
from fiedler.tournament.ratings.results import Results
from fiedler.tournament.ratings.tails import gamma_tail

SHOWN = 5
"""Most cycles listed."""
ENOUGH = 0.5
"""Least variance of the points of a pair in a cycle: about two games between equal players."""
WORK = 4_000_000
"""Simulated rows of results."""
SIMULATIONS = (50, 400)
"""Least and most simulations."""
FAINT = 1e-100
"""Least information of a pair, instead of 0."""
COUNTED = 0.2
"""P-value from which it is counted in the simulations: few games give few different values."""
ROUNDING = 1e-9
"""Relative difference of equal values."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """Three players, each of whom scored better against the next than an equal player would."""

    players: tuple[str, str, str]
    elo: float
    """Sum of the three differences by their games alone, in scaled Elo; it is 0 for any ratings."""
    sigmas: float
    """The same in standard errors; among many cycles, chance alone gives three or four."""


@dataclass(frozen=True, slots=True)
class Cyclic:
    """The cyclic part of the results and of chance, in scaled Elo (root mean square over the games)."""

    gradient: float
    """The differences of the ratings."""
    cyclic: float
    """The cyclic part of the residuals."""
    by_chance: float
    """The same for a true model, by simulation."""
    degrees: int
    """Independent cycles of the meeting graph; with 0 the cyclic part is unknown."""
    p_value: float
    """The probability of a cyclic part at least as large; nan without cycles."""
    cycles: tuple[Cycle, ...]
    """The most significant cycles of three players, in falling order."""


@dataclass(frozen=True, slots=True, eq=False)
class _Flow:
    """One value for each pair that met, from the player ranked higher to the lower, in raw Elo."""

    size: int
    upper: Integers
    lower: Integers
    weight: Floats
    """Information."""
    expected: Floats
    residual: Floats
    open: Floats
    """Variance of the points of all their games."""


def cyclic(rating: Rating, results: Results, seed: int = 1) -> Cyclic:
    """Return the cyclic part of the residuals of a rating, with a seeded simulation of chance."""
    meetings = Meetings.of(rating, results)
    flow, pair = _flow(meetings)
    degrees = flow.weight.size - flow.size + int(group_labels(flow.size, flow.upper, flow.lower).max(initial=-1)) + 1
    total = max(float(flow.weight.sum()), 1e-300)
    gradient = rating.scale * float(np.sqrt((flow.weight * flow.expected**2).sum() / total))
    if not degrees:
        return Cyclic(gradient, 0.0, 0.0, 0, float("nan"), ())
    rest = _Rest(flow)
    found = float(rest.size((flow.weight * flow.residual)[None, :])[0])
    by_chance = rest.size(_simulated(meetings, pair, flow.weight.size, np.random.default_rng(seed)))
    length, chance = (rating.scale * float(np.sqrt(value / total)) for value in (found, by_chance.mean()))
    return Cyclic(
        gradient, length, chance, degrees, _chance(found, by_chance), _cycles(flow, meetings.names, rating.scale)
    )


def _flow(meetings: Meetings) -> tuple[_Flow, Integers]:
    """Return the flow, with both colours of a pair combined, and the pair of each row."""
    size = len(meetings.names)
    upper, lower = np.minimum(meetings.first, meetings.second), np.maximum(meetings.first, meetings.second)
    keys, pair = np.unique(upper * size + lower, return_inverse=True)
    side = np.where(meetings.first < meetings.second, 1.0, -1.0)
    weight: Floats = np.bincount(pair, meetings.games() * meetings.information(), keys.size).astype(np.float64)
    weight = np.maximum(weight, FAINT)
    push = np.bincount(pair, side * meetings.push(), keys.size)
    undecided = np.bincount(pair, meetings.games() * meetings.variance(SCORE), keys.size).astype(np.float64)
    expected = np.zeros(keys.size, dtype=np.float64)
    expected[pair] = side * meetings.difference
    return _Flow(size, keys // max(size, 1), keys % max(size, 1), weight, expected, push / weight, undecided), pair


class _Rest:
    """The part of flows that no gradient explains."""

    def __init__(self, flow: _Flow) -> None:
        self.flow = flow
        laplacian = np.zeros((flow.size, flow.size))
        laplacian[flow.upper, flow.lower] = laplacian[flow.lower, flow.upper] = -flow.weight
        np.fill_diagonal(laplacian, -laplacian.sum(axis=0))
        groups = group_labels(flow.size, flow.upper, flow.lower)
        origin = Origin(groups, np.ones(flow.size, dtype=bool), np.zeros(0, dtype=np.int64))
        self.inverse = inverse(origin.grounded(laplacian))

    def size(self, push: Floats) -> Floats:
        """Return the weighted squared cyclic part of flows, given as weight * flow, shape (flows, pairs)."""
        divergence = np.zeros((self.flow.size, len(push)))
        np.add.at(divergence, self.flow.upper, push.T)
        np.add.at(divergence, self.flow.lower, -push.T)
        explained = (divergence * (self.inverse @ divergence)).sum(axis=0)
        rest = (push**2 / self.flow.weight).sum(axis=1) - explained
        return np.asarray(np.maximum(rest, 0.0), dtype=np.float64)


def _simulated(meetings: Meetings, pair: Integers, pairs: int, generator: np.random.Generator) -> Floats:
    """Simulate the same games from the model; return weight * flow, shape (simulations, pairs)."""
    games = meetings.games().astype(np.int64)
    shares = (meetings.probabilities / meetings.probabilities.sum(axis=0)).T
    side = np.where(meetings.first < meetings.second, 1.0, -1.0)
    times = int(np.clip(WORK // games.size, *SIMULATIONS))
    pushes = np.zeros((times, pairs))
    for number in range(times):
        counts = generator.multinomial(games, shares)
        pushes[number] = np.bincount(pair, side * (counts * meetings.slopes.T).sum(axis=1), pairs)
    return pushes


def _chance(found: float, by_chance: Floats) -> float:
    """Return the probability of a value at least as large: the share of such simulations.

    A share that is too small to count comes from a gamma distribution of the same mean and variance.
    """
    larger = float((by_chance >= found * (1 - ROUNDING)).mean())
    mean, variance = float(by_chance.mean()), float(by_chance.var(ddof=1))
    if larger >= COUNTED or not variance:
        return larger
    return gamma_tail(mean**2 / variance, found * mean / variance)


def _cycles(flow: _Flow, names: tuple[str, ...], scale: float) -> tuple[Cycle, ...]:
    """Return the cycles of three players with three positive differences by the pairs' own games.

    Pairs whose games were nearly certain in advance are left out: one upset there would outweigh everything else.
    """
    ahead = np.full((flow.size, flow.size), np.nan)
    ahead[flow.upper, flow.lower] = np.where(flow.open >= ENOUGH, flow.expected + flow.residual, np.nan)
    ahead[flow.lower, flow.upper] = -ahead[flow.upper, flow.lower]
    variance = np.full_like(ahead, np.nan)
    variance[flow.upper, flow.lower] = variance[flow.lower, flow.upper] = 1 / flow.weight
    best: list[tuple[float, float, tuple[int, int, int]]] = []
    for a in range(flow.size):
        beaten, beating = np.flatnonzero(ahead[a] > 0), np.flatnonzero(ahead[a] < 0)
        beaten, beating = beaten[beaten > a], beating[beating > a]  # the first of the three names it
        around = ahead[a, beaten][:, None] + ahead[np.ix_(beaten, beating)] + ahead[beating, a]
        noise = variance[a, beaten][:, None] + variance[np.ix_(beaten, beating)] + variance[beating, a]
        sigmas = np.where(ahead[np.ix_(beaten, beating)] > 0, around / np.sqrt(noise), -np.inf)
        for place in np.argsort(-sigmas, axis=None)[:SHOWN]:
            b, c = np.unravel_index(place, sigmas.shape)
            if sigmas[b, c] > 0:
                best.append((float(sigmas[b, c]), float(around[b, c]), (a, int(beaten[b]), int(beating[c]))))
    best.sort(key=lambda found: (-found[0], found[2]))
    return tuple(Cycle((names[a], names[b], names[c]), scale * elo, sigmas) for sigmas, elo, (a, b, c) in best[:SHOWN])
