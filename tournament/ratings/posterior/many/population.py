"""The population prior of many players: one to three normal distributions, their number weighed by evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.many.games import ManyGames, RandomNormals
from fiedler.tournament.ratings.posterior.many.mixture import ManyMixtureFit, many_mixture_fit
from fiedler.tournament.ratings.posterior.many.normal import ManyNormalFit
from fiedler.tournament.ratings.posterior.many.variances import DRAWS, drawn_variances
from fiedler.tournament.ratings.posterior.mixture import HOPELESS, SMALL_CHANGE, Mixture
from fiedler.tournament.ratings.posterior.normal import softmax
from fiedler.tournament.ratings.posterior.population import MOST_PARTS, PENALTY

NEGLIGIBLE = 1e-3
"""Weight of a number of parts below which its variances are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class ManyPopulationFit:
    """The posterior of ratings for players of one population, in raw Elo."""

    mean: Floats
    """Shape (players,)."""
    variance: Floats
    """Relative to the mean of all players, shape (players,)."""
    error: float
    """Relative standard error of the deviations by their number of random draws."""
    weights: tuple[float, ...]
    """The weight of one, two, three parts."""
    mixture: Mixture
    """The mixture of the largest weight."""
    evidence: float
    """Of that number of parts against the next smaller one, in nats, after its penalty; of one, against equality."""
    change: float
    """The largest change by a last round in Elo if the rounds did not converge, else 0."""


def many_population_fit(games: ManyGames, normal: ManyNormalFit, draws: int = DRAWS) -> ManyPopulationFit:
    """Return the posterior, averaged over the number of parts; see `posterior.population.population_fit`."""
    penalty = PENALTY * math.log(games.size)
    scores: list[float] = [normal.evidence]
    fits: list[ManyMixtureFit] = []
    for place in range(1, MOST_PARTS):
        if place > 1 and scores[-1] < scores[0] - HOPELESS:
            break  # who are not two groups are not three
        price = penalty * place
        fits.append(many_mixture_fit(games, place + 1, normal, max(scores) + price))
        scores.append(fits[-1].evidence - price)
    weights = softmax(np.array(scores))
    heaviest = int(weights.argmax())
    simpler = scores[heaviest - 1] if heaviest else games.value(np.zeros(games.size))
    one = Mixture(np.ones(1), np.zeros(1), np.array([normal.sd]))
    used = [fit.change for fit, weight in zip(fits, weights[1:], strict=True) if weight > 0.01]
    mean, variance, error = _averaged(games, weights, normal, fits, draws)
    return ManyPopulationFit(
        mean=mean,
        variance=variance,
        error=error,
        weights=tuple(weights.tolist()) + (0.0,) * (MOST_PARTS - weights.size),
        mixture=fits[heaviest - 1].mixture if heaviest else one,
        evidence=scores[heaviest] - simpler,
        change=max([normal.mode.unfinished, *(change for change in used if change >= SMALL_CHANGE)]),
    )


def _averaged(
    games: ManyGames, weights: Floats, normal: ManyNormalFit, fits: list[ManyMixtureFit], draws: int
) -> tuple[Floats, Floats, float]:
    """Return mean, variance and its error of the mixture of the posteriors with these weights."""
    parts = [(normal.mode.at.point, normal.mode.at, normal.prior)]
    parts += [(fit.sites.mean, fit.sites.at, fit.sites.prior) for fit in fits]
    kept = [(weight, *part) for weight, part in zip(weights.tolist(), parts, strict=True) if weight > NEGLIGIBLE]
    total = sum(weight for weight, *_ in kept)
    points = [(weight / total, point - point.mean()) for weight, point, *_ in kept]
    mean = np.asarray(sum(weight * point for weight, point in points))
    normals = RandomNormals.of(games, draws)
    found = [drawn_variances(games, at, prior, normals) for _, _, at, prior in kept]
    around = [weight * (one.centred + (point - mean) ** 2) for (weight, point), one in zip(points, found, strict=True)]
    return mean, np.asarray(sum(around)), max(one.error for one in found)
