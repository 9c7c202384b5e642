"""What is observed: the games at fixed parameters, and expected strengths, as one log-likelihood of the ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tournament.ratings.likelihood import NATURAL, Likelihood, Point, information
from tournament.ratings.pairs import Floats

Known = Mapping[str, tuple[float, float]]
"""Expected strength and its standard deviation, both in raw Elo, by name of player."""
LEAST_SD = 1.0
"""Least deviation of an expected strength in Elo; with much less the equations cannot be solved."""


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """A log-likelihood to second order around a point, in raw Elo."""

    point: Floats
    """Ratings, shape (players,)."""
    value: float
    gradient: Floats
    """Shape (players,)."""
    information: Floats
    """Minus the second derivatives, a Laplacian of shape (players, players)."""

    @property
    def pull(self) -> Floats:
        """The vector b of the same polynomial as b·r − ½ rᵀLr and a constant, shape (players,)."""
        return np.asarray(self.information @ self.point + self.gradient, dtype=np.float64)

    @property
    def constant(self) -> float:
        """The constant of that polynomial."""
        return self.value - float(self.gradient @ self.point + self.point @ self.information @ self.point / 2)


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """Games and expected strengths. Only differences of ratings count: a shift of all players changes nothing."""

    likelihood: Likelihood
    advantage: float
    draw_elo: float
    expected: Floats
    """Expected ratings, shape (players,)."""
    certainty: Floats
    """The precision of these, per Elo squared, shape (players, players); 0 without any."""

    @classmethod
    def of(
        cls,
        likelihood: Likelihood,
        advantage: float,
        draw_elo: float,
        names: Sequence[str],
        known: Known | None = None,
    ) -> Observations:
        """Return the games with the factors N(r; elo + shift, sd²) of the players in `known`.

        The shift is the same for all of them, and unknown. A deviation below `LEAST_SD` counts as `LEAST_SD`.
        """
        expected, weight = np.zeros(len(names)), np.zeros(len(names))
        places = {name: place for place, name in enumerate(names)}
        for name, (elo, sd) in (known or {}).items():
            expected[places[name]], weight[places[name]] = elo, max(sd, LEAST_SD) ** -2
        certainty = np.diag(weight) - np.outer(weight, weight) / (weight.sum() or 1.0)
        return cls(likelihood, advantage, draw_elo, expected, certainty)

    @property
    def size(self) -> int:
        """The number of players."""
        return self.expected.size

    def value(self, elo: Floats) -> float:
        """Return the log-likelihood of raw ratings, shape (players,), up to a constant."""
        away = elo - self.expected
        return self.likelihood.value(self._at(elo)) - float(away @ self.certainty @ away) / 2

    def expand(self, elo: Floats) -> Expansion:
        """Return value and derivatives at raw ratings, shape (players,)."""
        slopes = self.likelihood.slopes(self._at(elo))
        gradient = NATURAL * slopes.gradient[:-2] - self.certainty @ (elo - self.expected)
        games = information(self.likelihood.pairs, NATURAL**2 * slopes.curvature)
        return Expansion(elo, self.value(elo), gradient, games + self.certainty)

    def _at(self, elo: Floats) -> Point:
        return Point(elo, self.advantage, self.draw_elo)
