"""Top-two Thompson sampling: two rankings are drawn from the posterior, and their heads meet."""

from __future__ import annotations

import numpy as np

from benchmarks.pairing.rows import Meetings, Rows, meetings_of
from benchmarks.pairing.rules.even import circle_round
from benchmarks.pairing.rules.posterior import PosteriorRule
from fiedler.tournament.ratings.best import square_root
from fiedler.tournament.ratings.pairs import Floats

EVEN_ROUNDS = 4
"""Rounds of the first batch, in which everybody meets: twice as many meetings as players."""
BATCH_SHARE, LEAST_BATCH = 0.15, 100
"""Meetings of a further batch, relative to those so far, and at least."""
DRAWS = 4000
"""Random rankings of a batch."""


class TopTwo(PosteriorRule):
    """Jourdan and others, Top Two Algorithms Revisited, 2022, with the posterior of one population."""

    label = "top-two Thompson"
    kind = "population"

    def batch(self, rows: Rows) -> Meetings:
        """Return four even rounds, then meetings of two drawn leaders each."""
        players = self.case.players
        if not len(rows):
            order = self.case.random.permutation(players).tolist()
            return np.concatenate([circle_round(order, number) for number in range(EVEN_ROUNDS)])
        mean, covariance = self.strengths(rows)
        meetings = max(LEAST_BATCH, round(BATCH_SHARE * len(rows) / 2))
        normal = self.case.random.standard_normal((DRAWS, players))
        drawn = mean + normal @ square_root(covariance).T
        leaders = drawn.argmax(axis=1)
        return meetings_of([self._pair(drawn, leaders) for _ in range(meetings)])

    def _pair(self, drawn: Floats, leaders: np.ndarray) -> tuple[int, int]:
        """Return the leader of a draw, and that of another draw which has another leader."""
        random = self.case.random
        place = random.integers(DRAWS)
        first = int(leaders[place])
        others = leaders[leaders != first]
        second = int(random.choice(others)) if others.size else int(np.argsort(drawn[place])[-2])
        return (first, second) if random.random() < 0.5 else (second, first)

    def strengths(self, rows: Rows) -> tuple[Floats, Floats]:
        """Return the posterior mean, shape (players,), and covariance, in the order of the players."""
        found = self.posterior(rows)
        place = {player.name: number for number, player in enumerate(found.players)}
        order = [place[name] for name in self.case.names[:-1]]
        elo = np.array([player.elo for player in found.players])
        return elo[order], found.covariance()[np.ix_(order, order)]
