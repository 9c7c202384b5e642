"""Players whose rating is given: one shifts the scale, several are held where they are while the others are rated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from support.errors import UsageError
from tournament.elo import MOST_ELO
from tournament.ratings import newton
from tournament.ratings.frame import Frame
from tournament.ratings.likelihood import Likelihood, Point
from tournament.ratings.pairs import Floats, Integers
from tournament.ratings.results import Results

DOUBTFUL = 0.001  # the chance of games that contradict the anchors as much as they do, below which we say so
SETTLED = 1e-9  # raw Elo
ROUNDS = 100


def playing(anchors: Mapping[str, float], results: Results) -> dict[str, float]:
    """Leave out the anchors that have no games yet: those of a schedule whose run is not finished."""
    names = set(results.rateable().names) if anchors else set()
    return {name: elo for name, elo in anchors.items() if name in names}


@dataclass(frozen=True, slots=True, eq=False)
class Anchors:
    """The numbers of the anchored players, and their scaled Elo."""

    players: Integers
    elo: Floats

    @classmethod
    def of(cls, anchors: Mapping[str, float], rateable: Results) -> Anchors:
        """Look the names up. Raise UsageError for one that has no games, and for a rating that is no number."""
        number = {name: place for place, name in enumerate(rateable.names)}
        for name, elo in anchors.items():
            if name not in number:
                raise UsageError(f"anchor {name!r}: expected the name of a player with games")
            if not abs(elo) <= MOST_ELO:
                raise UsageError(
                    f"anchor {name!r}: expected a number of Elo from -{MOST_ELO:.0f} to {MOST_ELO:.0f}, got {elo!r}"
                )
        return cls(
            np.array([number[name] for name in anchors], dtype=np.int64), np.array(list(anchors.values()), float)
        )

    @property
    def held(self) -> Integers:
        """The players that the fit must not move: all anchors if there are several."""
        return self.players if self.players.size > 1 else self.players[:0]

    def check(self, intervals: str, *, imitate: bool, model: str) -> None:
        """Raise UsageError for options that do not go together."""
        if imitate and model != "bayeselo":
            raise UsageError(f"imitate: expected the model bayeselo, which the original program has, got {model!r}")
        if self.held.size and imitate:
            raise UsageError("anchors: expected at most one with imitate: the original program holds none")
        if self.held.size and intervals == "exact":
            raise UsageError("intervals: expected covariance or variance where several anchors are held, got 'exact'")

    def shift(self, elo: Floats) -> float:
        """Return what must be added to all scaled ratings: not 0 for a single anchor only."""
        return float(self.elo[0] - elo[self.players[0]]) if self.players.size == 1 else 0.0

    def held_maximum(
        self, likelihood: Likelihood, start: Point, *, fit_advantage: bool, fit_draw_elo: bool
    ) -> tuple[newton.Maximum, Frame]:
        """Climb with the anchors held; again until the scale, which depends on draw_elo, is that of their ratings."""
        frame = Frame.of(likelihood.pairs, self.held)
        point = start
        for _ in range(ROUNDS):
            elo = point.elo.copy()
            elo[self.held] = self.elo / likelihood.scale(point.draw_elo)
            begin = Point(elo, point.advantage, point.draw_elo)
            found = newton.maximise(
                likelihood, begin, fit_advantage=fit_advantage, fit_draw_elo=fit_draw_elo, frame=frame
            )
            if abs(found.point.draw_elo - point.draw_elo) < SETTLED:
                return found, frame
            point = found.point
        return newton.Maximum(point, converged=False), frame

    def contradiction(self, likelihood: Likelihood, free: Point, held: Point) -> tuple[str, ...]:
        """Say so if the games speak clearly against the differences of the anchors (likelihood ratio test)."""
        from scipy.special import chdtrc

        groups = likelihood.pairs.groups()[self.held]
        bounds = self.held.size - np.unique(groups).size
        loss = 2 * (likelihood.value(free) - likelihood.value(held))
        chance = float(chdtrc(bounds, max(loss, 0.0))) if bounds else 1.0
        if chance >= DOUBTFUL:
            return ()
        return (f"the games contradict the anchors: results like these have a chance of {chance:.1g} if all are right",)
