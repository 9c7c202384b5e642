"""Adaptive: after each batch of games the players are rated anew and the next batch is planned on these ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tournament.pairing.planner import Planner, Step
from tournament.pairing.standings import Beliefs, games_of_pairs
from tournament.pairing.stop import stop_reason
from tournament.plan import History, Pair, in_rounds
from tournament.words import counted

FIRST_SHARE = 0.15
"""of all games, which nothing but the schedule's `elo` guides"""


class AdaptivePlanner(Planner):
    """Few large batches: pairing game by game would stretch the scale of the ratings (docs/meeting-graph.md)."""

    def next_step(self, history: History) -> Step:
        """Return the next batch: the meetings of most precision under what is known now."""
        if reason := stop_reason(self.schedule, history):
            return Step(note=reason)
        present = self.present(history)
        meetings = self._size(history, len(present))
        if meetings < 1 or len(present) < 2:
            return Step(note=f"{counted(len(history.finished), 'game')} are played")
        chosen = self._choose(present, meetings, history)
        return Step(chosen, f"batch {history.steps + 1}", sorted(set(chosen), key=chosen.index))

    def _size(self, history: History, players: int) -> int:
        """Return how many meetings the next batch has."""
        pairing = self.schedule.pairing
        assert pairing.games is not None
        total = pairing.games // 2
        left = total - len(history.finished) // 2
        if history.steps == 0:
            return min(left, max(round(FIRST_SHARE * total), 2 * players))
        return -(-left // max(1, pairing.batches - history.steps))

    def _choose(self, present: Sequence[str], meetings: int, history: History) -> list[Pair]:
        from tournament.graph import design

        place = {name: index for index, name in enumerate(present)}
        pairing = self.schedule.pairing
        believed = Beliefs.of_schedule(self.schedule)
        known = Beliefs.of_games(self.schedule, history.finished)
        elo, elo_sd = Beliefs({**believed.elo, **known.elo}, {**believed.deviation, **known.deviation}).of(present)
        wishes: dict[str, Any] = {
            "seed": self.schedule.tournament.seed + history.steps,
            "names": present,
            "prior_games": self._played(place, history),
            "forbidden": [(place[a], place[b]) for a, b in pairing.forbidden if a in place and b in place],
        }
        if elo is None:
            most = len(present) * (len(present) - 1) // 2 - len({frozenset(pair) for pair in wishes["forbidden"]})
            found = design(len(present), min(meetings, most), **wishes)
        else:
            found = design(len(present), games=2 * meetings, criterion="precision", elo=elo, elo_sd=elo_sd, **wishes)
        return self._in_turn([(present[i], present[j]) for i, j in found.edges], found.games, meetings)

    @staticmethod
    def _in_turn(pairs: Sequence[Pair], games: Sequence[int], meetings: int) -> list[Pair]:
        """Return the meetings in their order: every pair once, those with more games once more, and so on.

        What is missing to `meetings` because there are no more pairs is spread over all of them.
        """
        more = -(-meetings // (sum(games) // 2))
        left = dict(zip(pairs, (more * count // 2 for count in games), strict=True))
        ordered: list[Pair] = []
        while left:
            ordered += in_rounds(left)
            left = {pair: count - 1 for pair, count in left.items() if count > 1}
        return ordered[:meetings]

    def _played(self, place: Mapping[str, int], history: History) -> list[tuple[int, int, float]]:
        """Return earlier games, those of the schedule and those of the run, between players that are present."""
        earlier = games_of_pairs(history.finished)
        for a, b, games in self.schedule.pairing.prior_games:
            earlier[frozenset((a, b))] += games
        among = [
            (sorted(place[name] for name in pair), games) for pair, games in earlier.items() if pair <= place.keys()
        ]
        return [(i, j, games) for (i, j), games in among]
