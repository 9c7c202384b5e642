"""Ratings from results: the Bayes-Elo model, converged or imitating the original program, or Davidson's model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from threadpoolctl import threadpool_limits

from fiedler.support.errors import UsageError
from fiedler.tournament.elo import MOST_ELO
from fiedler.tournament.ratings import checks, existence, imitation, newton
from fiedler.tournament.ratings.anchors import Anchors
from fiedler.tournament.ratings.davidson import Davidson
from fiedler.tournament.ratings.factor import MOST
from fiedler.tournament.ratings.intervals import CONFIDENCE, Kind, Uncertainty
from fiedler.tournament.ratings.likelihood import Likelihood, Point
from fiedler.tournament.ratings.origin import Origin
from fiedler.tournament.ratings.pairs import Floats, Integers, Pairs
from fiedler.tournament.ratings.rao_kupper import RaoKupper
from fiedler.tournament.ratings.results import Results
from fiedler.tournament.ratings.some_of_many import SomeOfMany

DEFAULT_ADVANTAGE = 32.8
"""Raw Elo that the first player of a game gains, the default of Bayes-Elo."""
DEFAULT_DRAW_ELO = 97.3
"""Draw parameter in raw Elo, the default of Bayes-Elo."""
DEFAULT_PRIOR = 2.0
"""Virtual draws per player, the default of Bayes-Elo."""
SHORT_OF_MAXIMUM = 1.0
"""Distance of the imitated iteration from the maximum in Elo above which a warning is given."""

MODELS: dict[str, type[Likelihood]] = {"bayeselo": RaoKupper, "davidson": Davidson}
"""The models by name."""

Parameter = float | Literal["fit"]
"""A value in raw Elo, or `fit`: it is then estimated together with the ratings."""


@dataclass(frozen=True, slots=True)
class PlayerRating:
    """One line of a ranking. Ratings and intervals are scaled Elo; nan is an unknown number."""

    name: str
    elo: float
    """Scaled Elo; the mean over all players with games is 0, unless a rating is anchored; nan without games."""
    plus: float
    """Length of the interval (95 % by default) above `elo`."""
    minus: float
    """Length of the interval below `elo`."""
    games: int
    score: float
    """Points per game, 0 to 1."""
    opponents: float
    """Mean elo of the opponents, weighted by games."""
    draws: float
    """Drawn games, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A ranking: players by falling elo, those without games last, the parameters, and warnings about the numbers."""

    players: tuple[PlayerRating, ...]
    advantage: float
    """Raw Elo that the first player of a game gains."""
    draw_elo: float
    """Raw Elo; the larger, the more draws."""
    scale: float
    """Scaled Elo per raw Elo."""
    log_likelihood: float
    """Natural logarithm, virtual draws included."""
    warnings: tuple[str, ...]
    superiority: Callable[[], Floats] = field(repr=False, compare=False)
    """Computes the result of `los`."""
    covariances: Callable[[], Floats] = field(repr=False, compare=False)
    """Computes the result of `covariance`."""
    model: str = "bayeselo"
    """`bayeselo` or `davidson`."""
    confidence: float = CONFIDENCE
    """The probability of the intervals."""
    fitted: tuple[str, ...] = ()
    """The names of the parameters that were estimated with the ratings: `advantage`, `draw_elo`."""
    anchors: Mapping[str, float] = field(default_factory=dict)
    """The given scaled Elo by player."""
    many: SomeOfMany | None = field(default=None, repr=False, compare=False)
    """The covariances of some players at a time; None for at most 2,000, who need no such care."""

    def los(self) -> Floats:
        """Return the likelihood of superiority, P(row stronger than column).

        Returns
        -------
        ndarray of float64, shape (N, N)
            0 to 1, in the order of `players`; nan on the diagonal and between players whom no chain of games connects.

        Examples
        --------
        >>> from fiedler.tournament.ratings import Results, rate
        >>> rate(Results(("Ann", "Bob"), ((0, 1, 6, 3, 1), (1, 0, 4, 2, 4)))).los().round(2).tolist()
        [[nan, 0.88], [0.12, nan]]

        """
        with threadpool_limits(limits=1, user_api="blas"):
            return self.superiority()

    def covariance(self) -> Floats:
        """Return the covariances of the ratings.

        They are relative to the held anchors, or to the mean of all players (of the group if groups never met).

        Returns
        -------
        ndarray of float64, shape (N, N)
            In scaled Elo squared, in the order of `players`; nan between groups and for players without games.

        Examples
        --------
        >>> from fiedler.tournament.ratings import Results, rate
        >>> rate(Results(("Ann", "Bob"), ((0, 1, 6, 3, 1), (1, 0, 4, 2, 4)))).covariance().round().tolist()
        [[984.0, -984.0], [-984.0, 984.0]]

        """
        with threadpool_limits(limits=1, user_api="blas"):
            return self.covariances()

    def difference_errors(self) -> Floats:
        """Return the standard errors of the differences of two ratings, from the full covariance.

        Returns
        -------
        ndarray of float64, shape (N, N)
            In scaled Elo, in the order of `players`; nan between players whom no chain of games connects.

        Examples
        --------
        >>> from fiedler.tournament.ratings import Results, rate
        >>> rate(Results(("Ann", "Bob"), ((0, 1, 6, 3, 1), (1, 0, 4, 2, 4)))).difference_errors().round(1).tolist()
        [[0.0, 62.7], [62.7, 0.0]]

        """
        covariance = self.covariance()
        own = np.diag(covariance)
        return np.asarray(np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0.0)), dtype=np.float64)

    def errors_to(self, place: int) -> Floats:
        """Return a row of `difference_errors`, shape (N,), also of very many players."""
        if self.many is None:
            return np.asarray(self.difference_errors()[place], dtype=np.float64)
        with threadpool_limits(limits=1, user_api="blas"):
            return self.many.difference_errors(place)


def rate(
    results: Results,
    *,
    model: str = "bayeselo",
    advantage: Parameter = DEFAULT_ADVANTAGE,
    draw_elo: Parameter = DEFAULT_DRAW_ELO,
    prior: float = DEFAULT_PRIOR,
    intervals: Kind = "covariance",
    imitate: bool = False,
    anchors: Mapping[str, float] | None = None,
    confidence: float = CONFIDENCE,
) -> Rating:
    """Rate the players of a tournament.

    The result is the maximum of the likelihood. Parameters without a maximum are held at their defaults. Groups of
    players that never met are each centred at 0.

    Parameters
    ----------
    results : Results
        All games.
    model : {"bayeselo", "davidson"}
        The model of draws.
    advantage : float or "fit"
        Raw Elo that the first player of a game gains; `fit` estimates it.
    draw_elo : float or "fit"
        Draw parameter in raw Elo, above 0; `fit` estimates it.
    prior : float
        Virtual draws per player, at least 0; each player distributes half of them to its opponents.
    intervals : {"covariance", "variance", "exact"}
        The kind of the intervals; more than 10,000 players have `variance` in place of `covariance`, with a warning.
    imitate : bool
        Repeat the early-stopping iteration of the original program, which gives its printed table.
    anchors : mapping from str to float, optional
        Given scaled Elo by player. One shifts all ratings, several are held in the fit.
    confidence : float
        The probability of the intervals, between 0 and 1.

    Returns
    -------
    Rating

    Raises
    ------
    UsageError
        A parameter is out of range, or an anchor has no games.

    Examples
    --------
    >>> from fiedler.tournament.ratings import Results, rate
    >>> rating = rate(Results(("Ann", "Bob"), ((0, 1, 6, 3, 1), (1, 0, 4, 2, 4))))
    >>> [(player.name, round(player.elo), round(player.plus)) for player in rating.players]
    [('Ann', 38, 61), ('Bob', -38, 61)]

    """
    check_parameters(advantage, draw_elo, prior, intervals, model)
    rateable = results.rateable()
    fixed = Anchors.of(anchors or {}, rateable)
    fixed.check(intervals, imitate=imitate, model=model)
    real = Pairs.of(rateable)
    if not rateable.names:
        return _unrated(results, model, _given(advantage), _given(draw_elo))
    options = _Options(MODELS[model], prior, _given(advantage), _given(draw_elo), fixed)
    with threadpool_limits(limits=1, user_api="blas"):  # more threads gain little and delay running games
        found = _imitated(real, options) if imitate else _converged(real, options)
        uncertainty = Uncertainty(found.likelihood, found.point, found.origin, original=imitate)
        kind, too_many = _affordable(intervals, len(rateable.names))
        values, likelihood = _measured(uncertainty, kind, confidence)
    factor = MODELS[model].scale(found.point.draw_elo)
    values *= factor
    values[0] += fixed.shift(values[0])
    players = player_ratings(results, values)
    return Rating(
        players=players,
        advantage=found.point.advantage,
        draw_elo=found.point.draw_elo,
        scale=factor,
        log_likelihood=likelihood,
        warnings=checks.warnings_about(results, rateable, real, found.origin.groups) + found.warnings + too_many,
        superiority=lambda: in_order(rateable, players, uncertainty.los()),
        covariances=lambda: in_order(rateable, players, factor**2 * uncertainty.known_covariance()),
        model=model,
        confidence=confidence,
        fitted=fitted(advantage, draw_elo),
        anchors=dict(anchors or {}),
        many=SomeOfMany(uncertainty, factor, _numbers(rateable, players)) if uncertainty.is_many else None,
    )


def check_parameters(
    advantage: Parameter, draw_elo: Parameter, prior: float, intervals: str, model: str = "bayeselo"
) -> None:
    """Check the parameters of a rating.

    Raises:
        UsageError: one is out of range. The message names the parameter and the expected values.
    """
    if model not in MODELS:
        raise UsageError(f"model: expected {' or '.join(MODELS)}, got {model!r}")
    if advantage != "fit" and not (_is_number(advantage) and abs(float(advantage)) <= MOST_ELO):
        raise UsageError(
            f"advantage: expected 'fit' or a number of Elo from -{MOST_ELO:.0f} to {MOST_ELO:.0f}, got {advantage!r}"
        )
    if draw_elo != "fit" and not (_is_number(draw_elo) and 0 < float(draw_elo) <= MOST_ELO):
        raise UsageError(
            f"draw_elo: expected 'fit' or a number of Elo above 0 (0.01 if no game can be drawn), at most "
            f"{MOST_ELO:.0f}, got {draw_elo!r}"
        )
    if not (_is_number(prior) and prior >= 0):
        raise UsageError(f"prior: expected a number of virtual draws, 0 or more, got {prior!r}")
    if intervals not in get_args(Kind):
        raise UsageError(f"intervals: expected {', '.join(get_args(Kind))}, got {intervals!r}")


def player_ratings(results: Results, values: Floats) -> tuple[PlayerRating, ...]:
    """Return the lines of a ranking by falling elo; players without games have no elo and come last.

    `values`, shape (3, players), are elo, plus and minus in scaled Elo, in the order of `results.rateable()`.
    """
    rateable = results.rateable()
    pairs = Pairs.of(rateable)
    points, games = checks.scores(pairs)
    elo, plus, minus = values
    count, draws = pairs.games(), pairs.counts[[1, 4]].sum(axis=0)
    opponents = pairs.per_player(count * elo[pairs.high], count * elo[pairs.low]) / games
    share = pairs.per_player(draws, draws) / games
    columns = np.stack([elo, plus, minus, points / games, opponents, share]).T.tolist()
    lines = [
        PlayerRating(name, line[0], line[1], line[2], int(played), line[3], line[4], line[5])
        for name, line, played in zip(rateable.names, columns, games, strict=True)
    ]
    rated = set(rateable.names)
    idle = [name for name in results.names if name not in rated]
    lines += [PlayerRating(name, math.nan, math.nan, math.nan, 0, math.nan, math.nan, math.nan) for name in idle]
    return tuple(sorted(lines, key=lambda line: math.inf if math.isnan(line.elo) else -line.elo))


def in_order(rateable: Results, players: tuple[PlayerRating, ...], matrix: Floats) -> Floats:
    """Return a matrix over the players of `rateable` in the order of `players`; nan for players without games."""
    size = len(rateable.names)
    padded = np.full((size + 1, size + 1), np.nan)
    padded[:size, :size] = matrix
    order = _numbers(rateable, players)
    return padded[np.ix_(order, order)]


def _numbers(rateable: Results, players: tuple[PlayerRating, ...]) -> Integers:
    """Return the number of each player in `rateable`, shape (players,); -1 for players without games."""
    number = {name: place for place, name in enumerate(rateable.names)}
    return np.array([number.get(player.name, -1) for player in players], dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _Options:
    model: type[Likelihood]
    prior: float
    advantage: float | None
    """None: estimated."""
    draw_elo: float | None
    """None: estimated."""
    anchors: Anchors


@dataclass(frozen=True, slots=True, eq=False)
class _Solution:
    likelihood: Likelihood
    """Of the games and the virtual draws."""
    origin: Origin
    point: Point
    warnings: tuple[str, ...]


def _converged(real: Pairs, options: _Options) -> _Solution:
    defaults = (DEFAULT_ADVANTAGE, DEFAULT_DRAW_ELO)
    problem = existence.with_maximum(real, options.prior, options.advantage, options.draw_elo, defaults)
    likelihood = options.model(problem.pairs)
    start = Point(
        np.zeros(real.size),
        DEFAULT_ADVANTAGE if problem.advantage is None else problem.advantage,
        DEFAULT_DRAW_ELO if problem.draw_elo is None else problem.draw_elo,
    )
    fit_advantage, fit_draw_elo = problem.advantage is None, problem.draw_elo is None
    found = newton.maximise(likelihood, start, fit_advantage=fit_advantage, fit_draw_elo=fit_draw_elo)
    warnings = problem.warnings
    origin = Origin.of(real)
    if options.anchors.held.size:
        free = found.point
        found, origin = options.anchors.held_maximum(
            likelihood, free, fit_advantage=fit_advantage, fit_draw_elo=fit_draw_elo
        )
        warnings += options.anchors.contradiction(likelihood, free, found.point)
    slow = () if found.converged else ("the search for the most likely ratings did not converge",)
    return _Solution(likelihood, origin, found.point, warnings + slow)


def _imitated(real: Pairs, options: _Options) -> _Solution:
    pairs = real.with_original_prior(options.prior)
    found = imitation.walk(pairs, options.advantage, options.draw_elo)
    if found.hit_limit:
        warnings = [f"the imitated iteration stopped after {found.iterations} rounds: its values are not the maximum"]
    else:
        warnings = _stopped_short(real, options, found.point)
    return _Solution(RaoKupper(pairs), Origin.of(real), found.point, tuple(warnings))


def _stopped_short(real: Pairs, options: _Options, found: Point) -> list[str]:
    """Return a warning if the original's iteration stopped far from the maximum."""
    held = (found.advantage, found.draw_elo)
    problem = existence.with_maximum(real, options.prior, options.advantage, options.draw_elo, held)
    if problem.warnings or not np.isfinite(found.elo).all():
        return []
    fit_advantage, fit_draw_elo = (value is None for value in (options.advantage, options.draw_elo))
    likelihood = RaoKupper(problem.pairs)
    maximum = newton.maximise(likelihood, found, fit_advantage=fit_advantage, fit_draw_elo=fit_draw_elo).point
    distance = float(np.abs(Origin.of(real).centred(found.elo) - maximum.elo).max()) * RaoKupper.scale(found.draw_elo)
    if distance <= SHORT_OF_MAXIMUM:
        return []
    return [f"the imitated iteration stopped early: some ratings are {distance:.1f} Elo off"]


