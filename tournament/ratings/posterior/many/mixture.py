"""Many players drawn from a mixture of normal distributions, by expectation propagation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fiedler.tournament.ratings.best import SEED
from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.laplace import MAX_ROUNDS
from fiedler.tournament.ratings.posterior.many.climb import ACCURACY, MOST_STEPS, Separate
from fiedler.tournament.ratings.posterior.many.determinant import log_determinant
from fiedler.tournament.ratings.posterior.many.games import ManyGames, RandomNormals, SparseExpansion
from fiedler.tournament.ratings.posterior.many.normal import ManyNormalFit
from fiedler.tournament.ratings.posterior.many.variances import ROUGH, DrawnVariances, drawn_variances
from fiedler.tournament.ratings.posterior.mixture import (
    DAMPING,
    HOPELESS,
    LEAST_PRECISION,
    LOOK,
    SMALL_CHANGE,
    Mixture,
    Tilted,
    first_mixture,
    matched,
)
from fiedler.tournament.ratings.sparse import conjugate_gradients

MORE, MOST_SHARE = 3.0, 0.9
"""Factor of the evidence that is expected of further rounds, and the largest quotient of two gains."""
PATIENCE = 30
"""Rounds after which players who turn back are calmed: of thousands, some waver between groups for ever."""
CALMER = 0.7
"""Factor of the part of each change of their sites, whenever they turn."""


@dataclass(frozen=True, slots=True, eq=False)
class ManySites:
    """The factors of the players, each of shape (players,), and the normal posterior that they give."""

    prior: Separate
    pull: Floats
    at: SparseExpansion
    """The likelihood at the means of the round before."""
    mean: Floats
    variances: DrawnVariances

    @classmethod
    def of(
        cls,
        games: ManyGames,
        at: SparseExpansion,
        precision: Floats,
        pull: Floats,
        normal: RandomNormals,
        near: Floats | None = None,
    ) -> ManySites:
        """Return the posterior, from the likelihood at ratings nearby, and draws of a similar one."""
        prior = Separate(precision)
        slope = at.gradient + pull - precision * at.point
        step = conjugate_gradients(prior.split(at), slope, tolerance=ACCURACY, most=MOST_STEPS)
        return cls(prior, pull, at, at.point + step, drawn_variances(games, at, prior, normal, near, ROUGH))

    def cavity(self) -> tuple[Floats, Floats]:
        """Return precision and pull of each player from all but its own site."""
        own = self.variances.all
        return np.maximum(1 / own - self.prior.precision, LEAST_PRECISION / 10), self.mean / own - self.pull


@dataclass(frozen=True, slots=True, eq=False)
class ManyMixtureFit:
    """The posterior of the ratings under the most likely mixture, in raw Elo."""

    sites: ManySites
    mixture: Mixture
    evidence: float
    change: float
    """The change of a mean in the last round in Elo, above `SMALL_CHANGE` if the rounds did not converge."""


def many_mixture_fit(games: ManyGames, parts: int, normal: ManyNormalFit, needed: float) -> ManyMixtureFit:
    """Return the posterior for a mixture of two or more parts; see `posterior.mixture.mixture_fit`."""
    mixture = first_mixture(parts, normal.mode.at.point, normal.sd)
    sites = ManySites.of(games, normal.mode.at, normal.prior.precision, np.zeros(games.size), normal.normal)
    moved, share = np.zeros(games.size), np.full(games.size, DAMPING)
    change, looks = math.inf, [-math.inf]
    for done in range(1, MAX_ROUNDS + 1):
        cavity = sites.cavity()
        tilted = Tilted.of(mixture, *cavity)
        mixture, before = tilted.mixture(normal.sd), sites.mean
        precision, pull = matched(tilted, *cavity)
        precision = sites.prior.precision + share * (precision - sites.prior.precision)
        pull = sites.pull + share * (pull - sites.pull)
        near = sites.variances.solutions
        sites = ManySites.of(games, games.expand(sites.mean), precision, pull, normal.normal, near)
        turned = (moved * (sites.mean - before) < 0) & (done > PATIENCE)
        moved, share = sites.mean - before, np.where(turned, CALMER * share, share)
        change = float(np.abs(moved).max())
        if change < SMALL_CHANGE:
            break
        if done % LOOK == 0:
            looks.append(_evidence(sites, mixture))
            if _reachable(looks) < needed - HOPELESS:
                return ManyMixtureFit(sites, mixture, looks[-1], change)
    return ManyMixtureFit(sites, mixture, _evidence(sites, mixture), change)


def _reachable(looks: list[float]) -> float:
    """Return the evidence that further rounds may reach, from that at the looks so far.

    The gains fall like a geometric series, but ever more slowly: `MORE` times what that would still give is enough.
    """
    gains = np.diff(looks[-3:])
    if gains.size < 2 or not np.isfinite(gains).all():
        return math.inf
    share = min(max(float(gains[1] / gains[0]), 0.0), MOST_SHARE) if gains[0] > 0 else MOST_SHARE
    return looks[-1] + MORE * max(float(gains[1]), 0.0) * share / (1 - share)


def _evidence(sites: ManySites, mixture: Mixture) -> float:
    """Return the logarithm of the probability of the observations; see `posterior.mixture`."""
    at, own = sites.at, sites.prior.precision
    precision, pull = sites.cavity()
    both, joint = precision + own, pull + sites.pull
    site = np.log(precision / both) / 2 + joint**2 / (2 * both) - pull**2 / (2 * precision)
    factors = Tilted.of(mixture, precision, pull).log_norm - site
    ratings = np.stack([at.point, sites.mean], axis=1)
    old, new = (at.times(ratings) * ratings).sum(axis=0)
    constant = at.value - float(at.gradient @ at.point) - old / 2
    height = constant + (new + float(own @ sites.mean**2)) / 2
    volume = sites.mean.size * math.log(2 * math.pi) - log_determinant(at, own, np.random.default_rng(SEED))
    return float(height + factors.sum() + volume / 2)
