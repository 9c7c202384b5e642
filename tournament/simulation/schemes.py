"""The pairing methods to compare, each with the same number of games."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from msgspec.structs import replace

from fiedler.support.errors import UsageError, nearest
from fiedler.tournament.pairing import Planner, Step, choose_pairs, free_games, planner
from fiedler.tournament.pairing.expected import chosen_by_elo
from fiedler.tournament.pairing.graph import FixedPlanner
from fiedler.tournament.pairing.plan import History
from fiedler.tournament.schedule.pairs import Pair
from fiedler.tournament.schedule.schedule import BEST, POSTERIOR, Pairing, Schedule

Meetings = Mapping[Pair, int]
"""Number of meetings of each pair, two games each."""
OWN = "schedule"
"""The method of the schedule, paired as in a run."""
GOAL = "goal"
"""The method adaptive with `goal = "best"`."""
DEGREES = (20, 8, 4)
"""Opponents of each player in the regular designs."""
ANCHORS = 4
"""Challengers of the gauntlet."""
BAND = 15
"""Largest distance of neighbours in the order of the schedule."""
LADDER_OPPONENTS = 16
"""Opponents of each newcomer of the ladder."""


@dataclass(frozen=True)
class Case:
    """The input of a method: the schedule with the expected ratings of its players, and the number of games."""

    schedule: Schedule
    games: int
    random: np.random.Generator
    plan: str = POSTERIOR
    """`plan` of the method adaptive."""

    @property
    def players(self) -> int:
        """The number of players."""
        return len(self.schedule.players)

    def paired(self, *, blind: bool = False, per_pair: int = 2, **pairing: Any) -> Schedule:  # noqa: ANN401
        """Return the schedule with another `[pairing]`; `blind`: with shuffled players and without ratings."""
        players = self.schedule.players
        if blind:
            order = self.random.permutation(len(players)).tolist()
            players = tuple(replace(players[place], elo=None, elo_sd=None) for place in order)
        tournament = replace(self.schedule.tournament, games_per_pair=per_pair)
        return replace(self.schedule, tournament=tournament, players=players, pairing=Pairing(**pairing))

    def spread(self, pairs: Sequence[Pair]) -> Meetings:
        """Return an even distribution of the games over pairs; random pairs have one meeting more than others."""
        each, more = divmod(self.games // 2, len(pairs))
        favoured = set(self.random.permutation(len(pairs))[:more].tolist())
        return {pair: each + (place in favoured) for place, pair in enumerate(pairs)}


@dataclass(frozen=True)
class Scheme:
    """A pairing method of a simulation. `pairs(players)` is the least number of meetings, None if it cannot be used."""

    label: str
    pair: Callable[[Case], Planner | Meetings]
    pairs: Callable[[int], int | None]
    informed: bool = False
    """Whether the prior Elo of the players chooses the pairs."""

    def fits(self, players: int, games: int) -> bool:
        """Return whether there are enough players and games."""
        needed = self.pairs(players)
        return needed is not None and needed <= games // 2


def own(case: Case) -> Planner | Meetings:
    """Return the schedule's own method, as a whole plan if results cannot change it."""
    method = planner(case.schedule)
    if isinstance(method, FixedPlanner) and not case.schedule.pairing.ends_early:
        step = method.next_step(History())
        return Counter(step.meetings if isinstance(step, Step) else ())
    return method


def _round_robin(case: Case) -> Meetings:
    return case.spread(choose_pairs(case.paired(method="round-robin")))


