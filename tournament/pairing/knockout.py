"""Knockout: the loser of a match is out."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fiedler.tournament.pairing.plan import History
from fiedler.tournament.pairing.planner import Over, Planner, Step
from fiedler.tournament.pairing.standings import points
from fiedler.tournament.schedule.pairs import Pair

TIE_BREAKS = 3
"""Most further meetings of a drawn match; after them the higher seed wins."""
ROUNDS = {1: "final", 2: "semi-finals", 4: "quarter-finals"}
"""Names of rounds by number of matches."""


class KnockoutPlanner(Planner):
    """A bracket in which the strongest players meet last, seeded by `elo`, then in the order of the schedule.

    The first seeds have a bye if the number of players is not a power of two. A benched player has lost.
    """

    def following(self, history: History) -> Step | Over:
        """Return the matches of a round, or one more meeting of each drawn match."""
        field = finalists = self._bracket()
        while len(field) > 1:
            places = list(zip(field[::2], field[1::2], strict=True))
            matches = [(a, b) for a, b in places if a and b]
            undecided = [pair for pair in matches if self._winner(*pair, history) is None]
            if undecided:
                return self._play(undecided, history, ROUNDS.get(len(field) // 2, f"round of {len(field)}"))
            finalists = field
            field = [self._winner(a, b, history) if a and b else a or b for a, b in places]
        second = next(name for name in finalists if name != field[0])
        return Over(f"{field[0]} wins, {second} is second")

    def few(self, history: History) -> Over | None:  # noqa: ARG002
        """Return None: a benched player has lost, so a bracket always ends."""
        return None

    def _play(self, matches: Sequence[Pair], history: History, name: str) -> Step:
        missing = {pair: max(1, self.per_meeting - history.meetings[frozenset(pair)]) for pair in matches}
        targets = {pair: number + history.meetings[frozenset(pair)] for pair, number in missing.items()}
        prolonged = any(history.meetings[frozenset(pair)] >= self.per_meeting for pair in matches)
        meetings = [pair for pair, number in missing.items() for _ in range(number)]
        return Step(meetings, f"{name}, prolonged" if prolonged else name, targets)

    def _winner(self, a: str, b: str, history: History) -> str | None:
        """Return the winner of a match, None if it is undecided; `a` is the higher seed."""
        if history.benched & {a, b}:
            return b if a in history.benched and b not in history.benched else a
        pair = frozenset((a, b))
        meetings = history.meetings[pair]
        games = [game for game in history.finished if {game.first, game.second} == pair]
        if meetings < self.per_meeting or len(games) < 2 * meetings:
            return None
        score = points(games)
        if score[a] == score[b]:
            return a if meetings >= self.per_meeting + TIE_BREAKS else None
        return a if score[a] > score[b] else b

    def _bracket(self) -> list[str | None]:
        """Return the players in the order of the bracket, None for an empty place."""
        by_strength = sorted(self.schedule.players, key=lambda one: math.inf if one.elo is None else -one.elo)
        order = [0]
        while len(order) < len(by_strength):
            size = 2 * len(order)
            order = [place for seed in order for place in (seed, size - 1 - seed)]
        return [by_strength[seed].name if seed < len(by_strength) else None for seed in order]
