"""Ladder: every player, in the order of the schedule, meets the most informative earlier players."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fiedler.support.text import counted
from fiedler.tournament.pairing.plan import History
from fiedler.tournament.pairing.planner import Over, Planner, Step
from fiedler.tournament.pairing.standings import UNKNOWN_SD, Strengths


class LadderPlanner(Planner):
    """Meetings of one newcomer at a time. New checkpoints are appended to the schedule; earlier games stay.

    The expected rating of a newcomer is its `elo`, by default the rating of the player before it. Its opponents are the
    players whose games are most informative: of similar strength and with precise ratings.
    """

    def following(self, history: History) -> Step | Over:
        """Return the games of the next newcomer."""
        present = self.present(history)
        for place, newcomer in enumerate(present[1:], start=1):
            earlier = present[:place]
            met = [name for name in earlier if history.meetings[frozenset((newcomer, name))]]
            number = min(self.schedule.pairing.opponents, len(earlier)) - len(met)
            short = [name for name in met if history.meetings[frozenset((newcomer, name))] < self.per_meeting]
            if number > 0 or short:
                others = [name for name in earlier if name not in met]
                chosen = [*short, *self._best(newcomer, others, earlier[-1], max(number, 0), history)]
                return self._meet(newcomer, chosen, history)
        return self.end("every player has challenged those before it", history)

    def _meet(self, newcomer: str, chosen: Sequence[str], history: History) -> Step:
        pairs = [(newcomer, name) for name in chosen]
        missing = {pair: self.per_meeting - history.meetings[frozenset(pair)] for pair in pairs}
        meetings = [pair for number in range(self.per_meeting) for pair in pairs if missing[pair] > number]
        note = f"ladder: {newcomer} against {counted(len(chosen), 'player')}"
        return Step(meetings, note, dict.fromkeys(pairs, self.per_meeting))

    def _best(
        self, newcomer: str, others: Sequence[str], predecessor: str, count: int, history: History
    ) -> Sequence[str]:
        """Return the `count` of `others` whose games are most informative about the newcomer."""
        from fiedler.tournament.graph import information

        if count >= len(others):
            return others
        known = Strengths.of_players(self.schedule.players).updated(
            Strengths.of_games(self.schedule.rating, sorted(history.finished))
        )
        guess = Strengths(
            {newcomer: known.elo[predecessor]} if predecessor in known.elo else {}, {newcomer: UNKNOWN_SD}
        )
        strength, doubt = guess.updated(known).of([newcomer, *others])
        if strength is None or doubt is None:
            return others[:count]
        per_game = information.expected(np.asarray(strength), np.asarray(doubt))[0, 1:]
        variance = 1 / (self.schedule.tournament.games_per_pair * per_game) + np.square(doubt[1:])
        return [others[place] for place in np.argsort(variance, kind="stable")[:count]]
