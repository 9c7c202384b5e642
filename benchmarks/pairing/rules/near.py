"""Rules by which players of similar results meet: swiss rounds, and the nearest rating."""

from __future__ import annotations

import numpy as np

from benchmarks.pairing.rows import Meetings, Rows, meetings_of, points
from benchmarks.pairing.rules.rule import PairingRule
from fiedler.tournament.ratings.pairs import Floats

SWISS_MEETINGS = 5
"""Meetings of a pair in a swiss round: 30,000 games of 100 players are then 60 rounds."""


class SwissRounds(PairingRule):
    """From the top of the standings down, each player meets the next of those whom it met least."""

    label = "swiss"

    def batch(self, rows: Rows) -> Meetings:
        """Return the next round."""
        players = self.case.players
        score = points(rows, players)
        met = score + score.T
        places = self.case.random.permutation(players)
        free = places[np.argsort(-score.sum(axis=1)[places], kind="stable")].tolist()
        pairs = []
        while len(free) > 1:
            one, *others = free
            # `min` takes the first of equals, which is the nearest in the standings.
            other = min(others, key=lambda two: met[one, two])
            pairs.append((one, other))
            free = [player for player in others if player != other]
        return meetings_of(_exchanged(pairs, met) * SWISS_MEETINGS)


def _exchanged(pairs: list[tuple[int, int]], met: Floats) -> list[tuple[int, int]]:
    """Return pairs of which the last ones, for whom only former opponents were left, have exchanged opponents.

    Each of them does so with the pair above it, nearest first, with which both halves have met less before.
    """
    found = [*pairs]
    for low in range(len(found) - 1, -1, -1):
        for high in range(low - 1, -1, -1):
            (a, b), (c, d) = found[low], found[high]
            before = met[a, b] + met[c, d]
            ways = [((a, c), (b, d)), ((a, d), (b, c))]
            best = min(ways, key=lambda way: met[way[0]] + met[way[1]])
            if met[best[0]] + met[best[1]] < before:
                found[low], found[high] = best
    return found


class NearestRating(PairingRule):
    """In random order, each free player of those who wait meets the one whose rating is nearest, as on a server.

    Half of the players wait at a time. If all did, the same pairs would meet again and again, in islands.
    """

    label = "nearest rating"

    def batch(self, rows: Rows) -> Meetings:
        """Return two rounds, each with a random half of the players."""
        elo = np.nan_to_num(self.elo(rows)) if len(rows) else np.zeros(self.case.players)
        return meetings_of([pair for _ in range(2) for pair in self._round(elo)])

    def _round(self, elo: Floats) -> list[tuple[int, int]]:
        players = self.case.players
        free = self.case.random.permutation(players)[: max(2, players // 2)].tolist()
        pairs = []
        while len(free) > 1:
            one, *others = free
            other = min(others, key=lambda two: abs(elo[one] - elo[two]))
            pairs.append((one, other))
            free = [player for player in others if player != other]
        return pairs
