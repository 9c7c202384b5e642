"""Swiss: in each round, players with similar scores meet, if possible for the first time."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fiedler.support.text import counted
from fiedler.tournament.pairing.plan import History
from fiedler.tournament.pairing.planner import Over, Planner, Step
from fiedler.tournament.pairing.standings import points
from fiedler.tournament.schedule.pairs import Pair
from fiedler.tournament.schedule.schedule import Schedule


class SwissPlanner(Planner):
    """A round is a matching of maximum weight: first the fewest repeated meetings, then the nearest scores.

    With an odd number of players, one of those with the fewest pauses sits out, preferably one with a low score.
    """

    def following(self, history: History) -> Step | Over:
        """Return the next round."""
        total, played = rounds(self.schedule), history.steps
        present = self.present(history)
        if played >= total:
            return self.end(f"{counted(played, 'round')} {'is' if played == 1 else 'are'} played", history)
        pairs = self._matching(present, history)
        targets = {pair: history.meetings[frozenset(pair)] + self.per_meeting for pair in pairs}
        return Step(
            [pair for pair in pairs for _ in range(self.per_meeting)], f"round {played + 1} of {total}", targets
        )

    def _matching(self, present: Sequence[str], history: History) -> list[Pair]:
        import networkx

        score = points(history.finished)
        order = sorted(present, key=lambda name: -score[name])  # stable: equal scores stay in the order of the schedule
        place = {name: index for index, name in enumerate(order)}
        met = dict.fromkeys(order, 0)
        for pair, meetings in history.meetings.items():
            for name in pair & place.keys():
                met[name] += meetings
        graph = networkx.Graph()
        most = 2 * self.per_meeting * (history.steps + 1)
        for i, a in enumerate(order):
            for b in order[i + 1 :]:
                # Each criterion has more weight than all later ones together.
                again = history.meetings[frozenset((a, b))]
                apart = round(2 * abs(score[a] - score[b]))
                fold = abs(abs(place[a] - place[b]) - len(order) // 2) if not history.steps else 0
                cost = again * (2 * most + 2) ** 2 * len(order) + apart**2 * len(order) + fold
                rest = (met[a] + met[b]) * (2 * most + 2) ** 2 * len(order) if len(order) % 2 else 0
                graph.add_edge(a, b, weight=-(cost + rest))
        found = networkx.max_weight_matching(graph, maxcardinality=True)
        pairs = [(a, b) if place[a] < place[b] else (b, a) for a, b in found]
        return sorted(pairs, key=lambda pair: place[pair[0]])


def rounds(schedule: Schedule) -> int:
    """Return the number of rounds, by default that of a knockout."""
    return schedule.pairing.rounds or max(1, math.ceil(math.log2(len(schedule.players))))
