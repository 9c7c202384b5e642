"""Posterior ratings: `posterior`, from results to a table that a learned prior has drawn together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from threadpoolctl import threadpool_limits

from fiedler.support.errors import UsageError
from fiedler.support.text import counted
from fiedler.tournament.elo import LEAST_PLAYERS, MOST_ELO
from fiedler.tournament.ratings.model import MODELS, Rating, rate
from fiedler.tournament.ratings.pairs import Floats, Pairs
from fiedler.tournament.ratings.posterior.assumed import Assumed, PriorKind, PriorPart
from fiedler.tournament.ratings.posterior.choice import ChosenPrior, chosen_prior, lines_of, with_likely_style
from fiedler.tournament.ratings.posterior.curve import CurveFit
from fiedler.tournament.ratings.posterior.observations import Known, Observations
from fiedler.tournament.ratings.posterior.population import PopulationFit
from fiedler.tournament.ratings.posterior.table import Posterior, PosteriorPlayer
from fiedler.tournament.ratings.results import Results
from fiedler.tournament.ratings.section import Section
from fiedler.tournament.ratings.sparse import MANY

KINDS: tuple[PriorKind, ...] = get_args(PriorKind)


def posterior(
    results: Results,
    *,
    kind: PriorKind,
    options: Section,
    series: Sequence[str] = (),
    known: Known | None = None,
    style_sd: float | Literal["fit"] = 0.0,
    growing: bool = False,
    least: int = LEAST_PLAYERS,
    many: int = MANY,
) -> Posterior:
    """Rate the players with a prior whose parameters are learned from the same games.

    Advantage and draw_elo are those of `options`, or those of its fit. Virtual draws are off. Anchors shift the result.

    Parameters
    ----------
    results : Results
        All games.
    kind : {"population", "curve"}
        Players of one population, or checkpoints along a curve. Without a series, or with too little evidence for a
        curve, a curve is replaced by the population, with a warning.
    options : Section
        The table `[rating]`: model, advantage, draw_elo and anchors.
    series : sequence of str
        The stems of the series, each of at least 20 players; default: all.
    known : mapping from str to (float, float), optional
        Expected raw Elo and its standard deviation by player. Strengths that chose the pairs belong here.
    style_sd : float or "fit"
        Standard deviation in raw Elo, at least 0, of the effects of pairs: the results of a pair follow the difference
        of its ratings plus an effect of its own. `fit` integrates it over its likely values.
    growing : bool
        Whether players may still join the series: a stem of too few players is then left out, not refused.
    least : int
        Least players with games. The population of fewer than 10 is one normal distribution.
    many : int
        Players up to which the equations are dense. More of them have no covariance matrix and no draws, and their
        deviations come from random draws, whose error a warning gives.

    Returns
    -------
    Posterior

    Raises
    ------
    UsageError
        Fewer than `least` players have games, a stem is unknown, or a parameter is out of range.

    Examples
    --------
    >>> from fiedler.tournament.ratings import Results
    >>> from fiedler.tournament.ratings.posterior import posterior
    >>> from fiedler.tournament.schedule.schedule import RatingSection
    >>> names = tuple("ABCDEFGHIJ")
    >>> rows = tuple((i, j, 4, 2, 3) for i in range(10) for j in range(10) if i != j)
    >>> found = posterior(Results(names, rows), kind="population", options=RatingSection())
    >>> len(found.players), max(abs(player.elo) for player in found.players) < 1
    (10, True)

    """
    if kind not in KINDS:
        raise UsageError(f"posterior: expected {' or '.join(KINDS)}, got {kind!r}")
    given_sd = 0.0 if style_sd == "fit" else style_sd
    if not 0 <= given_sd <= MOST_ELO:
        raise UsageError(f"style_sd: expected 'fit' or a number of Elo from 0 to {MOST_ELO:.0f}, got {style_sd!r}")
    rateable = results.rateable()
    if len(rateable.names) < least:
        got = counted(len(rateable.names), "player")
        raise UsageError(f"posterior: expected at least {least} players with games, got {got}")
    parameters: Any = {"advantage": options.advantage, "draw_elo": options.draw_elo, "prior": options.prior}
    beyond = len(rateable.names) > many
    rating = rate(rateable, model=options.model, intervals="variance" if beyond else "covariance", **parameters)
    lines = lines_of(rateable.names, rating, series, growing=growing) if kind == "curve" else None
    rated = set(rateable.names)
    expected = {name: strength for name, strength in (known or {}).items() if name in rated}
    if beyond:
        if style_sd:
            raise UsageError(f"style_sd: expected 0 for more than {many:,} players, got {style_sd!r}")
        from fiedler.tournament.ratings.posterior.many.table import many_posterior  # scipy is slow to import

        with threadpool_limits(limits=1, user_api="blas"):
            return many_posterior(rateable, rating, lines, expected, options.anchor)
    with threadpool_limits(limits=1, user_api="blas"):
        likelihood = MODELS[options.model](Pairs.of(rateable))
        games = Observations.of(likelihood, rating.advantage, rating.draw_elo, rateable.names, expected)
        fit = chosen_prior(games.with_style(given_sd), lines)
        fit = with_likely_style(fit) if style_sd == "fit" else replace(fit, style_sd=given_sd)
        return _table(fit, rateable.names, rating, _assumed(fit, rating, len(expected)), options.anchor)


def _assumed(chosen: ChosenPrior, rating: Rating, expected: int) -> Assumed:
    scale, fit = rating.scale, chosen.fit
    style = (scale * chosen.style_sd, chosen.style_evidence)
    games = (rating.model, rating.advantage, rating.draw_elo, rating.fitted, expected, *style)
    if isinstance(fit, PopulationFit):
        columns = zip(fit.mixture.shares, scale * fit.mixture.means, scale * fit.mixture.sds, strict=True)
        parts = [PriorPart(float(share), float(mean), float(sd)) for share, mean, sd in columns]
        ordered = tuple(sorted(parts, key=lambda part: part.mean))
        return Assumed("population", *games, parts=ordered, weights=fit.weights)
    noise, wiener, smooth, *free = (scale * fit.deviations).tolist()
    places = {line.stem: warp for line, warp in zip(fit.lines, fit.warps, strict=True)}
    free_sd = free[0] if free else None
    return Assumed("curve", *games, noise=noise, wiener=wiener, smooth=smooth, free_sd=free_sd, places=places)


def _table(
    fit: ChosenPrior, names: tuple[str, ...], rating: Rating, assumed: Assumed, anchors: Mapping[str, float]
) -> Posterior:
    """Return the table in scaled Elo, beside `rating`, the Bayes-Elo table of the same games."""
    scale, (raw, raw_covariance) = rating.scale, fit.moments
    elo, covariance = scale * centred(raw), scale**2 * centred(raw_covariance)
    shift = np.mean([anchors[name] - elo[place] for place, name in enumerate(names) if name in anchors] or [0.0])
    order = np.argsort(-elo, kind="stable")
    lines = zip(names, elo + shift, np.sqrt(np.maximum(covariance.diagonal(), 0.0)), strict=True)
    players = [PosteriorPlayer(name, float(value), float(sd)) for name, value, sd in lines]
    if isinstance(fit.fit, CurveFit):
        players = _with_curve(players, fit.fit, scale, scale * float(raw.mean()) - float(shift))
    beside = {player.name: player.elo for player in rating.players}
    ordered = covariance[np.ix_(order, order)]
    places = {name: place for place, name in enumerate(names)}
    return Posterior(
        players=tuple(players[place] for place in order),
        assumed=assumed,
        evidence=fit.evidence,
        shrinkage=float(ordered.trace() / np.nansum(rating.covariance().diagonal())),
        slope=_slope(np.array([beside[name] for name in names]), elo),
        scale=scale,
        warnings=fit.warnings,
        covariances=ordered.copy,
        precisions=lambda some: fit.precision([places[name] for name in some]) / scale**2,
    )


def _with_curve(players: list[PosteriorPlayer], fit: CurveFit, scale: float, mean: float) -> list[PosteriorPlayer]:
    """Return the players with their curves; `mean` is the scaled Elo that is subtracted from raw values."""
    curve, covariance = fit.curve()
    deviation = scale * np.sqrt(np.maximum(centred(covariance).diagonal(), 0.0))
    on = {int(place) for line in fit.lines for place in line.players}
    return [
        replace(player, curve=float(scale * curve[place] - mean), curve_sd=float(deviation[place]))
        if place in on
        else player
        for place, player in enumerate(players)
    ]


def centred(values: Floats) -> Floats:
    """Return ratings, shape (players,), or their covariance, relative to the mean of all players."""
    for axis in range(values.ndim):
        values = values - values.mean(axis=axis, keepdims=True)
    return values


def _slope(table: Floats, elo: Floats) -> float:
    """Return the slope of the posterior ratings over the table's."""
    ahead = table - table.mean()
    return float(ahead @ elo / (ahead @ ahead)) if ahead.any() else 1.0
