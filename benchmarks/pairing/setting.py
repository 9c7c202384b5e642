"""The setting of a comparison: the truth, the games, and the counts of games after which a choice is examined."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from msgspec import Struct

from benchmarks.held_out import TABLE, read, results_of
from fiedler.tournament.ratings import rate
from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.schedule.schedule import RatingSection
from fiedler.tournament.simulation.population import Population, nameless

RECORDED = "recorded"
"""The truth that is the table of a recorded tournament."""
MARKS = (3_000, 5_000, 10_000)
"""Games after which the columns show the loss; below them all, thirds of the games."""
GROWTH = 1.1
"""Factor from one look at the choice to the next: the error of a count of games."""


class Duel(Struct, frozen=True):
    """What all rules share. Elo is raw."""

    truth: str = "curve"
    """A shape of `tournament simulate --truth`, or `recorded`: the table of `tests/data/ratings/uttt-descent.csv`."""
    players: int = 100
    games: int = 30_000
    """Most games of a repetition."""
    noise: float = 15.0
    """Standard deviation of the random part of each player's Elo."""
    style_sd: float = 0.0
    """Standard deviation of every pair's result from the ratings."""
    prior: float = 2.0
    """Virtual draws of the tables, the default of Bayes-Elo."""
    base: float = 0.0
    """Strength of the base, which only its own rule plays against, above that of the best player."""
    seed: int = 34

    @property
    def names(self) -> tuple[str, ...]:
        """The players, whose numbers are the order of a training."""
        return recorded()[0] if self.truth == RECORDED else nameless(self.players, self.games).names

    @property
    def section(self) -> RatingSection:
        """The table `[rating]`, of which the results are drawn, too."""
        if self.truth == RECORDED:
            return RatingSection(advantage=0.0, draw_elo=recorded()[2], prior=self.prior)
        return RatingSection(advantage=30.0, draw_elo=100.0, prior=self.prior)

    def draw(self, random: np.random.Generator) -> Floats:
        """Return the true Elo of a repetition, shape (players,)."""
        if self.truth == RECORDED:
            return np.array(recorded()[1])
        shape: dict[str, object] = {"shape": self.truth, "noise": self.noise}
        return Population(self.players, **shape).draw(random)  # type: ignore[arg-type]

    @property
    def marks(self) -> tuple[int, ...]:
        """Counts of games of the columns, the last one that of the whole."""
        inside = [mark for mark in MARKS if mark <= self.games]
        thirds = [2 * round(self.games * share / 6) for share in (1, 2)]
        return tuple(sorted({*(inside or thirds), self.games}))

    @property
    def looks(self) -> tuple[int, ...]:
        """Counts of games after which the choice is examined: each a tenth more than the last, and the marks."""
        first = 4 * self.players
        steps = int(np.log(max(self.games / first, 1)) / np.log(GROWTH))
        grown = {2 * round(first * GROWTH**step / 2) for step in range(steps + 1)}
        return tuple(sorted(look for look in grown | set(self.marks) if look <= self.games))


@lru_cache
def recorded(path: Path = TABLE) -> tuple[tuple[str, ...], tuple[float, ...], float]:
    """Return the players of a recorded crosstable in the order of their numbers, their raw Elo, and draw_elo."""
    names, games = read(path)
    found = rate(results_of(names, games), advantage=0.0, draw_elo="fit", intervals="variance")
    elo = sorted((player.name, player.elo / found.scale) for player in found.players)
    return tuple(name for name, _ in elo), tuple(value for _, value in elo), found.draw_elo
