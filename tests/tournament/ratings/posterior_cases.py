"""Simulated results, and the posterior of few players by sums over a grid, for the tests of posteriors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from fiedler.tournament.ratings import Results
from fiedler.tournament.ratings.pairs import Floats, Pairs
from fiedler.tournament.ratings.posterior.observations import Known, Observations
from fiedler.tournament.ratings.rao_kupper import RaoKupper
from fiedler.tournament.simulation.play import SimulatedPlayers

ADVANTAGE, DRAW_ELO = 30.0, 100.0


def played(elo: Sequence[float] | Floats, meetings: int, seed: int, names: Sequence[str] = ()) -> Results:
    """Return games of all pairs, two in each meeting."""
    size = len(elo)
    names = tuple(names) or tuple(f"net-{number:03d}" for number in range(size))
    players = SimulatedPlayers(
        names, np.asarray(elo, dtype=float), np.zeros((size, size)), ADVANTAGE, DRAW_ELO, np.random.default_rng(seed)
    )
    return players.play_counts(dict.fromkeys(combinations(names, 2), meetings))


def observed(results: Results, known: Known | None = None) -> Observations:
    return Observations.of(RaoKupper(Pairs.of(results)), ADVANTAGE, DRAW_ELO, results.names, known)


def nothing_played(size: int, known: Known) -> Observations:
    return observed(Results(tuple(f"net-{number:03d}" for number in range(size)), ()), known)


def by_grid(of: Observations, log_prior: Callable[[Floats], Floats], reach: float) -> tuple[Floats, Floats, float]:
    """Return mean, covariance and log evidence of three players; `log_prior` takes ratings, shape (points, 3)."""
    line = np.linspace(-reach, reach, 41)
    points = np.stack(np.meshgrid(line, line, line, indexing="ij"), axis=-1).reshape(-1, 3)
    logs = log_prior(points)
    pairs = of.likelihood.pairs
    for low, high, counts in zip(pairs.low, pairs.high, pairs.counts.T, strict=True):
        ahead = points[:, low] - points[:, high]
        for side, outcomes in ((1, counts[:3]), (-1, counts[3:])):
            logs += outcomes @ of.likelihood.log_outcomes(side * ahead, ADVANTAGE, DRAW_ELO)
    peak = logs.max()
    weight = np.exp(logs - peak)
    evidence = float(peak + np.log(weight.sum() * (line[1] - line[0]) ** 3))
    weight /= weight.sum()
    mean = weight @ points
    return mean, (points - mean).T @ ((points - mean) * weight[:, None]), evidence


def aligned(elo: dict[str, float], truth: dict[str, float]) -> Floats:
    """Return the errors relative to equal means."""
    error = np.array([elo[name] - truth[name] for name in truth])
    return np.asarray(error - error.mean())


def near_pairs(size: int, meetings: int, seed: int, stem: str = "net-", elo: Floats | None = None) -> Results:
    """Return games of each of many players with four others, who are drawn at random but for the next one."""
    random = np.random.default_rng(seed)
    truth = random.normal(0, 150, size) if elo is None else elo
    names = tuple(f"{stem}{number:04d}" for number in range(size))
    pairs = {(one, (one + 1) % size) for one in range(size)}
    pairs |= {(one, int((one + step) % size)) for one in range(size) for step in random.integers(2, size - 1, 3)}
    players = SimulatedPlayers(names, truth, np.zeros((size, size)), ADVANTAGE, DRAW_ELO, random)
    return players.play_counts({(names[one], names[other]): meetings for one, other in sorted(pairs)})