def _measured(uncertainty: Uncertainty, intervals: Kind, confidence: float) -> tuple[Floats, float]:
    """Return raw elo, plus and minus, shape (3, players), and the logarithm of the likelihood."""
    with np.errstate(all="ignore"):  # without a maximum the numbers are nan or infinite
        minus, plus = uncertainty.interval(intervals, confidence)
        values = np.stack([uncertainty.point.elo, plus, minus])
        return values, uncertainty.likelihood.value(uncertainty.point)


def _affordable(intervals: Kind, players: int) -> tuple[Kind, tuple[str, ...]]:
    """Return the kind of the intervals for a number of players, with a warning if it is another one."""
    if intervals != "covariance" or players <= MOST:
        return intervals, ()
    return "variance", (f"more than {MOST:,} players: the intervals are those of 'variance'",)


def _unrated(results: Results, model: str, advantage: float | None, draw_elo: float | None) -> Rating:
    held = DEFAULT_DRAW_ELO if draw_elo is None else draw_elo
    players = player_ratings(results, np.zeros((3, 0)))
    rateable = results.rateable()
    unknown = np.full((len(players), len(players)), np.nan)
    return Rating(
        players=players,
        advantage=DEFAULT_ADVANTAGE if advantage is None else advantage,
        draw_elo=held,
        scale=MODELS[model].scale(held),
        log_likelihood=0.0,
        warnings=checks.warnings_about(results, rateable, Pairs.of(rateable)),
        superiority=lambda: unknown,
        covariances=lambda: unknown,
        model=model,
    )


def fitted(advantage: Parameter, draw_elo: Parameter) -> tuple[str, ...]:
    """Return the names of the estimated parameters."""
    return tuple(name for name, value in (("advantage", advantage), ("draw_elo", draw_elo)) if value == "fit")


def _given(parameter: Parameter) -> float | None:
    return None if parameter == "fit" else float(parameter)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
