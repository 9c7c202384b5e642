"""Who meets whom: the meeting graph for a number of players and pairs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from threadpoolctl import threadpool_limits

from games.errors import nearest
from tournament.graph import bounds
from tournament.graph.exchange import Annealing, Schedule
from tournament.graph.lifts import lifts
from tournament.graph.problem import (
    Criterion,
    DegreeCap,
    DesignError,
    Ints,
    Problem,
    beliefs,
    connectivity_problem,
    edge_list,
)
from tournament.graph.spectrum import Array, Edge, connected, lambda2, rms_error
from tournament.graph.starts import families, grow, sample

DEFAULT_GAMES = 2
"""Games per pair: one with each colour."""


@dataclass(frozen=True)
class Design:
    """A meeting graph and what it promises.

    edges: the chosen pairs, 0-based, i < j, sorted, without earlier ones that were not chosen again. lambda2: Fiedler
    value of the unweighted graph of all pairs that meet or met; lambda2_bound: no graph under the same wishes has more.
    rms: predicted RMS error of the ratings in (raw Bayes-Elo) Elo, sqrt(tr(L^+)/N); rms_bound: no such graph has less;
    rms_precision: that of the design which the criterion `precision` finds with the same pairs and games.
    seconds: wall time of the search.
    """

    names: tuple[str, ...]
    edges: tuple[Edge, ...]
    criterion: str
    lambda2: float
    lambda2_bound: float
    rms: float
    rms_bound: float
    rms_precision: float
    seconds: float


@dataclass(frozen=True)
class _Effort:
    """How much to search, from the number of players alone: the result must not depend on the machine's speed."""

    walks: int
    schedule: Schedule
    draws: int
    lift: Schedule

    @staticmethod
    def of(players: int) -> _Effort:
        """Return what takes about a second on one core, several for a hundred players and more."""
        lift = Schedule(phases=4, steps=40, batch=16)
        if players <= 12:
            return _Effort(10, Schedule(phases=12, steps=30, batch=64), 2, Schedule(phases=2, steps=10, batch=16))
        if players <= 40:
            return _Effort(3, Schedule(phases=15, steps=60, batch=192), 12, lift)
        return _Effort(2, Schedule(phases=15, steps=max(20, min(80, 8000 // players)), batch=256), 12, lift)


def design(
    players: int,
    pairs: int,
    *,
    criterion: Criterion = "connectivity",
    degree_cap: DegreeCap = "near-equal",
    seed: int = 0,
    names: Sequence[str] = (),
    elo: Sequence[float] | None = None,
    elo_sd: float | Sequence[float] | None = None,
    games_per_pair: int = DEFAULT_GAMES,
    prior_games: Sequence[tuple[int, int, float]] = (),
    required: Sequence[Edge] = (),
    forbidden: Sequence[Edge] = (),
) -> Design:
    """Choose a simple graph with `pairs` edges, connected together with the pairs of `prior_games`.

    criterion: `connectivity` maximises λ2, `precision` the predicted accuracy of the ratings (A-optimal: least RMS
    error), `order` the information on the whole ranking (D-optimal: most weighted spanning trees). A pair weighs its
    games times the expected Fisher information of one between believed ratings `elo` with standard deviations `elo_sd`
    (raw Bayes-Elo; all equal if not given); for connectivity without `elo`, every pair that meets or met weighs 1.
    degree_cap: most new pairs of one player; `near-equal` is ceil(2 pairs / players).
    prior_games: (i, j, games) already played; required pairs are chosen in any case, forbidden ones never.
    The same arguments give the same edges on the same platform. Raises `DesignError` for wishes that
    contradict each other, or that no graph was found for.
    """
    started = time.perf_counter()
    labels = _names(players, names)
    if criterion not in get_args(Criterion):
        known = get_args(Criterion)
        raise DesignError(f"unknown criterion {criterion!r}{nearest(criterion, known)}; known: {', '.join(known)}")
    known_before = beliefs(players, elo, elo_sd, games_per_pair, prior_games)
    problem = connectivity_problem(pairs, degree_cap, known_before.played, required, forbidden, names)
    informed = problem.with_weights(*known_before.weighted())
    wanted = informed if elo is not None or criterion != "connectivity" else problem
    # Matrices this small gain nothing from several threads, which would fight with the games for cores.
    with threadpool_limits(limits=1, user_api="blas"):
        bound, spread = bounds.relax(problem, known_before)
        precise, edges = _choose(problem, informed, wanted, criterion, spread, np.random.default_rng(seed))
    promise = _Promise(problem, informed, bounds.rms_bound(problem, known_before, bound))
    return promise.design(labels, criterion, edges, precise, started)


def _names(players: int, names: Sequence[str]) -> tuple[str, ...]:
    if names and len(names) != players:
        raise DesignError(f"{len(names)} names for {players} players")
    return tuple(names) or tuple(f"player-{i + 1}" for i in range(players))


def _choose(
    problem: Problem,
    informed: Problem,
    wanted: Problem,
    criterion: Criterion,
    spread: Array,
    random: np.random.Generator,
) -> tuple[Ints, Ints]:
    """Return the most precise design found and the best one for the criterion, which optimises `wanted`."""
    effort = _Effort.of(problem.players)
    starts = list(_starts(problem, informed, spread, effort, random))
    if criterion == "precision":
        best = _search(informed, criterion, starts, effort.walks, effort.schedule, random)
        return best, best
    precise = _search(informed, "precision", starts, 1 if informed.free else 2, effort.schedule, random)
    return precise, _search(wanted, criterion, [precise, *starts], effort.walks, effort.schedule, random)


def _search(
    problem: Problem,
    criterion: Criterion,
    starts: list[Ints],
    walks: int,
    schedule: Schedule,
    random: np.random.Generator,
) -> Ints:
    """Anneal from the most promising starts, the last (a random one) among them, and return the best edges."""
    target = bounds.lambda2_bound(problem) - 1e-7 if problem.plain and criterion == "connectivity" else np.inf
    candidates = [Annealing(problem, criterion, edges, random) for edges in starts]
    ranked = sorted(candidates[:-1], key=lambda walk: walk.best_value, reverse=True)
    chosen = [*ranked[: walks - 1], candidates[-1], *ranked[walks - 1 :]][:walks]
    for walk in chosen:
        walk.run(schedule, target)
        if walk.best_value[0] >= target:
            break
    best = max(candidates, key=lambda walk: walk.best_value)
    if not connected(problem.players, [*edge_list(best.best_edges), *edge_list(np.argwhere(problem.seen))]):
        raise DesignError(
            f"found no connected graph of {problem.pairs} pairs with at most {problem.cap} a player: raise degree_cap"
        )
    return best.best_edges


def _starts(
    problem: Problem, informed: Problem, spread: Array, effort: _Effort, random: np.random.Generator
) -> Iterator[Ints]:
    """Yield feasible edge sets: known graphs and lifts where players are alike, draws by information, random ones."""
    if problem.free:
        for seeds in (*families(problem, random), *lifts(problem, random, effort.lift, effort.draws)):
            yield grow(problem, random, seeds)
    if not informed.free:
        for _ in range(effort.walks):
            yield grow(problem, random, sample(problem, spread, random))
    for _ in range(effort.walks):
        yield grow(problem, random)


@dataclass(frozen=True)
class _Promise:
    """What can be said of a choice, from the unweighted problem, the one weighed by information and the RMS bound."""

    problem: Problem
    informed: Problem
    rms_bound: float

    def design(
        self, names: tuple[str, ...], criterion: Criterion, edges: Ints, precise: Ints, started: float
    ) -> Design:
        """Return the finished design."""
        graph = self.problem.graph(edge_list(edges))
        low_vectors = np.linalg.eigh(graph)[1][:, 1:4] if self.problem.seen.any() else None
        rms = rms_error(self.informed.graph(edge_list(edges)))
        return Design(
            names=names,
            edges=edge_list(edges),
            criterion=criterion,
            lambda2=lambda2(graph),
            lambda2_bound=max(lambda2(graph), bounds.lambda2_bound(self.problem, low_vectors)),
            rms=rms,
            rms_bound=min(rms, self.rms_bound),
            rms_precision=min(rms, rms_error(self.informed.graph(edge_list(precise)))),
            seconds=time.perf_counter() - started,
        )
