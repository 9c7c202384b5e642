"""The games as arrays over the pairs of players who met, with the virtual draws of the prior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fiedler.tournament.ratings.results import Results

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ORIGINAL_PRIOR = 2.0
"""Initial virtual draws per player of the original program."""

DRAWS = [1, 4]
"""The rows of draws in `Pairs.counts`."""


@dataclass(frozen=True, slots=True, eq=False)
class Entries:
    """The pairs from the view of each of their two players, sorted by player and opponent: two entries per pair.

    `margins`, shape (4, entries), counts the games of a player against that opponent: moved first without losing,
    moved first without winning, moved second without winning, moved second without losing. A draw counts in both rows
    of its colour, because in the Bayes-Elo model it weighs as much as one win and one loss. `counts`, shape
    (6, entries), are the games: the player's wins, draws and losses moving first, then the opponent's moving first.
    `bounds[p]:bounds[p + 1]` are the entries of player p.
    """

    player: Integers
    opponent: Integers
    margins: Floats
    counts: Floats
    bounds: Integers


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Counts of games per unordered pair, each pair once with `low` < `high`, pairs in ascending order.

    `counts` has shape (6, pairs): wins of `low`, draws, wins of `high` with `low` moving first; then wins of `high`,
    draws, wins of `low` with `high` moving first. They are floats because of fractions of virtual draws, and 32-bit
    floats in the imitation of the original program, which adds in that precision.
    """

    size: int
    low: Integers
    high: Integers
    counts: NDArray[np.float32] | Floats

    @classmethod
    def of(cls, results: Results) -> Pairs:
        """Return the counts of `results`, which must not have games of a player against itself."""
        size = len(results.names)
        rows = results.table[results.table[:, 2:].any(axis=1)]
        first, second = rows[:, 0], rows[:, 1]
        low, high = np.minimum(first, second), np.maximum(first, second)
        keys, place = np.unique(low * size + high, return_inverse=True)
        counts = np.zeros((6, keys.size))
        swapped = (first > second) * 3
        for outcome in range(3):
            np.add.at(counts, (swapped + outcome, place), rows[:, 2 + outcome])  # an ordered pair may be repeated
        return cls(size, keys // max(size, 1), keys % max(size, 1), counts)

    def games(self) -> Floats:
        """Return the games per pair, shape (pairs,)."""
        return np.asarray(self.counts.sum(axis=0), dtype=np.float64)

    def draws(self) -> float:
        """Return the number of draws."""
        return float(self.counts[DRAWS].sum(dtype=np.float64))

    def per_player(self, of_low: Floats, of_high: Floats) -> Floats:
        """Return the sums of the pairs' values per player: `of_low` for the lower, `of_high` for the higher one."""
        total = np.bincount(self.low, of_low, self.size) + np.bincount(self.high, of_high, self.size)
        return np.asarray(total, dtype=np.float64)

    def groups(self) -> Integers:
        """Return the group of each player, shape (players,): the players that games connect."""
        return group_labels(self.size, self.low, self.high)

    def margins(self) -> Floats:
        """Return the rows of `Entries.margins` per pair, shape (4, pairs), from the view of the player `low`."""
        wins, draws, losses, second_losses, second_draws, second_wins = self.counts
        rows = [wins + draws, losses + draws, second_losses + second_draws, second_wins + second_draws]
        return np.stack(rows).astype(np.float64)

    def entries(self) -> Entries:
        """Return the same counts player by player."""
        player = np.concatenate([self.low, self.high])
        opponent = np.concatenate([self.high, self.low])
        margins = self.margins()
        seen = np.concatenate([margins, margins[[2, 3, 0, 1]]], axis=1)
        counts = self.counts.astype(np.float64)
        games = np.concatenate([counts, counts[[3, 4, 5, 0, 1, 2]]], axis=1)
        order = np.lexsort((opponent, player))
        bounds = np.searchsorted(player[order], np.arange(self.size + 1))
        bounds = np.asarray(bounds, dtype=np.int64)
        return Entries(player[order], opponent[order], seen[:, order], games[:, order], bounds)

    def with_prior(self, prior: float) -> Pairs:
        """Return these real games with virtual draws: each player distributes prior/2 of them.

        Its opponents get them in proportion to the games with them, half of them with the player moving first.
        """
        games = self.games()
        per_player = self.per_player(games, games)
        counts = self.counts.astype(np.float64)
        counts[DRAWS] += prior / 4 * games * (1 / per_player[self.low] + 1 / per_player[self.high])
        return Pairs(self.size, self.low, self.high, counts)

    def with_original_prior(self, prior: float) -> Pairs:
        """Return these games with the virtual draws of the original: 32-bit floats, a prior of 2, then the difference.

        `prior` 0 therefore leaves residues of about 1e-8 draws, which decide the result of a player who won every game.
        The order matters to the last bit: the pair's higher player comes before the lower one.
        """
        games = self.games()
        per_player = self.per_player(games, games).astype(np.float32)
        counts = self.counts.astype(np.float32)
        for change in (ORIGINAL_PRIOR, prior - ORIGINAL_PRIOR):
            quarter = np.float32(change) * np.float32(0.25) / per_player
            for giver in (self.high, self.low):
                counts[DRAWS] += quarter[giver] * games.astype(np.float32)
        return Pairs(self.size, self.low, self.high, counts)


def group_labels(size: int, start: Integers, end: Integers) -> Integers:
    """Label the connected components of a graph with `size` nodes, in the order of their first nodes.

    Every label is replaced by the smallest label across an edge, until no edge joins two labels.
    """
    label = np.arange(size)
    while True:
        here, there = label[start], label[end]
        if np.array_equal(here, there):
            return np.asarray(np.unique(label, return_inverse=True)[1], dtype=np.int64)
        np.minimum.at(label, np.maximum(here, there), np.minimum(here, there))
        while not np.array_equal(label[label], label):
            label = label[label]
