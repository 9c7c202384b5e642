"""Actual and expected results of each pair: the basis of every test of fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fiedler.tournament.ratings.model import MODELS, Rating
from fiedler.tournament.ratings.pairs import Floats, Integers
from fiedler.tournament.ratings.results import Results

NUDGE = 0.1
"""Step of numerical derivatives in raw Elo."""

SCORE = np.array([1.0, 0.5, 0.0])
"""Worth of a win, a draw and a loss as points."""

DRAWN = np.array([0.0, 1.0, 0.0])
"""Worth of a win, a draw and a loss as draws."""


@dataclass(frozen=True, slots=True, eq=False)
class Meetings:
    """Each ordered pair that met, one a row: actual results, their probabilities, and the derivatives of these.

    `first` and `second` are indices into `names`, in the order of the ranking; `difference` is first - second in raw
    Elo. `counts` are (first wins, draws, second wins); `logs` are the logarithms of their probabilities. `slopes` are
    the derivatives of `logs` by the first player's raw Elo (or the advantage), `draw_slopes` those by draw_elo. These
    four have shape (3, rows).
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
        """Return the meetings of a rating, without games of a player against itself and of players without a rating."""
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
        """Probabilities of the three results of a game of each row, shape (3, rows)."""
        return np.asarray(np.exp(self.logs), dtype=np.float64)

    def games(self) -> Floats:
        """Return the games of each row, shape (rows,)."""
        return np.asarray(self.counts.sum(axis=0), dtype=np.float64)

    def expected(self, worth: Floats) -> Floats:
        """Return the expected worth of a game of each row; `worth` (3,) are the values of the three results."""
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
