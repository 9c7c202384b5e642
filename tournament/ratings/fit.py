"""The goodness of fit: predicted against actual scores and draws, and other models on the same games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fiedler.tournament.ratings.meetings import DRAWN, SCORE, Meetings
from fiedler.tournament.ratings.model import DEFAULT_PRIOR, MODELS, Rating, rate
from fiedler.tournament.ratings.origin import Origin, inverse
from fiedler.tournament.ratings.pairs import Floats, Integers, group_labels
from fiedler.tournament.ratings.results import Results
from fiedler.tournament.ratings.tails import chi_squared_tail

BINS = 10
"""Bins of equal width before small ones are merged."""
PARAMETERS = ("advantage", "draw_elo")
"""The parameters after the ratings, in this order."""
ENOUGH = 4.0
"""Least variance of the points in a bin; a smaller bin is merged with the next."""
NEGLIGIBLE = 1e-6
"""Eigenvalue, relative to the variances of the bins, below which it counts as 0."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Games with predictions in one range."""

    low: float
    high: float
    games: int
    predicted: float
    """The mean prediction, 0 to 1."""
    actual: float
    """The mean result, 0 to 1."""
    error: float
    """Standard error of the difference for a true model with ratings fitted to the same games."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Predicted against actual results, and the chi-square test of their differences."""

    bins: tuple[Bin, ...]
    chi_square: float
    degrees: int
    p_value: float
    """nan without degrees of freedom."""


@dataclass(frozen=True, slots=True)
class ModelFit:
    """The most likely parameters of a model, and the natural logarithm of the likelihood of the real games."""

    model: str
    advantage: float
    draw_elo: float
    log_likelihood: float


@dataclass(frozen=True, slots=True)
class Fit:
    """The fit of a rating to its results."""

    log_likelihood: float
    """Of the real games, at the parameters of the rating."""
    scores: Calibration
    """By the expected score of the first player."""
    draws: Calibration
    """By the expected share of draws."""
    models: tuple[ModelFit, ...]
    """Each with advantage and draw parameter fitted."""


def fit(rating: Rating, results: Results, prior: float = DEFAULT_PRIOR) -> Fit:
    """Compare a rating with its results; `prior` is the prior of the other models."""
    meetings = Meetings.of(rating, results)
    estimated = Estimated(meetings, rating.fitted)
    return Fit(
        meetings.log_likelihood(),
        calibration(estimated, SCORE),
        calibration(estimated, DRAWN),
        tuple(_model_fit(model, results, prior) for model in MODELS),
    )


def _model_fit(model: str, results: Results, prior: float) -> ModelFit:
    rating = rate(results, model=model, advantage="fit", draw_elo="fit", prior=prior, intervals="variance")
    return ModelFit(model, rating.advantage, rating.draw_elo, Meetings.of(rating, results).log_likelihood())


def calibration(estimated: Estimated, worth: Floats) -> Calibration:
    """Compare actual and expected results in bins of the expectation; `worth` (3,) are the values of the results.

    The parameters are fitted to the results, so the differences are smaller than chance alone would make them. Their
    covariance is A - G C G', where A is that of the games, G the derivative of the expectations by the parameters and C
    the covariance of the parameters. The chi-square uses this covariance, after a step C u along the gradient u of the
    real games' likelihood, which removes the effect of the virtual draws.
    """
    meetings = estimated.meetings
    expected, games = meetings.expected(worth), meetings.games()
    spread = games * meetings.variance(worth)
    bins = _bins(expected, spread)
    size = int(bins.max(initial=-1)) + 1
    counted, predicted, actual = (
        np.bincount(bins, values, size).astype(np.float64)
        for values in (games, games * expected, worth @ meetings.counts)
    )
    by_parameter = estimated.by_parameter(bins, size, worth)
    own = np.diag(np.bincount(bins, spread, size).astype(np.float64))
    left = own - by_parameter @ estimated.covariance @ by_parameter.T
    excess = actual - predicted - by_parameter @ estimated.covariance @ estimated.slopes
    error = np.sqrt(np.maximum(left.diagonal(), 0.0))
    rows = [
        Bin(*_range(expected[bins == number]), int(n), float(p / n), float(a / n), float(e / n))
        for number, (n, p, a, e) in enumerate(zip(counted, predicted, actual, error, strict=True))
    ]
    return Calibration(tuple(rows), *_chi_square(excess, left, own))


