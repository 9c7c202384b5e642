"""Players drawn from a mixture of normal distributions, by expectation propagation (Minka, 2001).

The prior of each player is replaced by a site, exp(ν r − ½ τ r²), so that the posterior is normal; the sites are those
that give each player the mean and the variance that the true prior would give it beside all the others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.laplace import MAX_ROUNDS, log_determinant, symmetric
from fiedler.tournament.ratings.posterior.normal import NormalFit
from fiedler.tournament.ratings.posterior.observations import Expansion, Observations

SMALL_CHANGE = 0.3
"""Change of a mean in Elo below which the rounds end."""
LOOK = 5
"""Rounds between two looks at the evidence, which may be hopelessly low."""
HOPELESS = 7.0
"""Nats below those that are needed, at which a mixture has next to no weight: e^-7 is 0.001."""
LEAST_PRECISION = 1e-8
"""Of a site, per Elo squared."""
DAMPING = 0.5
"""The part of each change of a site."""
SHARE_GAMES = 1.0
"""Players that every part of the mixture has beyond those that belong to it."""
SD_PLAYERS = 2.0
"""Players with half the common deviation that enter the deviation of every part."""
LEAST_SD = 0.2
"""Least deviation of a part, relative to the common one."""


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Normal distributions and their shares, in raw Elo; each of shape (parts,)."""

    shares: Floats
    means: Floats
    sds: Floats


@dataclass(frozen=True, slots=True, eq=False)
class MixtureFit:
    """The posterior of ratings under the most likely mixture, in raw Elo."""

    mean: Floats
    covariance: Floats
    precision: Floats
    """Of the sites, per Elo squared, shape (players,)."""
    pull: Floats
    """Of the sites, per Elo, shape (players,)."""
    mixture: Mixture
    evidence: float
    change: float
    """The change of a mean in the last round in Elo, above `SMALL_CHANGE` if the rounds did not converge."""


@dataclass(frozen=True, slots=True, eq=False)
class _Sites:
    """The factors of the players, each of shape (players,), and the normal posterior that they give."""

    precision: Floats
    pull: Floats
    at: Expansion
    mean: Floats
    covariance: Floats

    @classmethod
    def of(cls, at: Expansion, precision: Floats, pull: Floats) -> _Sites:
        covariance = symmetric(np.linalg.inv(at.information + np.diag(precision)))
        return cls(precision, pull, at, covariance @ (at.pull + pull), covariance)

    def cavity(self) -> tuple[Floats, Floats]:
        """Return precision and pull of each player from all but its own site."""
        own = self.covariance.diagonal()
        return np.maximum(1 / own - self.precision, LEAST_PRECISION / 10), self.mean / own - self.pull


@dataclass(frozen=True, slots=True, eq=False)
class Tilted:
    """Each player's prior times its cavity; shape (players,) or (players, parts)."""

    belonging: Floats
    means: Floats
    variances: Floats
    log_norm: Floats

    @classmethod
    def of(cls, mixture: Mixture, precision: Floats, pull: Floats) -> Tilted:
        """Return it for cavities N(pull / precision, 1 / precision)."""
        variance, mean = (1 / precision)[:, None], (pull / precision)[:, None]
        both = variance + mixture.sds**2
        logs = np.log(mixture.shares) - (mean - mixture.means) ** 2 / (2 * both) - np.log(2 * np.pi * both) / 2
        norm = np.logaddexp.reduce(logs, axis=1)
        variances = variance * mixture.sds**2 / both
        means = (mean * mixture.sds**2 + mixture.means * variance) / both
        return cls(np.exp(logs - norm[:, None]), means, variances, norm)

    def moments(self) -> tuple[Floats, Floats]:
        """Return mean and variance of each player."""
        mean = (self.belonging * self.means).sum(axis=1)
        spread = self.belonging * (self.variances + (self.means - mean[:, None]) ** 2)
        return mean, np.asarray(spread.sum(axis=1), dtype=np.float64)

    def mixture(self, common_sd: float) -> Mixture:
        """Return the mixture that fits these players best, centred."""
        members = self.belonging.sum(axis=0)
        shares = (members + SHARE_GAMES) / (members + SHARE_GAMES).sum()
        means = (self.belonging * self.means).sum(axis=0) / np.maximum(members, LEAST_PRECISION)
        squares = (self.belonging * (self.variances + (self.means - means) ** 2)).sum(axis=0)
        variances = (squares + SD_PLAYERS * (common_sd / 2) ** 2) / (members + SD_PLAYERS)
        sds = np.maximum(np.sqrt(variances), LEAST_SD * common_sd)
        return Mixture(shares, means - shares @ means, sds)


