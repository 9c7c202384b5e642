"""The rule of ASAP: batches that are spanning trees of the largest expected information gain."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree

from benchmarks.pairing.rows import Meetings, Rows, points
from benchmarks.pairing.rules.rule import PairingRule, RuleCase
from benchmarks.pairing.rules.thurstone import Scores

LEAST_GAIN = 1e-12
"""In nats: the inverse of a smaller gain would be infinite."""


class InformationGain(PairingRule):
    """Mikhailiuk and others, Active Sampling for Pairwise Comparisons, ICPR 2020, arXiv:2004.05691.

    The scores have a normal posterior distribution under Thurstone's model. A batch is the minimum spanning tree of the
    inverse gains, a random tree before the first game. Here the distribution has its full covariance, at the mode, in
    place of messages between players; then the gain needs no further fits. A draw is half a win and half a loss.
    """

    label = "ASAP, information gain"

    def __init__(self, case: RuleCase) -> None:
        super().__init__(case)
        self.mean = np.zeros(case.players)

    def batch(self, rows: Rows) -> Meetings:
        """Return a tree: one meeting less than players."""
        players = self.case.players
        if len(rows):
            scores = Scores.of(points(rows, players), self.mean)
            self.mean, gain = scores.mean, scores.gain()
        else:
            gain = self.case.random.random((players, players))
        tree = minimum_spanning_tree(np.triu(1 / np.maximum(gain, LEAST_GAIN), 1)).tocoo()
        pairs = np.column_stack([tree.row, tree.col]).astype(np.int64)
        return np.asarray(self.case.random.permutation(pairs))

    def choice(self, rows: Rows) -> int:
        """Return the player with the highest score."""
        return int(Scores.of(points(rows, self.case.players), self.mean).mean.argmax())