class Estimated:
    """The estimated parameters: the ratings, then those of `fitted`.

    `slopes` is the gradient of the real games' log-likelihood, which is 0 but for the virtual draws; `covariance` is
    that of the parameters from the real games alone.
    """

    def __init__(self, meetings: Meetings, fitted: tuple[str, ...]) -> None:
        self.meetings = meetings
        self.players = len(meetings.names)
        self.columns = [*range(self.players), *(self.players + PARAMETERS.index(name) for name in fitted)]
        games, probabilities, slopes = meetings.games(), meetings.probabilities, meetings.slopes
        weight = games * meetings.information()
        across = games * (probabilities * slopes * meetings.draw_slopes).sum(axis=0)
        of_draws = games * (probabilities * meetings.draw_slopes**2).sum(axis=0)
        information = np.zeros((self.players + 2, self.players + 2))
        information[:-2, :-2] = self._grounded(weight)
        information[:-2, -2] = information[-2, :-2] = self._per_player(weight)
        information[:-2, -1] = information[-1, :-2] = self._per_player(across)
        information[-2:, -2:] = [[weight.sum(), across.sum()], [across.sum(), of_draws.sum()]]
        self.covariance = inverse(information[np.ix_(self.columns, self.columns)])
        push = meetings.push()
        by_draws = float((meetings.counts * meetings.draw_slopes).sum())
        self.slopes = np.concatenate([self._per_player(push), [push.sum(), by_draws]])[self.columns]

    def by_parameter(self, bins: Integers, size: int, worth: Floats) -> Floats:
        """Return the derivative of the expected worth of each bin by each parameter, shape (bins, parameters)."""
        meetings = self.meetings
        bend = meetings.games() * (worth @ (meetings.probabilities * meetings.slopes))
        with_draws = meetings.games() * (worth @ (meetings.probabilities * meetings.draw_slopes))
        table = np.zeros((size, self.players + 2))
        np.add.at(table, (bins, meetings.first), bend)
        np.add.at(table, (bins, meetings.second), -bend)
        table[:, -2] = np.bincount(bins, bend, size)
        table[:, -1] = np.bincount(bins, with_draws, size)
        return table[:, self.columns]

    def _per_player(self, values: Floats) -> Floats:
        ahead = np.bincount(self.meetings.first, values, self.players)
        return np.asarray(ahead - np.bincount(self.meetings.second, values, self.players), dtype=np.float64)

    def _grounded(self, weight: Floats) -> Floats:
        laplacian = np.zeros((self.players, self.players))
        first, second = self.meetings.first, self.meetings.second
        for i, j, sign in ((first, first, 1), (second, second, 1), (first, second, -1), (second, first, -1)):
            np.add.at(laplacian, (i, j), sign * weight)
        groups = group_labels(self.players, first, second)
        return Origin(groups, np.ones(self.players, dtype=bool), np.zeros(0, dtype=np.int64)).grounded(laplacian)


def _range(values: Floats) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _bins(expected: Floats, spread: Floats) -> Integers:
    """Return the bin of each row, from 0; bins of equal width with too few games are merged with the next."""
    wide = np.minimum((expected * BINS).astype(np.int64), BINS - 1)
    content = np.bincount(wide, spread, BINS)
    number, filled = np.zeros(BINS, dtype=np.int64), 0.0
    current = 0
    for place in range(BINS):
        number[place] = current
        filled += content[place]
        if filled >= ENOUGH and content[place + 1 :].sum() >= ENOUGH:
            current, filled = current + 1, 0.0
    return np.asarray(number[wide], dtype=np.int64)


def _chi_square(excess: Floats, covariance: Floats, own: Floats) -> tuple[float, int, float]:
    """Return chi-square of `excess` with its covariance, the degrees of freedom and the p-value."""
    unit = np.sqrt(np.maximum(own.diagonal(), 1e-300))
    values, vectors = np.linalg.eigh(covariance / unit[:, None] / unit)
    real = values > NEGLIGIBLE
    along = vectors[:, real].T @ (excess / unit)
    chi_square, degrees = float((along**2 / values[real]).sum()), int(real.sum())
    return chi_square, degrees, chi_squared_tail(degrees, chi_square) if degrees else float("nan")
