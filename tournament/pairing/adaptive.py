"""Adaptive: each batch of games is planned on the ratings from all earlier batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from fiedler.support.errors import UsageError
from fiedler.support.text import counted
from fiedler.tournament.pairing.beliefs import PlayerBeliefs, player_beliefs
from fiedler.tournament.pairing.disputes import stopped_pairs
from fiedler.tournament.pairing.order import in_order
from fiedler.tournament.pairing.plan import History, Played
from fiedler.tournament.pairing.planner import Over, Planner, Step
from fiedler.tournament.pairing.standings import Strengths, games_of_pairs
from fiedler.tournament.schedule.pairs import Pair

FIRST_SHARE = 0.1
"""Share of all games in the first batch, which is planned on the schedule's `elo` alone."""
MOST_JOINT = 1000
"""Most players whose posterior plans: its time grows with their cube, and 400 players take 4 s."""


class AdaptivePlanner(Planner):
    """A few large batches: pairing game by game would stretch the scale of the ratings (docs/meeting-graph.md)."""

    def following(self, history: History) -> Step | Over:
        """Return the next batch: the most informative meetings for the ratings so far."""
        present = self.present(history)
        meetings = self._size(history, len(present))
        if meetings < 1:
            number = len(history.finished)
            return self.end(f"{counted(number, 'game')} {'is' if number == 1 else 'are'} played", history)
        finished = sorted(history.finished)  # the order of their ends is random, and sums of floats depend on it
        beliefs = self.beliefs(finished, present)
        strengths = self._strengths(finished) if beliefs is None else beliefs.strengths
        known = self._known(beliefs, strengths, present)
        chosen = self._chosen(present, meetings, known, finished, history)
        if not chosen:
            return self.end("no pairs connect the remaining players", history)
        targets = {pair: number + history.meetings[frozenset(pair)] for pair, number in chosen.items()}
        note = f"batch {history.steps + 1}{self._remark_on(beliefs)}"
        return Step(in_order(chosen, present, strengths, history), note, targets)

    def beliefs(self, games: Sequence[Played], present: Sequence[str]) -> PlayerBeliefs | None:
        """Return the posterior of these games; None if it plans nothing, or too few or too many players have games."""
        pairing = self.schedule.pairing
        if not pairing.plans_by_posterior or len(present) > MOST_JOINT:
            return None
        return player_beliefs(self.schedule, games, present, pairing.style_sd or 0.0, "population")

    def _strengths(self, games: Sequence[Played]) -> Strengths:
        """Return the ratings without a posterior: those of the schedule, then of the games."""
        known = Strengths.of_players(self.schedule.players)
        return known.updated(Strengths.of_games(self.schedule.rating, games))

    def _known(self, beliefs: PlayerBeliefs | None, strengths: Strengths, present: Sequence[str]) -> Mapping[str, Any]:
        """Return what is known of the players as options of `design`; empty if nothing is."""
        if beliefs is not None:
            return beliefs.options
        elo, elo_sd = strengths.of(present)
        return {} if elo is None else {"elo": elo, "elo_sd": elo_sd}

    def _remark_on(self, beliefs: PlayerBeliefs | None) -> str:  # noqa: ARG002
        """Return the end of a batch's name."""
        return ""

    def _remaining(self, history: History) -> int:
        """Return the number of remaining meetings; only one game of a benched player's last meeting may count."""
        assert self.schedule.pairing.games is not None
        return (self.schedule.pairing.games - len(history.finished)) // 2

    def _size(self, history: History, players: int) -> int:
        """Return the number of meetings of the next batch."""
        pairing = self.schedule.pairing
        assert pairing.games is not None
        total, remaining = pairing.games // 2, self._remaining(history)
        if history.steps == 0:
            return min(remaining, max(round(FIRST_SHARE * total), 2 * players))
        return -(-remaining // max(1, pairing.batches - history.steps))

    def _chosen(
        self,
        present: Sequence[str],
        meetings: int,
        known: Mapping[str, Any],
        finished: Sequence[Played],
        history: History,
    ) -> dict[Pair, int]:
        """Return the number of meetings of each pair in the next batch.

        A batch that is too small to connect the players without the benched ones takes all remaining games. It is empty
        if no pairs connect them.
        """
        from fiedler.tournament.graph import DesignError

        for size in dict.fromkeys((meetings, self._remaining(history))):
            try:
                return self._choose(present, size, known, finished, history)
            except UsageError as error:
                if not (history.benched or stopped_pairs(history.disputes)):
                    named = self.schedule.error("pairing.games", str(error))
                    raise (named if isinstance(error, DesignError) else error) from error
        return {}

    def _choose(
        self,
        present: Sequence[str],
        meetings: int,
        known: Mapping[str, Any],
        finished: Sequence[Played],
        history: History,
    ) -> dict[Pair, int]:
        """Return the number of meetings of each pair in the next batch; `known` are options of `design`."""
        from fiedler.tournament.graph import design

        place = {name: index for index, name in enumerate(present)}
        apart = [*self.schedule.pairing.forbidden, *map(sorted, stopped_pairs(history.disputes))]
        forbidden = [(place[a], place[b]) for a, b in apart if a in place and b in place]
        options: dict[str, Any] = {
            "seed": self.schedule.tournament.seed + history.steps,
            "names": present,
            "prior_games": self._played(place, finished),
            "forbidden": forbidden,
            "style_sd": self.schedule.pairing.style_sd or 0.0,
            **known,
        }
        most = len(present) * (len(present) - 1) // 2 - len({frozenset(pair) for pair in forbidden})
        if most < 1:
            raise self.schedule.error("pairing.forbidden", "expected at least one pair that may meet, got none")
        if known:
            found = design(len(present), games=2 * meetings, criterion="precision", **options)
        else:  # no ratings: as many different pairs as possible
            pairs = min(meetings, most)
            options["degree_cap"] = _least_cap(len(present), pairs, forbidden)
            found = design(len(present), pairs, games_per_pair=2 * (meetings // pairs), **options)
        return {(present[i], present[j]): games // 2 for (i, j), games in zip(found.edges, found.games, strict=True)}

    def _played(self, place: Mapping[str, int], finished: Sequence[Played]) -> list[tuple[int, int, float]]:
        """Return the earlier games of the schedule and of the run between players that are present."""
        earlier = games_of_pairs(finished)
        for a, b, games in self.schedule.pairing.prior_games:
            earlier[frozenset((a, b))] += games
        among = [
            (sorted(place[name] for name in pair), games) for pair, games in earlier.items() if pair <= place.keys()
        ]
        return [(i, j, games) for (i, j), games in among]


def _least_cap(players: int, pairs: int, forbidden: Sequence[tuple[int, int]]) -> int:
    """Return the least number of opponents that leaves room for all pairs: more if forbidden pairs leave some with few.

    `pairs` are at most those that are not forbidden.
    """
    apart = Counter(player for pair in {frozenset(pair) for pair in forbidden} for player in pair)
    most = [players - 1 - apart[player] for player in range(players)]
    cap = -(-2 * pairs // players)
    while sum(min(one, cap) for one in most) < 2 * pairs:
        cap += 1
    return cap
