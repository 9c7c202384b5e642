"""What is observed: games at fixed parameters and expected strengths, as one log-likelihood of the ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fiedler.tournament.ratings.likelihood import NATURAL, Likelihood, Point, information
from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.style import PairEffects

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
    volume: float = 0.0
    """Of the pair effects, in nats: their part of the evidence beyond `value`."""

    @property
    def pull(self) -> Floats:
        """The vector b of the same polynomial as b·r − ½ rᵀLr and a constant, shape (players,)."""
        return np.asarray(self.information @ self.point + self.gradient, dtype=np.float64)

    @property
    def total(self) -> float:
        """The logarithm of the probability of the games, integrated over the pair effects."""
        return self.value + self.volume

    @property
    def constant(self) -> float:
        """The constant of that polynomial, with the volume."""
        return self.total - float(self.gradient @ self.point + self.point @ self.information @ self.point / 2)


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
    effects: PairEffects | None = None
    """None: the results of all pairs follow the ratings."""

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

    def with_style(self, sd: float) -> Observations:
        """Return the same observations with pair effects from N(0, sd²), in raw Elo; without any if `sd` is 0."""
        return replace(self, effects=PairEffects.of(self.likelihood, sd) if sd else None)

    def expansion_by_style(self, elo: Floats) -> Callable[[float], Expansion]:
        """Return the expansion at 0 as a function of the deviation of the pair effects, in raw Elo.

        The games of each pair count as one normal observation, as at the ratings `elo` without effects, so that a call
        costs little. `value` has the constant of all calls, not that of `expand`.
        """
        pairs, point = self.likelihood.pairs, Point(elo, self.advantage, self.draw_elo)
        seen, weight = PairEffects.of(self.likelihood, 1.0).seen(point)
        expected = self.certainty @ self.expected

        def expansion(sd: float) -> Expansion:
            known = 1 + weight * sd**2
            less = weight / known
            pull = pairs.per_player(less * seen, -less * seen) + expected
            precision = information(pairs, less) + self.certainty
            volume = -float(np.log(known).sum()) / 2
            return Expansion(np.zeros_like(elo), -float(less @ seen**2) / 2, pull, precision, volume)

        return expansion

    @property
    def size(self) -> int:
        """The number of players."""
        return self.expected.size

    def expand(self, elo: Floats) -> Expansion:
        """Return value and derivatives at raw ratings, shape (players,)."""
        games, away = self._games(Point(elo, self.advantage, self.draw_elo)), elo - self.expected
        known = self.certainty @ away
        precision = information(self.likelihood.pairs, games.weight) + self.certainty
        value = games.value - float(away @ known) / 2
        return Expansion(elo, value, games.gradient - known, precision, games.volume)

    def _games(self, point: Point) -> _Games:
        if self.effects is None:
            slopes = self.likelihood.slopes(point)
            return _Games(slopes.value, NATURAL * slopes.gradient[:-2], NATURAL**2 * slopes.curvature, 0.0)
        found = self.effects.at(point)
        gradient = self.likelihood.pairs.per_player(found.push, -found.push)
        return _Games(found.value, gradient, found.weight, found.volume)


class _Games(NamedTuple):
    """The log-likelihood of the games, its gradient by player, its curvature by pair, and the volume of the effects."""

    value: float
    gradient: Floats
    weight: Floats
    volume: float
