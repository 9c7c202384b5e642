"""The order of the chosen meetings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fiedler.tournament.pairing.plan import History
from fiedler.tournament.pairing.standings import Strengths
from fiedler.tournament.schedule.pairs import Pair


def in_order(missing: Mapping[Pair, int], present: Sequence[str], strengths: Strengths, history: History) -> list[Pair]:
    """Return `missing[pair]` meetings of each pair in an order whose prefixes are as informative as possible.

    `present` are all players; planned meetings count as played.
    """
    if not missing:
        return []
    from fiedler.tournament.graph import information
    from fiedler.tournament.graph.order import ordered

    place = {name: index for index, name in enumerate(present)}
    elo, elo_sd = strengths.of(present)
    known = information.equal_strength() if elo is None else information.expected(np.array(elo), np.array(elo_sd))
    played: list[tuple[int, int, float]] = []
    for pair, number in history.meetings.items():
        if pair <= place.keys():
            i, j = sorted(place[name] for name in pair)
            played.append((i, j, 2.0 * number))
    edges = [(place[a], place[b]) for a, b in missing]
    order = ordered(len(place), edges, [2 * number for number in missing.values()], 2, known, played)
    pairs = list(missing)
    return [pairs[edge] for edge in order]
