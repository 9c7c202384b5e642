"""Pair effects ("style"): the results of a pair follow r_i - r_j + z, with an effect z of that pair alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fiedler.tournament.ratings.likelihood import NATURAL, Likelihood, Point
from fiedler.tournament.ratings.pairs import Floats, Pairs

SMALL_STEP = 0.01
"""Largest change of an effect by the last step in Elo; what is left is of the order of its square."""
LONG_STEP = 300.0
"""Largest change of an effect by a step in Elo."""
MAX_STEPS = 100


class EliminatedEffects(NamedTuple):
    """The games as a function of the ratings alone, with the effect of each pair at its most likely value."""

    value: float
    """Log-likelihood of the games minus Σ z²/2b²."""
    push: Floats
    """Its derivative by each r_i - r_j, per Elo, shape (pairs,)."""
    weight: Floats
    """w' = w / (1 + w b²), per Elo squared, shape (pairs,), where w is the information of the pair's games."""
    volume: float
    """-½ Σ log(1 + w b²): what Laplace's approximation of the integral over the effects adds."""


@dataclass(frozen=True, slots=True, eq=False)
class PairEffects:
    """The games of pairs whose effects are independent and from N(0, b²).

    Around the most likely effect a pair's games are an observation of r_i - r_j + z with information w; without z, of
    r_i - r_j with w / (1 + w b²), so that all games of one pair have less information than 1/b².
    """

    pairs: Pairs
    apart: Likelihood
    """The same games as if each pair had two players of its own: slopes per player are then slopes per pair."""
    sd: float
    """b in raw Elo, above 0."""

    @classmethod
    def of(cls, likelihood: Likelihood, sd: float) -> PairEffects:
        """Return the effects of the pairs of a likelihood."""
        pairs = likelihood.pairs
        low = 2 * np.arange(pairs.low.size)
        return cls(pairs, type(likelihood)(replace(pairs, size=2 * low.size, low=low, high=low + 1)), sd)

    def at(self, point: Point) -> EliminatedEffects:
        """Return the games around these ratings, in raw Elo.

        The effect of each pair maximises a concave function. Its steps are Newton's, or half the way to the other end
        of the interval that is known to contain it.
        """
        differences = point.elo[self.pairs.low] - point.elo[self.pairs.high]
        z, precision = np.zeros_like(differences), self.sd**-2
        low, high = np.full_like(z, -np.inf), np.full_like(z, np.inf)
        for _ in range(MAX_STEPS):
            push, weight = self.slopes(replace(point, elo=_in_turn(differences + z)))
            slope = push - precision * z
            step = np.clip(slope / (weight + precision), -LONG_STEP, LONG_STEP)
            if np.abs(step).max(initial=0.0) <= SMALL_STEP:
                break
            low, high = np.where(slope >= 0, z, low), np.where(slope <= 0, z, high)
            inside = (z + step >= low) & (z + step <= high)
            z = np.where(inside, z + step, (low + high) / 2)
        z, push = z + step, push - weight * step
        value = self.apart.value(replace(point, elo=_in_turn(differences + z))) - precision * float(z @ z) / 2
        known = 1 + weight / precision
        return EliminatedEffects(value, push, weight / known, -float(np.log(known).sum()) / 2)

    def seen(self, point: Point) -> tuple[Floats, Floats]:
        """Return each pair's games as an observation of its difference, with its information w.

        Information that rounds to 0, thousands of Elo apart, leaves the difference as it is.
        """
        differences = point.elo[self.pairs.low] - point.elo[self.pairs.high]
        push, weight = self.slopes(replace(point, elo=_in_turn(differences)))
        return differences + np.divide(push, weight, out=np.zeros_like(push), where=weight > 0), np.maximum(weight, 0.0)

    def slopes(self, point: Point) -> tuple[Floats, Floats]:
        """Return gradient and information per Elo of each pair's own difference: ratings at even places, else 0."""
        slopes = self.apart.slopes(point)
        return NATURAL * slopes.gradient[:-2:2], NATURAL**2 * slopes.curvature


def _in_turn(differences: Floats) -> Floats:
    """Return the ratings of players of whom each second one has 0."""
    elo = np.zeros(2 * differences.size)
    elo[::2] = differences
    return elo
