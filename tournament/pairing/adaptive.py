"""Adaptive: after each batch of games the players are rated anew and the next batch is planned on these ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from support.errors import UsageError
from support.text import counted
from tournament.pairing.order import in_order
from tournament.pairing.plan import History, Played
from tournament.pairing.planner import Planner, Step
from tournament.pairing.standings import Strengths, games_of_pairs
from tournament.schedule.pairs import Pair

FIRST_SHARE = 0.1
"""of all games, which nothing but the schedule's `elo` guides"""


class AdaptivePlanner(Planner):
    """Few large batches: pairing game by game would stretch the scale of the ratings (docs/meeting-graph.md)."""

    def following(self, history: History) -> Step:
        """Return the next batch: the meetings of most precision under what is known now."""
        present = self.present(history)
        meetings = self._size(history, len(present))
        if meetings < 1:
            number = len(history.finished)
            return self.end(f"{counted(number, 'game')} {'is' if number == 1 else 'are'} played", history)
        finished = sorted(history.finished)  # the order in which they ended is chance, and sums of floats depend on it
        strengths = Strengths.of_schedule(self.schedule).updated(Strengths.of_games(self.schedule, finished))
        chosen = self._chosen(present, meetings, strengths, finished, history)
        if not chosen:
            return self.end("no pairs connect the players that are left", history)
        targets = {pair: number + history.meetings[frozenset(pair)] for pair, number in chosen.items()}
        return Step(in_order(chosen, present, strengths, history), f"batch {history.steps + 1}", targets)

    def _left(self, history: History) -> int:
        """Return how many meetings there are games for; of a benched player's last one only one game may count."""
        assert self.schedule.pairing.games is not None
        return (self.schedule.pairing.games - len(history.finished)) // 2

    def _size(self, history: History, players: int) -> int:
        """Return how many meetings the next batch has."""
        pairing = self.schedule.pairing
        assert pairing.games is not None
        total, left = pairing.games // 2, self._left(history)
        if history.steps == 0:
            return min(left, max(round(FIRST_SHARE * total), 2 * players))
        return -(-left // max(1, pairing.batches - history.steps))

    def _chosen(
        self,
        present: Sequence[str],
        meetings: int,
        strengths: Strengths,
        finished: Sequence[Played],
        history: History,
    ) -> dict[Pair, int]:
        """Return who meets how often in the next batch.

        Where that is too small to connect those who are left without the benched players it takes all games, and it is
        empty if nothing connects them.
        """
        from tournament.graph import DesignError

        for size in dict.fromkeys((meetings, self._left(history))):
            try:
                return self._choose(present, size, strengths, finished, history.steps)
            except UsageError as error:
                if not history.benched:
                    named = self.schedule.error("pairing.games", str(error))
                    raise (named if isinstance(error, DesignError) else error) from error
        return {}

    def _choose(
        self, present: Sequence[str], meetings: int, strengths: Strengths, finished: Sequence[Played], steps: int
    ) -> dict[Pair, int]:
        """Return who meets how often in the batch after so many steps."""
        from tournament.graph import design

        place = {name: index for index, name in enumerate(present)}
        forbidden = [(place[a], place[b]) for a, b in self.schedule.pairing.forbidden if a in place and b in place]
        options: dict[str, Any] = {
            "seed": self.schedule.tournament.seed + steps,
            "names": present,
            "prior_games": self._played(place, finished),
            "forbidden": forbidden,
            "style_sd": self.schedule.pairing.style_sd,
        }
        most = len(present) * (len(present) - 1) // 2 - len({frozenset(pair) for pair in forbidden})
        if most < 1:
            raise self.schedule.error("pairing.forbidden", "expected at least one pair that may meet, got none")
        elo, elo_sd = strengths.of(present)
        if elo is not None:
            found = design(len(present), games=2 * meetings, criterion="precision", elo=elo, elo_sd=elo_sd, **options)
        else:  # nothing is known: as many different pairs as there are games for
            pairs = min(meetings, most)
            found = design(len(present), pairs, games_per_pair=2 * (meetings // pairs), **options)
        return {(present[i], present[j]): games // 2 for (i, j), games in zip(found.edges, found.games, strict=True)}

    def _played(self, place: Mapping[str, int], finished: Sequence[Played]) -> list[tuple[int, int, float]]:
        """Return earlier games, those of the schedule and those of the run, between players that are present."""
        earlier = games_of_pairs(finished)
        for a, b, games in self.schedule.pairing.prior_games:
            earlier[frozenset((a, b))] += games
        among = [
            (sorted(place[name] for name in pair), games) for pair, games in earlier.items() if pair <= place.keys()
        ]
        return [(i, j, games) for (i, j), games in among]
