"""The cyclic part of results, beyond any ratings: A beats B, B beats C and C beats A.

The residuals of the pairs that met, as Elo, are a flow on the meeting graph. It splits into a gradient, which other
ratings would take up, and a cyclic rest (the combinatorial Hodge decomposition; Jiang, Lim, Yao and Ye 2011). Chance
makes a cyclic rest too: one degree of freedom for each pair beyond a spanning forest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tournament.ratings.frame import Frame, inverse
from tournament.ratings.meetings import SCORE, Meetings
from tournament.ratings.model import Rating
from tournament.ratings.pairs import Floats, Integers, connected
from tournament.ratings.results import Results

SHOWN = 5
ENOUGH = 0.5  # variance of the points of a pair whose games can be part of a cycle: some two games between equals
WORK = 4_000_000  # simulated rows of results
SIMULATIONS = (50, 400)
FAINT = 1e-100  # information that stands for none
COUNTED = 0.2  # chance from which the simulated ones are counted: few games make few different values
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Cycle:
    """Three players each of whom scored better against the next than equals would."""

    players: tuple[str, str, str]
    elo: float
    """The sum of the three differences, by their games alone; any ratings have 0."""
    sigmas: float
    """The same in standard errors: of many cycles by chance alone the largest will have three or four."""


@dataclass(frozen=True, slots=True)
class Cyclic:
    """The cyclic part of the results, in scaled Elo (root mean square over the games), and what chance makes."""

    gradient: float
    """The differences of the ratings."""
    cyclic: float
    """The cyclic part of the residuals."""
    by_chance: float
    """The same if the model is right, by simulation from it."""
    degrees: int
    """Independent cycles of the meeting graph; 0: nothing cyclic can be seen."""
    p_value: float
    """The chance of a cyclic part as large; nan without cycles."""
    cycles: tuple[Cycle, ...]
    """The strongest of three players, the most significant first."""


@dataclass(frozen=True, slots=True, eq=False)
class _Flow:
    """One value for each pair that met, from the player ranked higher to the lower, in raw Elo."""

    size: int
    upper: Integers
    lower: Integers
    weight: Floats  # information
    expected: Floats
    residual: Floats
    open: Floats  # the variance of the points in their games


def cyclic(rating: Rating, results: Results, seed: int = 1) -> Cyclic:
    """Split the residuals of a rating. The simulation is seeded: the same results give the same numbers."""
    meetings = Meetings.of(rating, results)
    flow, pair = _flow(meetings)
    degrees = flow.weight.size - flow.size + int(connected(flow.size, flow.upper, flow.lower).max(initial=-1)) + 1
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
    """Put both colours of a pair together; also return the pair of each row."""
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
    """Takes from flows what a gradient can explain."""

    def __init__(self, flow: _Flow) -> None:
        self.flow = flow
        laplacian = np.zeros((flow.size, flow.size))
        laplacian[flow.upper, flow.lower] = laplacian[flow.lower, flow.upper] = -flow.weight
        np.fill_diagonal(laplacian, -laplacian.sum(axis=0))
        groups = connected(flow.size, flow.upper, flow.lower)
        frame = Frame(groups, np.ones(flow.size, dtype=bool), np.zeros(0, dtype=np.int64))
        self.inverse = inverse(frame.grounded(laplacian))

    def size(self, push: Floats) -> Floats:
        """Return the weighted squares that remain of flows given as pushes (weight * flow), shape (flows, pairs)."""
        divergence = np.zeros((self.flow.size, len(push)))
        np.add.at(divergence, self.flow.upper, push.T)
        np.add.at(divergence, self.flow.lower, -push.T)
        explained = (divergence * (self.inverse @ divergence)).sum(axis=0)
        rest = (push**2 / self.flow.weight).sum(axis=1) - explained
        return np.asarray(np.maximum(rest, 0.0), dtype=np.float64)


def _simulated(meetings: Meetings, pair: Integers, pairs: int, generator: np.random.Generator) -> Floats:
    """Let the model play the same games again and again; return the pushes, shape (simulations, pairs)."""
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
    """Return the chance of a value as large: the share of the simulated ones.

    Where that is too small to count, it comes from a gamma distribution with their mean and variance.
    """
    from scipy.special import gammaincc

    larger = float((by_chance >= found * (1 - ROUNDING)).mean())
    mean, variance = float(by_chance.mean()), float(by_chance.var(ddof=1))
    if larger >= COUNTED or not variance:
        return larger
    return float(gammaincc(mean**2 / variance, found * mean / variance))


def _cycles(flow: _Flow, names: tuple[str, ...], scale: float) -> tuple[Cycle, ...]:
    """Find the cycles of three that lead uphill all the way, by the three pairs' own games.

    Pairs whose games were as good as decided before say nothing of this: one upset there would outweigh all.
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
