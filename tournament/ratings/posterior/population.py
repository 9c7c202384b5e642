"""The population prior: one to three normal distributions, their number weighed by evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tournament.ratings.pairs import Floats
from tournament.ratings.posterior.mixture import SMALL_CHANGE, Mixture, mixture_fit
from tournament.ratings.posterior.normal import NormalFit, mixed, normal_fit, softmax
from tournament.ratings.posterior.observations import Observations

MOST_PARTS = 3
PENALTY = 3 / 2
"""Nats for each part beyond the first, times log(players): three more parameters at half a log each."""


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
    weights: tuple[float, ...]
    """The weight of one, two, three parts."""
    mixture: Mixture
    """The mixture of the largest weight."""
    evidence: float
    """Of that number of parts against the next smaller one, in nats, after its penalty; of one, against equality."""
    change: float
    """The largest change by a last round in Elo if the rounds did not converge, else 0."""

    @property
    def prior(self) -> Floats:
        """The covariance of the prior, shape (players, players), without the correlations by unknown parts."""
        return np.diag(1 / self.precision)


def population_fit(observed: Observations) -> PopulationFit:
    """Return the posterior, averaged over the number of parts."""
    normal = normal_fit(observed)
    penalty = PENALTY * math.log(observed.size)
    scores, fits = [normal.evidence], []
    for place in range(1, MOST_PARTS):
        price = penalty * place
        fits.append(mixture_fit(observed, place + 1, normal, needed=max(scores) + price))
        scores.append(fits[-1].evidence - price)
    weights = softmax(np.array(scores))
    mean, covariance = mixed(weights, [(normal.mean, normal.covariance), *((one.mean, one.covariance) for one in fits)])
    alone = np.full(observed.size, normal.precision)
    heaviest = int(weights.argmax())
    one = Mixture(np.ones(1), np.zeros(1), np.array([normal.sd]))
    simpler = scores[heaviest - 1] if heaviest else observed.expand(np.zeros(observed.size)).total
    used = [fit.change for fit, weight in zip(fits, weights[1:], strict=True) if weight > 0.01]
    return PopulationFit(
        mean=mean,
        covariance=covariance,
        precision=weights @ np.stack([alone, *(one.precision for one in fits)]),
        normal=normal,
        weights=tuple(weights.tolist()),
        mixture=fits[heaviest - 1].mixture if heaviest else one,
        evidence=scores[heaviest] - simpler,
        change=max([normal.change, *(change for change in used if change >= SMALL_CHANGE)]),
    )
