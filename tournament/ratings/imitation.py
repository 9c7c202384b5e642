"""The original program's iteration, step by step, which reproduces its printed digits.

The original stops minorisation-maximisation (Hunter 2004) early. Its numbers miss the maximum, usually by 0.05 Elo and
by much more on long chains, so only the same steps give the same table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fiedler.tournament.ratings.likelihood import Point
from fiedler.tournament.ratings.pairs import Entries, Floats, Integers, Pairs

TOLERANCE = 1e-5
"""Relative change below which the original stops."""
MAX_ITERATIONS = 10_000
"""Iterations after which the original stops."""
START = 1.0
"""Initial value of every strength and of every estimated factor."""


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """The end of the iteration: raw ratings with mean 0, advantage and draw_elo, and the number of iterations."""

    point: Point
    iterations: int

    @property
    def hit_limit(self) -> bool:
        """Whether the iteration stopped at its limit, so that its values are not a maximum."""
        return self.iterations >= MAX_ITERATIONS


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """Players who can be updated together; the entries (see `Entries`) of each begin at `starts`."""

    players: Integers
    player: Integers
    opponent: Integers
    margins: Floats
    starts: Integers
    score: Floats


def walk(pairs: Pairs, advantage: float | None, draw_elo: float | None) -> Walk:
    """Iterate as the original does, from equal ratings; a parameter that is None is estimated too.

    `pairs` come from `Pairs.with_original_prior`, and every player has games.
    """
    estimate = _Estimate(pairs)
    first = START if advantage is None else 10 ** (advantage / 400)
    draw = START if draw_elo is None else 10 ** (draw_elo / 400)
    iteration, change = 0, np.inf
    with np.errstate(all="ignore"):  # without a maximum the original divides by zero too
        while change >= TOLERANCE and iteration < MAX_ITERATIONS:
            change = estimate.update_ratings(first, draw)
            if advantage is None:
                before, first = first, estimate.first_factor(first, draw)
                change = max(change, abs(first - before))
            if draw_elo is None:
                before, draw = draw, estimate.draw_factor(first, draw)
                change = max(change, abs(draw - before))
            iteration += 1
        elo = 400 * np.log10(estimate.strength)
        elo -= elo.mean() if elo.size else 0.0
    advantage = 400 * float(np.log10(first)) if advantage is None else advantage
    draw_elo = 400 * float(np.log10(draw)) if draw_elo is None else draw_elo
    return Walk(Point(elo, advantage, draw_elo), iteration)


class _Estimate:
    """The strengths 10^(elo/400) and the sums of each step.

    `first` is 10^(advantage/400), `draw` is 10^(draw_elo/400) throughout.
    """

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs
        self.margins = pairs.margins()
        self.strength = np.full(pairs.size, START)
        self.levels = _levels(pairs)

    def update_ratings(self, first: float, draw: float) -> float:
        """Do one sweep from the last player to the first; return the largest relative change, without nan."""
        strength = self.strength
        old = strength.copy()
        weight = np.array([[draw / first], [1 / (draw * first)], [first / draw], [draw * first]])
        for level in self.levels:
            rate = level.margins / (strength[level.player] + weight * strength[level.opponent])
            strength[level.players] = level.score / np.add.reduceat(rate.sum(axis=0), level.starts)
        return float(np.fmax.reduce(np.abs(strength - old) / (strength + old), initial=0.0))

    def first_factor(self, first: float, draw: float) -> float:
        """Return the next factor of moving first."""
        low, high = self._strengths()
        holds, yields, holds_swapped, yields_swapped = self._rates(first, draw)
        below = (holds + draw * yields) * low + (holds_swapped + draw * yields_swapped) * high
        return float((self.margins[0] + self.margins[2]).sum() / below.sum())

    def draw_factor(self, first: float, draw: float) -> float:
        """Return the next factor of the draws."""
        low, high = self._strengths()
        holds, yields, holds_swapped, yields_swapped = self._rates(first, draw)
        below = (holds + first * yields_swapped) * high + (first * yields + holds_swapped) * low
        ratio = self.pairs.draws() / float(below.sum())
        return ratio + float(np.sqrt(ratio * ratio + 1))

    def _strengths(self) -> tuple[Floats, Floats]:
        return self.strength[self.pairs.low], self.strength[self.pairs.high]

    def _rates(self, first: float, draw: float) -> Floats:
        low, high = self._strengths()
        below = [first * low + draw * high, draw * first * low + high]
        below += [first * high + draw * low, draw * first * high + low]
        return np.asarray(self.margins / np.stack(below), dtype=np.float64)


def _levels(pairs: Pairs) -> list[_Level]:
    """Return the players in levels: in a sweep from the last player down, a level depends only on earlier levels.

    This is the level scheduling of triangular solves. It gives the same numbers as one player at a time.
    """
    entries = pairs.entries()
    scores = _scores(pairs)
    depth = _depths(entries)
    return [_level(np.flatnonzero(depth == d), entries, scores) for d in range(int(depth.max(initial=-1)) + 1)]


def _level(players: Integers, entries: Entries, scores: Floats) -> _Level:
    bounds = entries.bounds
    mine = np.concatenate([np.arange(bounds[player], bounds[player + 1]) for player in players])
    counts = bounds[players + 1] - bounds[players]
    starts = np.cumsum(counts) - counts
    return _Level(
        players, entries.player[mine], entries.opponent[mine], entries.margins[:, mine], starts, scores[players]
    )


def _scores(pairs: Pairs) -> Floats:
    """Return wins plus draws per player; the four counts of a pair are added in the precision of the counts."""
    wins, draws, losses, second_losses, second_draws, second_wins = pairs.counts
    of_low = wins + draws + second_wins + second_draws
    of_high = second_losses + second_draws + losses + draws
    return pairs.per_player(of_low.astype(np.float64), of_high.astype(np.float64))


def _depths(entries: Entries) -> Integers:
    """Return for each player the length of the longest chain of opponents with rising numbers that starts there."""
    size = entries.bounds.size - 1
    depth = np.zeros(size, dtype=np.int64)
    for player in range(size - 1, -1, -1):
        opponents = entries.opponent[entries.bounds[player] : entries.bounds[player + 1]]
        above = opponents[opponents > player]
        if above.size:
            depth[player] = depth[above].max() + 1
    return depth
