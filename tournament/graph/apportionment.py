"""Free distribution of games: the number of games of each pair that maximises precision, of all or of the best.

The relaxed problem gives the best real number of games of every pair. Whole units of games (with equal colours) are
drawn in proportion to it. The exchange of units starts there; it may choose a pair any number of times.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fiedler.support.stages import begin
from fiedler.tournament.graph.errors import DesignError
from fiedler.tournament.graph.exchange import Annealing, Cooling
from fiedler.tournament.graph.problem import Beliefs, Ints, Problem
from fiedler.tournament.graph.spectrum import Array, components


def allot(
    problem: Problem, beliefs: Beliefs, spread: Array, schedule: Cooling, random: np.random.Generator
) -> tuple[Ints, Ints]:
    """Return the pairs (M, 2), sorted, and the number of units of `beliefs.games_per_pair` games of each (M,).

    There are `problem.pairs` units in all; `spread` (N x N) is the relaxed optimum in games per pair. With a style of
    each pair (`style_sd`), further games of a pair are less informative. The exchange gives all units of a pair the
    same weight, so the draw is then the result.

    Raises:
        DesignError: neither the games nor the prior connect the players.
    """
    units = _drawn(problem, spread / beliefs.games_per_pair, random)
    if beliefs.style_sd == 0:
        if beliefs.prior is not None or beliefs.contrasts is not None:
            # They draw the games to few pairs. A trial then mostly moves a unit of a pair to the same pair: in vain,
            # but at the cost of a move. The draw is close to the optimum already.
            schedule = replace(schedule, trials=schedule.trials * len(np.unique(units, axis=0)) // len(units))
        partners = units[random.integers(len(units), size=len(units))]
        walk = Annealing(
            problem,
            "precision",
            units,
            int(random.integers(2**62)),
            partners,
            repeats=True,
            contrasts=beliefs.contrasts,
        )
        begin("exchange of games", schedule.phases)
        walk.run(schedule)
        units = walk.best_edges
    before = np.argwhere(np.triu(problem.seen))
    if not problem.determined and components(problem.players, [(int(i), int(j)) for i, j in (*units, *before)]) > 1:
        raise DesignError(f"{problem.pairs * beliefs.games_per_pair} games do not connect {problem.players} players")
    edges, counts = np.unique(units, axis=0, return_counts=True)
    return edges, counts


def _drawn(problem: Problem, share: Array, random: np.random.Generator) -> Ints:
    """Return `pairs` units by systematic sampling: each pair's share, rounded down or up, and every required pair.

    The pairs are ordered by player, so that each player's number of units is close to its share as well.
    """
    share = np.triu(share * problem.allowed, 1)
    for a, b in problem.required:
        share[a, b] = max(1.0, share[a, b])
    i, j = np.nonzero(share)
    share_of = share[i, j] * (problem.pairs / share[i, j].sum())
    marks = np.floor(np.concatenate([[0.0], np.cumsum(share_of)]) + random.random())
    marks[-1] = marks[0] + problem.pairs
    counts = np.diff(marks).astype(np.int64)
    required = [(a, b) in problem.required for a, b in zip(i.tolist(), j.tolist(), strict=True)]
    for place in np.flatnonzero(required):
        if counts[place] == 0:  # take it from the pair with the most units
            counts[place] += 1
            counts[int(counts.argmax())] -= 1
    return np.repeat(np.stack([i, j], axis=1), counts, axis=0)