def _random_pairs(case: Case) -> Meetings:
    all_pairs = list(itertools.combinations(case.schedule.names, 2))
    drawn = case.random.integers(len(all_pairs), size=case.games // 2).tolist()
    return Counter(all_pairs[place] for place in drawn)


def _random_regular(degree: int, case: Case) -> Meetings:
    import networkx

    seed = int(case.random.integers(2**31))
    graph = networkx.random_regular_graph(degree, case.players, seed=seed)
    names = case.schedule.names
    return case.spread([(names[i], names[j]) for i, j in graph.edges])


def _connectivity(degree: int, case: Case) -> Meetings:
    """Return the graph of maximal algebraic connectivity with the players at random nodes."""
    label = case.random.permutation(case.players).tolist()
    names = case.schedule.names
    return case.spread([(names[label[i]], names[label[j]]) for i, j in _well_connected(case.players, degree)])


@lru_cache
def _well_connected(players: int, degree: int) -> tuple[tuple[int, int], ...]:
    """Return the edges of a run with `degree` alone, without ratings; they are found once."""
    from fiedler.tournament.graph import design

    return design(players, players * degree // 2).edges


def _informed(criterion: str, degree: int, case: Case) -> Meetings:
    pairs = case.players * degree // 2
    each = max(2, case.games // pairs // 2 * 2)
    return case.spread(
        choose_pairs(
            case.paired(per_pair=each, method="meeting-graph", pairs=pairs, criterion=criterion, degree_cap="none")
        )
    )


def _free(case: Case) -> Meetings:
    made = free_games(case.paired(method="meeting-graph", games=case.games, criterion="precision"))
    names = case.schedule.names
    return {(names[i], names[j]): games // 2 for (i, j), games in zip(made.edges, made.games, strict=True)}


def _adaptive(case: Case) -> Planner:
    return planner(case.paired(blind=True, method="adaptive", games=case.games, plan=case.plan))


def _best(case: Case) -> Planner:
    return planner(case.paired(blind=True, method="adaptive", games=case.games, goal=BEST))


def _swiss(case: Case) -> Planner:
    rounds = _swiss_rounds(case.players)
    meetings = case.games / 2 / (rounds * (case.players // 2))
    return planner(case.paired(blind=True, per_pair=2 * max(1, round(meetings)), method="swiss", rounds=rounds))


def _swiss_rounds(players: int) -> int:
    """Return 30 for a hundred players."""
    return min(players - 1 + players % 2, round(3 * math.sqrt(players)))


def _ladder(case: Case) -> Planner:
    opponents = min(LADDER_OPPONENTS, case.players - 1)
    pairs = _ladder_pairs(case.players) or 1
    each = 2 * max(1, round(case.games / 2 / pairs))
    return planner(case.paired(per_pair=each, method="ladder", opponents=opponents))


def _ladder_pairs(players: int) -> int | None:
    return sum(min(LADDER_OPPONENTS, before) for before in range(players)) if players > 2 else None


def _gauntlet(case: Case) -> Meetings:
    by_strength = sorted(case.schedule.players, key=lambda player: player.elo or 0.0)
    anchors = {by_strength[(2 * place + 1) * case.players // (2 * ANCHORS)].name for place in range(ANCHORS)}
    pairs = choose_pairs(case.paired(method="gauntlet", challengers=tuple(sorted(anchors))))
    return case.spread([pair for pair in pairs if not anchors.issuperset(pair)])


def _neighbours(reach: int, case: Case) -> Meetings:
    """Return the pairs of neighbours in the order of the schedule; in a ring, the last player meets the first."""
    names = case.schedule.names
    pairs = [(names[i], names[j]) for i in range(len(names)) for j in range(i + 1, min(i + 1 + reach, len(names)))]
    return case.spread([*pairs, (names[-1], names[0])] if reach == 1 else pairs)


def _gauntlet_pairs(players: int) -> int | None:
    return ANCHORS * (players - ANCHORS) if players > 2 * ANCHORS else None


def _all_pairs(players: int) -> int:
    return players * (players - 1) // 2


def _of_degree(degree: int, players: int) -> int | None:
    """Return the number of pairs, None if the graph would be complete."""
    return players * degree // 2 if degree < players - 1 else None


def _schemes() -> Iterator[tuple[str, Scheme]]:
    yield "precision-free", Scheme("precision, games free", _free, lambda n: n if n > 2 else None, informed=True)
    for degree in DEGREES:
        needs = partial(_of_degree, degree)
        for criterion in ("precision", "order"):
            pairing = partial(_informed, criterion, degree)
            yield f"{criterion}-{degree}", Scheme(f"{criterion}, degree {degree}", pairing, needs, informed=True)
        blind = partial(_connectivity, degree)
        yield f"connectivity-{degree}", Scheme(f"connectivity, degree {degree}", blind, needs)
        yield (
            f"random-{degree}",
            Scheme(f"random regular, degree {degree}", partial(_random_regular, degree), needs),
        )
    yield (
        "adaptive",
        Scheme(f"adaptive, {Pairing().batches} batches", _adaptive, lambda n: 2 * n if n > 2 else None),
    )
    yield "swiss", Scheme("swiss", _swiss, lambda n: _swiss_rounds(n) * (n // 2) if n > 2 else None)
    yield "ladder", Scheme(f"ladder, {LADDER_OPPONENTS} opponents", _ladder, _ladder_pairs, informed=True)
    yield "round-robin", Scheme("round robin", _round_robin, _all_pairs)
    yield "random", Scheme("random pairing", _random_pairs, lambda n: 2 * n if n > 2 else None)
    anchored = Scheme(f"gauntlet, {ANCHORS} anchors", _gauntlet, _gauntlet_pairs, informed=True)
    yield "gauntlet", anchored
    wide = partial(_neighbours, BAND)
    yield "band", Scheme(f"neighbours up to ± {BAND}", wide, lambda n: n * BAND if n > 2 * BAND else None)
    yield "ring", Scheme("ring", partial(_neighbours, 1), lambda n: n if n > 3 else None)


SCHEMES = dict(_schemes())
"""Schemes by their name in `--method`."""


def scheme(name: str, schedule: Schedule) -> Scheme:
    """Return the scheme of that name.

    Raises:
        UsageError: no scheme has this name.

    """
    if name == OWN:
        label = f"schedule: {schedule.pairing.method}"
        return Scheme(label, own, lambda _: 0, informed=chosen_by_elo(schedule.pairing))
    if name == GOAL:
        return Scheme("adaptive, goal best", _best, SCHEMES["adaptive"].pairs)
    if name not in SCHEMES:
        known = ", ".join((OWN, *SCHEMES))
        raise UsageError(f"unknown method {name!r}{nearest(name, SCHEMES)}; known: {known}")
    return SCHEMES[name]
