"""Rules that do not look at results: round robin and random meetings."""

from __future__ import annotations

from benchmarks.pairing.rows import Meetings, Rows, meetings_of
from benchmarks.pairing.rules.rule import PairingRule, RuleCase


class RoundRobinMeetings(PairingRule):
    """Rounds of the circle method, one after the other; after each met each, it begins again."""

    label = "round robin"

    def __init__(self, case: RuleCase) -> None:
        super().__init__(case)
        self.order = case.random.permutation(case.players).tolist()

    def batch(self, rows: Rows) -> Meetings:
        """Return the next round."""
        return circle_round(self.order, len(rows) // (2 * (len(self.order) // 2)))


class RandomMeetings(PairingRule):
    """Pairs drawn at random, each as likely as any other."""

    label = "random"

    def batch(self, rows: Rows) -> Meetings:  # noqa: ARG002 (it does not look at them)
        """Return as many meetings as half of the players."""
        random, players = self.case.random, self.case.players
        return meetings_of([tuple(random.choice(players, 2, replace=False)) for _ in range(max(1, players // 2))])


def circle_round(order: list[int], number: int) -> Meetings:
    """Return a round of the circle method: one player stays, the others move on by a place in each round."""
    places = [*order] if len(order) % 2 == 0 else [*order, -1]
    stays, circle = places[-1], places[:-1]
    size = len(circle)
    pairs = [(circle[number % size], stays)]
    pairs += [(circle[(number + step) % size], circle[(number - step) % size]) for step in range(1, (size + 1) // 2)]
    return meetings_of([pair for pair in pairs if -1 not in pair])
