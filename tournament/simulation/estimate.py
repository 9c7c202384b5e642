"""Ratings beside the truth: errors, intervals, and the strength of the chosen player."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from msgspec import Struct

from fiedler.support.numbers import ROUNDED_Z95
from fiedler.tournament.ratings import Rating, Results
from fiedler.tournament.ratings.posterior import Posterior, PriorKind, posterior
from fiedler.tournament.ratings.posterior.observations import Known
from fiedler.tournament.schedule.schedule import RatingSection
from fiedler.tournament.simulation.play import SimulatedPlayers
from fiedler.tournament.simulation.population import Floats


class PosteriorNumbers(Struct, frozen=True):
    """The numbers of a posterior in one repetition, or their means."""

    rms: float
    coverage: float
    loss: float
    weakest: float
    """Whether the truly weakest player is within two standard deviations: 1 or 0, or the share of repetitions."""
    curve: float
    """Whether the curve prior was shown: 1 or 0, or the share of repetitions."""
    evidence: float
    """Nats for the prior against the next simpler one."""
    rms_se: float | None = None
    """Standard error of the mean of `rms`."""

    @classmethod
    def mean(cls, found: Sequence[PosteriorNumbers]) -> PosteriorNumbers | None:
        """Return the means over repetitions; None without any."""
        if not found:
            return None
        keys = ("rms", "coverage", "loss", "weakest", "curve", "evidence")
        means = {key: float(np.mean([getattr(one, key) for one in found])) for key in keys}
        return cls(**means, rms_se=standard_error([one.rms for one in found]))


@dataclass(frozen=True)
class JudgedRatings:
    """Raw ratings of all players and the half-widths of their 95 % intervals, beside the truth; shape (players,)."""

    elo: Floats
    reach: Floats
    truth: Floats

    @classmethod
    def of_table(cls, rating: Rating, field: SimulatedPlayers) -> JudgedRatings:
        """Return the ratings of a table; a player without games has 0 Elo and no interval."""
        found = {player.name: player for player in rating.players if player.games}
        lines = [(found[name].elo, found[name].plus) if name in found else (0.0, math.nan) for name in field.names]
        elo, reach = np.array(lines).T / rating.scale
        return cls(elo, reach, field.elo)

    @classmethod
    def of_posterior(cls, found: Posterior, field: SimulatedPlayers) -> JudgedRatings:
        """Return the ratings of a posterior."""
        lines = {player.name: (player.elo, ROUNDED_Z95 * player.sd) for player in found.players}
        elo, reach = np.array([lines.get(name, (0.0, math.nan)) for name in field.names]).T / found.scale
        return cls(elo, reach, field.elo)

    @property
    def error(self) -> Floats:
        """The errors relative to equal means, shape (players,)."""
        error = self.elo - self.truth
        return np.asarray(error - error.mean(), dtype=np.float64)

    @property
    def rms(self) -> float:
        """The root of their mean square."""
        return float(np.sqrt(np.mean(self.error**2)))

    @property
    def coverage(self) -> float:
        """Share of the players within their intervals."""
        return float(np.mean(np.abs(self.error) <= self.reach))

    @property
    def loss(self) -> float:
        """True Elo that the player with the highest rating lacks to the best."""
        return float(self.truth.max() - self.truth[self.elo.argmax()])

    @property
    def knows_weakest(self) -> bool:
        """Whether the truly weakest player is within two standard deviations."""
        weakest = self.truth.argmin()
        return bool(abs(self.error[weakest]) <= 2 / ROUNDED_Z95 * self.reach[weakest])


@dataclass(frozen=True)
class Judge:
    """Rates the games of simulated players and compares the ratings with the truth."""

    field: SimulatedPlayers
    section: RatingSection
    kind: PriorKind | None
    known: Known | None
    """The expected strengths that chose the pairs."""

    def posterior(self, results: Results) -> PosteriorNumbers | None:
        """Return the numbers of the posterior; None if there is none."""
        if self.kind is None:
            return None
        found = posterior(results, kind=self.kind, options=self.section, known=self.known)
        one = JudgedRatings.of_posterior(found, self.field)
        shows_curve = found.assumed.kind == "curve"
        return PosteriorNumbers(
            one.rms, one.coverage, one.loss, float(one.knows_weakest), float(shows_curve), found.evidence
        )


def standard_error(values: Sequence[float]) -> float | None:
    """Return the standard error of the mean; None for one value."""
    return float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else None
