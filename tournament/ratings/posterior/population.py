"""The population prior: one to three normal distributions, their number weighed by evidence."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fiedler.tournament.elo import LEAST_PLAYERS
from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.mixture import SMALL_CHANGE, Mixture, MixtureFit, mixture_fit
from fiedler.tournament.ratings.posterior.normal import (
    NormalFit,
    mixed,
    normal_evidence,
    normal_fit,
    normal_refit,
    softmax,
)
from fiedler.tournament.ratings.posterior.observations import Expansion, Observations

MOST_PARTS = 3
"""One, and that of unknown deviation, for fewer players than those of posterior ratings."""
PENALTY = 3 / 2
"""Nats for each part beyond the first, times log(players): three more parameters at half a log each."""

LEAST_WEIGHT = 0.01
"""Of a number of parts that counts."""


@dataclass(frozen=True, slots=True, eq=False)
class PopulationFit:
    """The posterior of ratings for players of one population, in raw Elo."""

    mean: Floats
    """Shape (players,)."""
    covariance: Floats
    """Shape (players, players)."""
    precision: Floats
    """Of the prior of each player, per Elo squared, shape (players,): the mean over the number of parts, where that of
    two or three is the precision of the player's site."""
    normal: NormalFit
    """The fit of one normal distribution."""
    mixtures: tuple[MixtureFit, ...]
    """Those of two and three."""
    weights: tuple[float, ...]
    """The weight of one, two, three parts."""
    mixture: Mixture
    """The mixture of the largest weight."""
    evidence: float
    """Of that number of parts against the next smaller one, in nats, after its penalty; of one, against equality."""
    change: float
    """The largest change by a last round in Elo if the rounds did not converge, else 0."""

    @property
    def moments(self) -> tuple[Floats, Floats]:
        """Mean, shape (players,), and covariance of the ratings."""
        return self.mean, self.covariance

    def refitted(self, observed: Observations) -> PopulationFit:
        """Return the fit of similar observations, with the same weights of the number of parts."""
        normal, mixtures = self.normal, self.mixtures
        if self.weights[0] > LEAST_WEIGHT:
            normal = normal_refit(observed, normal)
        mixtures = tuple(
            mixture_fit(observed, one.mixture.shares.size, normal, near=one) if weight > LEAST_WEIGHT else one
            for one, weight in zip(self.mixtures, self.weights[1:], strict=True)
        )
        return _together(normal, mixtures, self.weights, self.evidence)

    def heights(self) -> Callable[[Expansion], float]:
        """Return the evidence of expansions, each with one normal distribution, up to a constant."""
        return normal_evidence

    @property
    def prior(self) -> Floats:
        """The covariance of the prior, shape (players, players), without the correlations by unknown parts."""
        return np.diag(1 / self.precision)


def population_fit(observed: Observations) -> PopulationFit:
    """Return the posterior, averaged over the number of parts; fewer than 10 players have one normal distribution."""
    normal = normal_fit(observed)
    penalty = PENALTY * math.log(observed.size)
    scores, fits = [normal.evidence], []
    for place in range(1, MOST_PARTS if observed.size >= LEAST_PLAYERS else 1):
        price = penalty * place
        fits.append(mixture_fit(observed, place + 1, normal, needed=max(scores) + price))
        scores.append(fits[-1].evidence - price)
    weights = softmax(np.array(scores))
    heaviest = int(weights.argmax())
    simpler = scores[heaviest - 1] if heaviest else observed.expand(np.zeros(observed.size)).total
    return _together(normal, tuple(fits), tuple(weights.tolist()), scores[heaviest] - simpler)


def _together(
    normal: NormalFit, mixtures: tuple[MixtureFit, ...], weights: tuple[float, ...], evidence: float
) -> PopulationFit:
    """Return the average of the fits with these weights."""
    shares, heaviest = np.array(weights), int(np.argmax(weights))
    parts = [(normal.mean, normal.covariance), *((one.mean, one.covariance) for one in mixtures)]
    mean, covariance = mixed(shares, parts)
    alone = np.full(mean.size, normal.precision)
    one = Mixture(np.ones(1), np.zeros(1), np.array([normal.sd]))
    used = [fit.change for fit, weight in zip(mixtures, weights[1:], strict=True) if weight > LEAST_WEIGHT]
    return PopulationFit(
        mean=mean,
        covariance=covariance,
        precision=shares @ np.stack([alone, *(one.precision for one in mixtures)]),
        normal=normal,
        mixtures=mixtures,
        weights=weights,
        mixture=mixtures[heaviest - 1].mixture if heaviest else one,
        evidence=evidence,
        change=max([normal.change, *(change for change in used if change >= SMALL_CHANGE)]),
    )
