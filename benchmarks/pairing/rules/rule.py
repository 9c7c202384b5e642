"""The interface of all rules: a function from the games so far to the next meetings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from benchmarks.pairing.rows import Meetings, Rows, results
from fiedler.tournament.ratings import Rating, rate_as
from fiedler.tournament.ratings.intervals import Kind
from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.schedule.schedule import RatingSection
from fiedler.tournament.simulation.estimate import JudgedRatings
from fiedler.tournament.simulation.play import SimulatedPlayers


@dataclass(frozen=True)
class RuleCase:
    """The input of a rule: names without strengths, and its random generator."""

    names: tuple[str, ...]
    """The players, and last the base."""
    section: RatingSection
    games: int
    """Most games."""
    random: np.random.Generator

    @property
    def players(self) -> int:
        """The number of players without the base."""
        return len(self.names) - 1


class PairingRule(ABC):
    """Chooses meetings batch by batch, and at any time one player as the best."""

    label: ClassVar[str]
    knows_total: ClassVar[bool] = False
    """Whether the number of games of the whole changes the first ones: each mark is then a run of its own."""
    ours: ClassVar[bool] = False

    def __init__(self, case: RuleCase) -> None:
        self.case = case
        self.stopped: int | None = None
        """Games at the rule's own stop. The games of a comparison continue, to compare rules at equal games."""

    @abstractmethod
    def batch(self, rows: Rows) -> Meetings:
        """Return the next meetings after these games."""

    def choice(self, rows: Rows) -> int:
        """Return the player that is chosen after these games: by default the leader of the table."""
        return int(np.nan_to_num(self.elo(rows), nan=-np.inf).argmax())

    def judged(self, rows: Rows, field: SimulatedPlayers) -> JudgedRatings:
        """Return the ratings after these games beside the truth: by default those of the table."""
        return JudgedRatings.of_table(self.table(rows, intervals="covariance"), field)

    def table(self, rows: Rows, *, intervals: Kind = "variance") -> Rating:
        """Return the Bayes-Elo table of these games."""
        return rate_as(self.case.section, results(rows, self.case.names), intervals=intervals)

    def elo(self, rows: Rows) -> Floats:
        """Return the Elo of the table, shape (players,); nan without games."""
        found = {player.name: player.elo for player in self.table(rows).players}
        return np.array([found[name] for name in self.case.names[:-1]])
