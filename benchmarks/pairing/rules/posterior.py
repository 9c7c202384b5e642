"""Rules whose ratings, and whose choice, are those of a posterior."""

from __future__ import annotations

from typing import ClassVar, Literal

from benchmarks.pairing.rows import Rows, results
from benchmarks.pairing.rules.rule import PairingRule
from fiedler.tournament.ratings.posterior import Posterior, PriorKind, posterior
from fiedler.tournament.simulation.estimate import JudgedRatings
from fiedler.tournament.simulation.play import SimulatedPlayers


class PosteriorRule(PairingRule):
    """A rule with a prior; a curve without enough evidence gives way to the population."""

    kind: ClassVar[PriorKind] = "curve"
    style_sd: ClassVar[float | Literal["fit"]] = 0.0

    def posterior(self, rows: Rows) -> Posterior:
        """Return the posterior of these games."""
        counted = results(rows, self.case.names)
        return posterior(counted, kind=self.kind, options=self.case.section, style_sd=self.style_sd)

    def choice(self, rows: Rows) -> int:
        """Return the player with the highest posterior mean."""
        return self.case.names.index(self.posterior(rows).players[0].name)

    def judged(self, rows: Rows, field: SimulatedPlayers) -> JudgedRatings:
        """Return the posterior ratings."""
        return JudgedRatings.of_posterior(self.posterior(rows), field)
