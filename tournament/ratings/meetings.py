"""Actual results of each pair beside expected ones: the basis of every test of fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tournament.ratings.model import MODELS, Rating
from tournament.ratings.pairs import Floats, Integers
from tournament.ratings.results import Results

NUDGE = 0.1  # raw Elo, for numerical derivatives

SCORE = np.array([1.0, 0.5, 0.0])
"""What a win, a draw and a loss are worth."""

DRAWN = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, slots=True, eq=False)
class Meetings:
    """Each ordered pair that met: (first wins, draws, second wins), what was expected, and how that bends.

    `first` and `second` are places in the ranking, `difference` is first - second in raw Elo. `counts`,
    `logs`, those of the probabilities, and the slopes have shape (3, rows); slopes are the derivatives of `logs` by the
    first player's raw Elo (or the advantage), and by draw_elo.
    """

    names: tuple[str, ...]
    first: Integers
    second: Integers
    difference: Floats
    counts: Floats
    logs: Floats
    slopes: Floats
    draw_slopes: Floats

    @classmethod
    def of(cls, rating: Rating, results: Results) -> Meetings:
        """Set the results beside the rating, without games of a player against itself or against one without rating."""
        place = {player.name: number for number, player in enumerate(rating.players)}
        number = np.array([place[name] for name in results.names], dtype=np.int64)
        elo = np.array([player.elo for player in rating.players]) / rating.scale
        first, second = number[results.table[:, 0]], number[results.table[:, 1]]
        played = (
            (first != second) & results.table[:, 2:].any(axis=1) & np.isfinite(elo[first]) & np.isfinite(elo[second])
        )
        first, second = first[played], second[played]
        difference = elo[first] - elo[second]

        def logs(more: float, more_draws: float) -> Floats:
            draw_elo = rating.draw_elo + more_draws
            return MODELS[rating.model].log_outcomes(difference + more, rating.advantage, draw_elo)

        small = min(NUDGE, rating.draw_elo / 2)
        counts = results.table[played, 2:].T.astype(np.float64)
        slopes = (logs(NUDGE, 0) - logs(-NUDGE, 0)) / (2 * NUDGE)
        draw_slopes = (logs(0, small) - logs(0, -small)) / (2 * small)
        return cls(tuple(place), first, second, difference, counts, logs(0, 0), slopes, draw_slopes)

    @property
    def probabilities(self) -> Floats:
        """How likely each of the three results of a game of each row was."""
        return np.asarray(np.exp(self.logs), dtype=np.float64)

    def games(self) -> Floats:
        """Games of each row."""
        return np.asarray(self.counts.sum(axis=0), dtype=np.float64)

    def expected(self, worth: Floats) -> Floats:
        """Return what a game of each row is expected to be worth, if its three results are worth this."""
        return np.asarray(worth @ self.probabilities, dtype=np.float64)

    def variance(self, worth: Floats) -> Floats:
        """Return the variance of that worth."""
        return np.asarray(worth**2 @ self.probabilities - self.expected(worth) ** 2, dtype=np.float64)

    def push(self) -> Floats:
        """Return the derivative of the log-likelihood by the first player's raw Elo, for all games of each row."""
        return np.asarray((self.counts * self.slopes).sum(axis=0), dtype=np.float64)

    def information(self) -> Floats:
        """Return the Fisher information of one game of each row on the difference, per raw Elo squared."""
        return np.asarray((self.probabilities * self.slopes**2).sum(axis=0), dtype=np.float64)

    def log_likelihood(self) -> float:
        """Return the natural logarithm of the probability of the games, without virtual draws."""
        happened = self.counts > 0
        return float((self.counts[happened] * self.logs[happened]).sum())
