"""The rule of nnue-pytorch's `run_games.py`: the nets with the highest upper bounds play against the base."""

from __future__ import annotations

import numpy as np

from benchmarks.pairing.rows import Meetings, Rows, meetings_of, points
from benchmarks.pairing.rules.rule import PairingRule, RuleCase
from fiedler.tournament.ratings.pairs import Floats

NETS = 3
"""Nets of a round."""
GAMES = 200
"""Games of each against the base in a round."""
EXPLORE = 1.5
"""Weight of the error in the upper bound."""
UNPLAYED = -500.0, 1000.0
"""Elo and error of a net without games: its bound is above that of every net with games."""
SURE = 1e-3
"""Least share of the points, and of those lost, in the Elo of a score."""


class AgainstBase(PairingRule):
    """Elo from the score against the base, error 400/√games; the leader is chosen by Elo alone."""

    label = "run_games.py"

    def __init__(self, case: RuleCase) -> None:
        super().__init__(case)
        self.order = case.random.permutation(case.players)
        """The order in which files are found, which decides between equal bounds."""

    def batch(self, rows: Rows) -> Meetings:
        """Return the meetings of the next round, the three nets in turn."""
        elo, error = self.against_base(rows)
        bound = (elo + EXPLORE * error)[self.order]
        nets = self.order[np.argsort(-bound, kind="stable")[:NETS]].tolist()
        return meetings_of([(net, self.case.players) for _ in range(GAMES // 2) for net in nets])

    def choice(self, rows: Rows) -> int:
        """Return the net with the highest Elo."""
        elo, _ = self.against_base(rows)
        return int(self.order[elo[self.order].argmax()])

    def against_base(self, rows: Rows) -> tuple[Floats, Floats]:
        """Return the Elo of each net relative to the base, and its error, shape (players,) each."""
        scores = points(rows, len(self.case.names))
        won, lost = scores[:-1, -1], scores[-1, :-1]
        games = won + lost
        share = np.clip(won / np.maximum(games, 1), SURE, 1 - SURE)
        elo, error = 400 * np.log10(share / (1 - share)), 400 / np.sqrt(np.maximum(games, 1))
        return np.where(games > 0, elo, UNPLAYED[0]), np.where(games > 0, error, UNPLAYED[1])
