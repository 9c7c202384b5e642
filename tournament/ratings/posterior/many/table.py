"""The posterior ratings of many players as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fiedler.support import stages
from fiedler.support.errors import UsageError
from fiedler.tournament.ratings.intervals import Uncertainty
from fiedler.tournament.ratings.model import MODELS, Rating
from fiedler.tournament.ratings.pairs import Floats, Pairs
from fiedler.tournament.ratings.posterior.assumed import Assumed, PriorKind, PriorPart
from fiedler.tournament.ratings.posterior.choice import LEAST_EVIDENCE
from fiedler.tournament.ratings.posterior.curve import ENOUGH
from fiedler.tournament.ratings.posterior.kernel import OrderedPlayers
from fiedler.tournament.ratings.posterior.many.climb import Separate
from fiedler.tournament.ratings.posterior.many.curve import SMALL_GAIN, ManyCurveFit, many_curve_fit
from fiedler.tournament.ratings.posterior.many.games import ManyGames, RandomNormals
from fiedler.tournament.ratings.posterior.many.normal import ManyNormalFit, many_normal_fit
from fiedler.tournament.ratings.posterior.many.population import many_population_fit
from fiedler.tournament.ratings.posterior.many.variances import FEW_DRAWS, drawn_variances
from fiedler.tournament.ratings.posterior.observations import Known
from fiedler.tournament.ratings.posterior.table import Posterior, PosteriorPlayer
from fiedler.tournament.ratings.results import Results

STANDARD_ERRORS = 2.0
"""Of the evidence for a curve, by which it must pass the least evidence."""


@dataclass(frozen=True, slots=True, eq=False)
class _Moments:
    """Means and deviations in raw Elo, shape (players,), and those of the curve by the place of a player on it."""

    mean: Floats
    sd: Floats
    evidence: float
    kind: PriorKind
    assumed: Mapping[str, Any]
    warnings: tuple[str, ...]
    curves: Mapping[int, tuple[float, float]] = field(default_factory=dict)


def many_posterior(
    results: Results,
    rating: Rating,
    lines: Sequence[OrderedPlayers] | None,
    known: Known,
    anchors: Mapping[str, float],
) -> Posterior:
    """Return the posterior of the players of `results`, who all have games, beside `rating`, the table of the same.

    `lines` are the series of a curve; None asks for the population.
    """
    stages.begin(f"posterior ratings of {len(results.names):,} players")
    names, scale = results.names, rating.scale
    games = ManyGames(MODELS[rating.model](Pairs.of(results)), rating.advantage, rating.draw_elo, names, known)
    by_name = {player.name: player.elo for player in rating.players}
    table = np.array([by_name[name] for name in names])
    found = _chosen(games, table / scale, lines, scale)
    elo = scale * (found.mean - found.mean.mean())
    shift = float(np.mean([anchors[name] - elo[place] for place, name in enumerate(names) if name in anchors] or [0.0]))
    middle = float(found.mean.mean())
    curves = {one: (scale * (curve - middle) + shift, scale * sd) for one, (curve, sd) in found.curves.items()}
    order = np.argsort(-elo, kind="stable").tolist()
    players = tuple(
        PosteriorPlayer(names[one], float(elo[one] + shift), float(scale * found.sd[one]), *curves.get(one, ()))
        for one in order
    )
    ahead = table - table.mean()
    parameters = (rating.model, rating.advantage, rating.draw_elo, rating.fitted, len(known))
    return Posterior(
        players=players,
        assumed=Assumed(found.kind, *parameters, **found.assumed),
        evidence=found.evidence,
        shrinkage=float(((scale * found.sd) ** 2).sum() / _spread(rating)),
        slope=float(ahead @ elo / (ahead @ ahead)) if ahead.any() else 1.0,
        scale=scale,
        warnings=found.warnings,
        covariances=lambda: _refused(len(names)),
        precisions=lambda _: _refused(len(names)),
    )


def _refused(players: int) -> Floats:
    raise UsageError(f"posterior: expected few enough players for the covariance of all of them, got {players:,}")


def _chosen(games: ManyGames, elo: Floats, lines: Sequence[OrderedPlayers] | None, scale: float) -> _Moments:
    """Return the posterior of the curve where the games show one, else of the population."""
    groups = int(games.pairs.groups().max()) + 1
    warnings = () if groups == 1 else (f"no games connect {groups} groups of players: only the prior does",)
    normal = many_normal_fit(games, float(elo.std()), games.expand(elo - elo.mean()))
    if lines is None:
        return _of_population(games, normal, warnings, scale)
    if not lines:
        why = f"no series has {ENOUGH} players: the population prior takes the curve's place"
        return _of_population(games, normal, (*warnings, why), scale)
    fit = many_curve_fit(games, lines, elo)
    evidence = fit.evidence - normal.evidence
    if evidence - STANDARD_ERRORS * fit.evidence_error < LEAST_EVIDENCE:
        why = f"the games do not show a curve (evidence {evidence:+.1f} ± {fit.evidence_error:.1f} nats, "
        why += f"{LEAST_EVIDENCE:.0f} needed): the population prior takes its place"
        return _of_population(games, normal, (*warnings, why), scale)
    return _of_curve(games, fit, evidence, warnings, scale)


def _of_population(games: ManyGames, normal: ManyNormalFit, warnings: tuple[str, ...], scale: float) -> _Moments:
    fit = many_population_fit(games, normal)
    columns = zip(fit.mixture.shares, scale * fit.mixture.means, scale * fit.mixture.sds, strict=True)
    parts = sorted((PriorPart(*map(float, column)) for column in columns), key=lambda part: part.mean)
    slow: tuple[str, ...] = ()
    if fit.change:
        slow = (f"the posterior did not converge: its last round changed a rating by {fit.change:.2g} Elo",)
    return _Moments(
        mean=fit.mean,
        sd=np.sqrt(fit.variance),
        evidence=fit.evidence,
        kind="population",
        assumed={"parts": tuple(parts), "weights": fit.weights},
        warnings=(*warnings, *slow, _by_draws(fit.error)),
    )


def _of_curve(
    games: ManyGames, fit: ManyCurveFit, evidence: float, warnings: tuple[str, ...], scale: float
) -> _Moments:
    variance, of_curve, error = fit.variances(games)
    space = fit.prior.space
    line = space.players
    curves = zip(line.tolist(), fit.curve[line].tolist(), np.sqrt(of_curve[line]).tolist(), strict=True)
    noise, wiener, smooth, *free = (scale * fit.prior.deviations).tolist()
    places = {line.stem: warp for line, warp in zip(fit.lines, space.warps, strict=True)}
    slow: tuple[str, ...] = ()
    if fit.mode.unfinished or fit.gain >= SMALL_GAIN:
        slow = (f"the posterior did not converge: its last round promised {fit.gain:.2g} nats of evidence",)
    error_of = f"the evidence is known to {fit.evidence_error:.1f} nats"
    return _Moments(
        mean=fit.mode.at.point,
        sd=np.sqrt(variance),
        evidence=evidence,
        kind="curve",
        assumed={
            "noise": noise,
            "wiener": wiener,
            "smooth": smooth,
            "free_sd": free[0] if free else None,
            "places": places,
        },
        warnings=(*warnings, *slow, f"{_by_draws(error)}, those of the curve to 7 %; {error_of}"),
        curves={place: (curve, sd) for place, curve, sd in curves},
    )


def _by_draws(error: float) -> str:
    return f"the standard deviations come from 100 random draws: they are known to {max(error, 0.001):.1%}"


def _spread(rating: Rating) -> float:
    """Return the sum of the variances of the table."""
    if rating.many is None:
        return float(np.nansum(rating.covariance().diagonal()))
    return rating.scale**2 * _drawn_spread(rating.many.uncertainty)


def _drawn_spread(uncertainty: Uncertainty) -> float:
    """Return the sum of the variances relative to the mean of each group, by few random draws."""
    point = uncertainty.point
    games = ManyGames(uncertainty.likelihood, point.advantage, point.draw_elo)
    nothing, at = Separate(np.zeros(games.size)), games.expand(point.elo)
    found = drawn_variances(games, at, nothing, RandomNormals.of(games, FEW_DRAWS))
    mean = at.apart(found.solutions) / at.own[:, None]
    groups, sizes = uncertainty.origin.groups, np.bincount(uncertainty.origin.groups)
    solutions = zip(mean.T, found.solutions.T, strict=True)
    away = [one - (np.bincount(groups, other) / sizes)[groups] for one, other in solutions]
    return float(found.certain.sum() + np.mean([(one**2).sum() for one in away]))