def mixture_fit(
    observed: Observations,
    parts: int,
    normal: NormalFit,
    needed: float = -math.inf,
    near: MixtureFit | None = None,
) -> MixtureFit:
    """Return the posterior for a mixture of two or more parts, from the fit of one, or of similar observations.

    The rounds end early where the evidence stays hopelessly below that `needed`, in nats: the gains of the rounds
    shrink, so that ten times the last gain is more than all that follow.
    """
    if near is None:
        mixture, at = first_mixture(parts, normal.mean, normal.sd), observed.expand(normal.mean)
        sites = _Sites.of(at, np.full(observed.size, normal.sd**-2), np.zeros(observed.size))
    else:
        mixture, sites = near.mixture, _Sites.of(observed.expand(near.mean), near.precision, near.pull)
    change, evidence = math.inf, -math.inf
    for done in range(1, MAX_ROUNDS + 1):
        cavity = sites.cavity()
        tilted = Tilted.of(mixture, *cavity)
        mixture, before = tilted.mixture(normal.sd), sites.mean
        precision, pull = matched(tilted, *cavity)
        precision = sites.precision + DAMPING * (precision - sites.precision)
        pull = sites.pull + DAMPING * (pull - sites.pull)
        sites = _Sites.of(observed.expand(sites.mean), precision, pull)
        change = float(np.abs(sites.mean - before).max(initial=0.0))
        if change < SMALL_CHANGE:
            break
        if done % LOOK == 0 and needed > -math.inf:
            before_it, evidence = evidence, _evidence(sites, mixture)
            if evidence + 10 * max(evidence - before_it, 0.0) < needed - HOPELESS:
                break
    return MixtureFit(
        sites.mean, sites.covariance, sites.precision, sites.pull, mixture, _evidence(sites, mixture), change
    )


def first_mixture(parts: int, ratings: Floats, sd: float) -> Mixture:
    """Return the mixture of the first round, from the ratings and the deviation of one distribution."""
    means = np.quantile(ratings, (np.arange(parts) + 0.5) / parts)
    return Mixture(np.full(parts, 1 / parts), means - means.mean(), np.full(parts, sd / 2))


def matched(tilted: Tilted, precision: Floats, pull: Floats) -> tuple[Floats, Floats]:
    """Return the sites with which each player has the moments of its tilted distribution."""
    mean, variance = tilted.moments()
    own = np.maximum(1 / variance - precision, LEAST_PRECISION)
    return own, mean * (precision + own) - pull


def _evidence(sites: _Sites, mixture: Mixture) -> float:
    """Return the logarithm of the probability of the observations (Rasmussen and Williams, 2006, section 3.6)."""
    precision, pull = sites.cavity()
    both, joint = precision + sites.precision, pull + sites.pull
    site = np.log(precision / both) / 2 + joint**2 / (2 * both) - pull**2 / (2 * precision)
    factors = Tilted.of(mixture, precision, pull).log_norm - site
    matrix = sites.at.information + np.diag(sites.precision)
    height = sites.at.constant + float(sites.mean @ matrix @ sites.mean) / 2
    volume = sites.mean.size * math.log(2 * math.pi) - log_determinant(matrix)
    return float(height + factors.sum() + volume / 2)
