"""Players with a given rating: a single one shifts the scale, several are held while the others are rated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fiedler.support.errors import UsageError, nearest
from fiedler.tournament.elo import MOST_ELO
from fiedler.tournament.ratings import newton
from fiedler.tournament.ratings.likelihood import Likelihood, Point
from fiedler.tournament.ratings.origin import Origin
from fiedler.tournament.ratings.pairs import Floats, Integers
from fiedler.tournament.ratings.results import Results
from fiedler.tournament.ratings.tails import chi_squared_tail

DOUBTFUL = 0.001
"""P-value of the anchors below which a warning is given."""
SETTLED = 1e-9
"""Change of draw_elo in raw Elo below which the scale has converged."""
ROUNDS = 100
"""Most fits of the scale."""


def playing(anchors: Mapping[str, float], results: Results) -> dict[str, float]:
    """Return the anchors with games; in an unfinished run some have none yet."""
    names = set(results.rateable().names) if anchors else set()
    return {name: elo for name, elo in anchors.items() if name in names}


@dataclass(frozen=True, slots=True, eq=False)
class Anchors:
    """The indices of the anchored players (K,), and their scaled Elo (K,)."""

    players: Integers
    elo: Floats

    @classmethod
    def of(cls, anchors: Mapping[str, float], rateable: Results) -> Anchors:
        """Find the players by name.

        Raises:
            UsageError: a player has no games, or a rating is out of range.
        """
        number = {name: place for place, name in enumerate(rateable.names)}
        for name, elo in anchors.items():
            if name not in number:
                raise UsageError(f"anchor {name!r}: expected the name of a player with games{nearest(name, number)}")
            if not abs(elo) <= MOST_ELO:
                raise UsageError(
                    f"anchor {name!r}: expected a number of Elo from -{MOST_ELO:.0f} to {MOST_ELO:.0f}, got {elo!r}"
                )
        return cls(
            np.array([number[name] for name in anchors], dtype=np.int64), np.array(list(anchors.values()), float)
        )

    @property
    def held(self) -> Integers:
        """The players that the fit holds: all anchors if there are several, else none."""
        return self.players if self.players.size > 1 else self.players[:0]

    def check(self, intervals: str, *, imitate: bool, model: str) -> None:
        """Check that the options are compatible.

        Raises:
            UsageError: they are not.
        """
        if imitate and model != "bayeselo":
            raise UsageError(f"imitate: expected the model bayeselo, which the original program has, got {model!r}")
        if self.held.size and imitate:
            raise UsageError("anchors: expected at most one with imitate: the original program holds none")
        if self.held.size and intervals == "exact":
            raise UsageError("intervals: expected covariance or variance where several anchors are held, got 'exact'")

    def shift(self, elo: Floats) -> float:
        """Return the shift of all scaled ratings: 0 unless there is a single anchor."""
        return float(self.elo[0] - elo[self.players[0]]) if self.players.size == 1 else 0.0

    def held_maximum(
        self, likelihood: Likelihood, start: Point, *, fit_advantage: bool, fit_draw_elo: bool
    ) -> tuple[newton.Maximum, Origin]:
        """Maximise with the anchors held, repeatedly, because the scale of their ratings depends on draw_elo."""
        origin = Origin.of(likelihood.pairs, self.held)
        point = start
        for _ in range(ROUNDS):
            elo = point.elo.copy()
            elo[self.held] = self.elo / likelihood.scale(point.draw_elo)
            begin = Point(elo, point.advantage, point.draw_elo)
            found = newton.maximise(
                likelihood, begin, fit_advantage=fit_advantage, fit_draw_elo=fit_draw_elo, origin=origin
            )
            if abs(found.point.draw_elo - point.draw_elo) < SETTLED:
                return found, origin
            point = found.point
        return newton.Maximum(point, converged=False), origin

    def contradiction(self, likelihood: Likelihood, free: Point, held: Point) -> tuple[str, ...]:
        """Return a warning if the games contradict the differences of the anchors (likelihood ratio test)."""
        groups = likelihood.pairs.groups()[self.held]
        bounds = self.held.size - np.unique(groups).size
        loss = 2 * (likelihood.value(free) - likelihood.value(held))
        chance = chi_squared_tail(bounds, loss) if bounds else 1.0
        if chance >= DOUBTFUL:
            return ()
        return (f"the games contradict the anchors: results like these have a chance of {chance:.1g} if all are right",)
