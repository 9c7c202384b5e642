"""The choice of the prior: the curve where the games show one, else the population."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fiedler.support.errors import UsageError
from fiedler.tournament.ratings.model import Rating
from fiedler.tournament.ratings.pairs import Floats, Integers
from fiedler.tournament.ratings.posterior.curve import ENOUGH, SMALL_CHANGE, CurveFit, curve_fit
from fiedler.tournament.ratings.posterior.kernel import OrderedPlayers
from fiedler.tournament.ratings.posterior.laplace import MAX_ROUNDS, symmetric
from fiedler.tournament.ratings.posterior.normal import mixed, normal_fit
from fiedler.tournament.ratings.posterior.observations import Observations
from fiedler.tournament.ratings.posterior.population import PopulationFit, population_fit
from fiedler.tournament.ratings.posterior.style_fit import style_fit
from fiedler.tournament.ratings.series import find_series

LEAST_EVIDENCE = 5.0
"""Nats for a curve, below which the population takes its place."""


@dataclass(frozen=True, slots=True, eq=False)
class ChosenPrior:
    """The fit of the prior that is shown, with its evidence against the next simpler prior in nats."""

    observed: Observations
    fit: PopulationFit | CurveFit
    evidence: float
    warnings: tuple[str, ...]
    moments: tuple[Floats, Floats]
    """Mean, shape (players,), and covariance of the raw ratings."""
    style_sd: float = 0.0
    """Deviation of the pair effects in raw Elo."""
    style_evidence: float = 0.0
    """Nats for it against none, if it was estimated."""

    def precision(self, places: Sequence[int]) -> Floats:
        """Return the prior precision of some players, shape (places, places), per raw Elo squared."""
        prior, certainty = self.fit.prior, self.observed.certainty
        known = np.linalg.solve(np.eye(len(prior)) + prior @ certainty, prior) if certainty.any() else prior
        return symmetric(np.linalg.inv(known[np.ix_(places, places)]))


def chosen_prior(observed: Observations, lines: Sequence[OrderedPlayers] | None) -> ChosenPrior:
    """Return the fit of the curves along `lines`, or of the population in their place, with the reason as a warning.

    None in place of `lines`: the population is what was asked for.
    """
    groups = observed.likelihood.pairs.groups().max() + 1
    apart = () if groups == 1 else (f"no games connect {groups} groups of players: only the prior does",)
    if lines is None:
        return _population(observed, apart)
    if not lines:
        why = f"no series has {ENOUGH} players: the population prior takes the curve's place"
        return _population(observed, (*apart, why))
    fit = curve_fit(observed, lines)
    evidence = fit.evidence - normal_fit(observed).evidence
    if evidence < LEAST_EVIDENCE:
        why = f"the games do not show a curve (evidence {evidence:+.1f} nats, {LEAST_EVIDENCE:.0f} needed): "
        return _population(observed, (*apart, f"{why}the population prior takes its place"))
    return ChosenPrior(observed, fit, evidence, apart + _unfinished(fit), fit.moments)


def with_likely_style(plain: ChosenPrior) -> ChosenPrior:
    """Return the same prior with pair effects, whose deviation is integrated over its likely values.

    The result has the fit at their median, the mean and the covariance over all, and the evidence without effects.
    """
    style = style_fit(plain.observed, plain.moments[0], plain.fit.heights())
    fits = [plain.fit.refitted(plain.observed.with_style(sd)) for sd in style.sds]
    middle = fits[len(fits) // 2]
    return replace(
        plain,
        fit=middle,
        warnings=plain.warnings or _unfinished(middle),
        moments=mixed(np.full(len(fits), 1 / len(fits)), [one.moments for one in fits]),
        style_sd=style.sd,
        style_evidence=style.evidence,
    )


def lines_of(names: tuple[str, ...], rating: Rating, stems: Sequence[str], *, growing: bool) -> list[OrderedPlayers]:
    """Return the series of enough players among `names`, all or those with the given stems.

    Raises:
        UsageError: a stem is unknown, or has too few players; while the series are `growing` it is left out.

    """
    places = {name: place for place, name in enumerate(names)}
    found = [one for one in find_series(rating.players) if len(one.players) >= ENOUGH]
    known = [one.stem for one in found]
    for stem in stems:
        if stem not in known and not growing:
            raise UsageError(
                f"rating.series: expected stems of {ENOUGH} or more players ({', '.join(known) or 'none here'}), "
                f"got {stem!r}"
            )
    return [
        OrderedPlayers(
            one.stem, _places(places, [player.name for player in one.players]), np.array(one.numbers, dtype=float)
        )
        for one in found
        if not stems or one.stem in stems
    ]


def _places(places: dict[str, int], names: list[str]) -> Integers:
    return np.array([places[name] for name in names], dtype=np.int64)


def _population(observed: Observations, warnings: tuple[str, ...]) -> ChosenPrior:
    fit = population_fit(observed)
    return ChosenPrior(observed, fit, fit.evidence, warnings + _unfinished(fit), fit.moments)


def _unfinished(fit: PopulationFit | CurveFit) -> tuple[str, ...]:
    """Return the warning about a fit whose rounds did not converge."""
    change = fit.posterior.unfinished if isinstance(fit, CurveFit) else fit.change
    if change:
        last = f"a rating by {change:.2g} Elo" if np.isfinite(change) else "no rating, because its step had no end"
    elif isinstance(fit, CurveFit) and fit.change >= SMALL_CHANGE:
        last = f"a deviation by {np.expm1(fit.change):.0%}"
    else:
        return ()
    return (f"the posterior did not converge in {MAX_ROUNDS} rounds: the last one changed {last}",)
