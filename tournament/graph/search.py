"""The search for pairs: annealed exchange from known graphs, lifts and random ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from fiedler.support.stages import begin, step
from fiedler.tournament.graph import bounds
from fiedler.tournament.graph.errors import DesignError
from fiedler.tournament.graph.exchange import Annealing, Cooling
from fiedler.tournament.graph.initial_graphs import families, grow, sample
from fiedler.tournament.graph.lifts import LiftEffort, lifts
from fiedler.tournament.graph.problem import Criterion, Ints, Problem, edge_list
from fiedler.tournament.graph.spectrum import Array, connected

_PATIENT = Cooling(20, 12_000)
"""For up to 40 players."""
_CLOSE = Cooling(20, 12_000, warm=0.2, cold=0.01, far=0.05, near=0.02)
"""For up to 20 players, in turn with `_PATIENT`."""
_QUICK = (
    Cooling(20, 2_000),
    Cooling(20, 2_000, warm=0.06, cold=0.06, far=0.05, near=0.05),
    Cooling(20, 2_000, warm=0.6, cold=0.05, far=0.01, near=0.005),
    Cooling(20, 2_000, warm=0.04, cold=0.04, far=0.1, near=0.1),
    Cooling(20, 2_000, warm=0.08, cold=0.03, far=0.05, near=0.05),
)
"""For up to 12 players: each finds, in one of 2 to 20 walks, optima that the others rarely find."""


@dataclass(frozen=True)
class _Effort:
    """The effort of the search. It depends on the number of players alone, not on the speed of the machine."""

    walks: int
    """Annealings for connectivity."""
    kinds: tuple[Cooling, ...]
    """The schedules of the annealings for connectivity, in turn."""
    settle: int
    """Trials in all for the other criteria."""
    lift: LiftEffort
    several: bool = True
    """Whether the other criteria take up to four walks, else one."""

    @staticmethod
    def of(players: int) -> _Effort:
        """Return an effort of less than a second on one core for 12 players, seconds for 100, a minute for 1,000."""
        if players <= 12:
            return _Effort(30 if players < 10 else 100, _QUICK, 20_000, LiftEffort(2, 6, Cooling(10, 500)))
        if players <= 40:
            kinds = (_CLOSE, _PATIENT) if players <= 20 else (_PATIENT,)
            draws = 12 if players <= 30 else 60
            return _Effort(8, kinds, 200_000, LiftEffort(draws, 10, Cooling(20, 2_000)))
        if players <= 120:
            kinds = (Cooling(20, 20_000),)
            return _Effort(2, kinds, 600_000, LiftEffort(16, 10, Cooling(30, 2_500)), several=False)
        # A move costs more than a thousand trials, so this is little more than a descent.
        kinds = (Cooling(5, 20_000 if players <= 400 else 10_000, warm=0.002, cold=0.0003, far=0.02, near=0.005),)
        if players <= 400:
            return _Effort(1, kinds, 200_000, LiftEffort(3, 25, Cooling(30, 3_000)), several=False)
        return _Effort(1, kinds, 900_000, LiftEffort(2, 25, Cooling(20, 2_500)), several=False)

    def of_criterion(self, criterion: Criterion) -> tuple[int, LiftEffort]:
        """Return the number of walks and the effort for lifts, which matter less for other criteria."""
        if criterion == "connectivity":
            return self.walks, self.lift
        lift = LiftEffort(1, min(6, self.lift.most), Cooling(10, 1_000))
        return min(4, self.walks) if self.several else 1, lift

    def schedules(self, criterion: Criterion, pairs: int) -> tuple[Cooling, ...]:
        """Return the schedules of the walks: a move changes the precision by about 1 / pairs, λ2 by far more."""
        if criterion == "connectivity":
            return self.kinds
        if self.settle > 600_000:
            return (Cooling(phases=6, trials=self.settle // 6, warm=0.006 / pairs, cold=0.0007 / pairs),)
        return (Cooling(phases=10, trials=self.settle // 10, warm=0.06 / pairs, cold=0.003 / pairs),)


def search_edges(
    problem: Problem,
    informed: Problem,
    objective: Problem,
    criterion: Criterion,
    spread: Array,
    random: np.random.Generator,
) -> tuple[Ints, Ints]:
    """Return the most precise edges found and the best ones for the criterion on the problem `objective`."""
    effort = _Effort.of(problem.players)
    walks, lift = effort.of_criterion(criterion)
    starts = list(_starts(problem, informed, spread, (walks, lift), random))
    # With a prior the relaxed optimum may be fewer pairs than are asked for, any number of times each.
    sought = spread + spread.mean() * problem.allowed if problem.determined else spread
    partners = None if informed.free else _partners(sought, problem.pairs, random)

    def search(of: Problem, best_in: Criterion, these: list[Ints], walks: int) -> Ints:
        return _search(of, best_in, these, walks, effort.schedules(best_in, problem.pairs), partners, random)

    if criterion == "precision":
        best = search(informed, criterion, starts, walks)
        return best, best
    precise = search(informed, "precision", starts, 1)
    return precise, search(objective, criterion, [precise, *starts], walks)


def _partners(spread: Array, pairs: int, random: np.random.Generator) -> Ints:
    """Return 40 times `pairs` pairs (a million at most), drawn in proportion to the relaxed optimum."""
    i, j = np.nonzero(np.triu(spread, 1))
    share = spread[i, j] / spread[i, j].sum()
    drawn = random.choice(len(i), size=min(40 * pairs, 1_000_000), p=share)
    return np.stack([i[drawn], j[drawn]], axis=1)


def _search(
    problem: Problem,
    criterion: Criterion,
    starts: list[Ints],
    walks: int,
    schedules: tuple[Cooling, ...],
    partners: Ints | None,
    random: np.random.Generator,
) -> Ints:
    """Anneal from the best starts, among several walks also from a random one, and return the best edges.

    The walks use the schedules in turn.

    Raises:
        DesignError: no connected graph was found.
    """
    target = bounds.lambda2_bound(problem) - 1e-7 if problem.plain and criterion == "connectivity" else np.inf
    seeds = random.integers(2**62, size=len(starts)).tolist()
    candidates = [
        Annealing(problem, criterion, edges, seed, partners) for edges, seed in zip(starts, seeds, strict=True)
    ]
    ranked = sorted(candidates[:-1], key=lambda walk: walk.best_value, reverse=True)
    chosen = [*ranked[: max(1, walks - 1)], candidates[-1], *ranked[walks - 1 :]][:walks]
    begin(f"search for {criterion}", sum(schedules[turn % len(schedules)].phases for turn in range(len(chosen))))
    for turn, walk in enumerate(chosen):
        if any(other.best_value[0] >= target for other in candidates):
            break
        walk.run(schedules[turn % len(schedules)], target)
    best = max(candidates, key=lambda walk: walk.best_value)
    if problem.determined:
        return best.best_edges
    if not connected(problem.players, [*edge_list(best.best_edges), *edge_list(np.argwhere(problem.seen))]):
        raise DesignError(
            f"found no connected graph of {problem.pairs} pairs with at most {problem.cap} a player: raise degree_cap"
        )
    return best.best_edges


def _starts(
    problem: Problem, informed: Problem, spread: Array, effort: tuple[int, LiftEffort], random: np.random.Generator
) -> Iterator[Ints]:
    """Yield feasible edge sets: known graphs and lifts for interchangeable players, else draws; then random ones."""
    walks, lift = effort
    if problem.free and informed.free:
        for seeds in (*families(problem, random), *lifts(problem.players, problem.pairs, problem.cap, random, lift)):
            yield grow(problem, random, seeds)
    drawn = 0 if informed.free else min(walks, 4)
    begin("random graphs", drawn + walks)
    for _ in range(drawn):
        yield grow(problem, random, sample(problem, spread, random))
        step()
    for _ in range(walks):
        yield grow(problem, random)
        step()
