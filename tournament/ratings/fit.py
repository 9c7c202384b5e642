"""The goodness of fit: predicted against actual scores and draws, and other models on the same games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tournament.ratings.frame import Frame, inverse
from tournament.ratings.meetings import DRAWN, SCORE, Meetings
from tournament.ratings.model import DEFAULT_PRIOR, MODELS, Rating, rate
from tournament.ratings.pairs import Floats, Integers, connected
from tournament.ratings.results import Results

BINS = 10
PARAMETERS = ("advantage", "draw_elo")
ENOUGH = 4.0  # the variance of the points in a bin, below which it is put together with the next
NEGLIGIBLE = 1e-6  # eigenvalues below it, relative to the bins' own variances, count as 0


@dataclass(frozen=True, slots=True)
class Bin:
    """Games whose prediction lies in one range."""

    low: float
    high: float
    games: int
    predicted: float
    """The mean prediction, 0 to 1."""
    actual: float
    """What came of them, 0 to 1."""
    error: float
    """Standard error of the difference, if the model is right; the ratings have been fitted to the same games."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A table of predicted against actual, and the chance of one that differs by more."""

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
    """What there is to say about the fit of a rating."""

    log_likelihood: float
    """Of the real games, at the parameters used."""
    scores: Calibration
    """By the expected score of the first player."""
    draws: Calibration
    """By the expected share of draws."""
    models: tuple[ModelFit, ...]
    """Each with advantage and draw parameter fitted."""


def fit(rating: Rating, results: Results, prior: float = DEFAULT_PRIOR) -> Fit:
    """Hold a rating against the results that it was made from; `prior` is for the other models."""
    meetings = Meetings.of(rating, results)
    taken = Taken(meetings, rating.fitted)
    return Fit(
        meetings.log_likelihood(),
        calibration(taken, SCORE),
        calibration(taken, DRAWN),
        tuple(_model_fit(model, results, prior) for model in MODELS),
    )


def _model_fit(model: str, results: Results, prior: float) -> ModelFit:
    rating = rate(results, model=model, advantage="fit", draw_elo="fit", prior=prior, intervals="variance")
    return ModelFit(model, rating.advantage, rating.draw_elo, Meetings.of(rating, results).log_likelihood())


def calibration(taken: Taken, worth: Floats) -> Calibration:
    """Compare what games are worth with what was expected, in bins of the expectation.

    As the parameters follow the results, the differences are smaller than chance would make them: their covariance
    is A - G C G', that of the games less what the parameters take up, where G is how the expectations change with the
    parameters and C the covariance of those. The chi-square is in that measure, after a step C u along the slopes u of
    the real games' likelihood: what the virtual draws have pulled is no fault of the model.
    """
    meetings = taken.meetings
    expected, games = meetings.expected(worth), meetings.games()
    spread = games * meetings.variance(worth)
    bins = _bins(expected, spread)
    size = int(bins.max(initial=-1)) + 1
    counted, predicted, actual = (
        np.bincount(bins, values, size).astype(np.float64)
        for values in (games, games * expected, worth @ meetings.counts)
    )
    by_parameter = taken.by_parameter(bins, size, worth)
    own = np.diag(np.bincount(bins, spread, size).astype(np.float64))
    left = own - by_parameter @ taken.covariance @ by_parameter.T
    excess = actual - predicted - by_parameter @ taken.covariance @ taken.slopes
    error = np.sqrt(np.maximum(left.diagonal(), 0.0))
    rows = [
        Bin(*_range(expected[bins == number]), int(n), float(p / n), float(a / n), float(e / n))
        for number, (n, p, a, e) in enumerate(zip(counted, predicted, actual, error, strict=True))
    ]
    return Calibration(tuple(rows), *_chi_square(excess, left, own))


class Taken:
    """What the estimated parameters (the ratings, then those of `fitted`) take up of the results.

    `slopes` are those of the real games' log-likelihood, which only virtual draws keep from being 0; `covariance` is
    that of the parameters by the real games alone.
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
        """Return how the expected worth of the games of each bin changes with each parameter."""
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
        groups = connected(self.players, first, second)
        return Frame(groups, np.ones(self.players, dtype=bool), np.zeros(0, dtype=np.int64)).grounded(laplacian)


def _range(values: Floats) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _bins(expected: Floats, spread: Floats) -> Integers:
    """Number the bins of equal width, those with too few games put together with the next, from 0."""
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
    """Return the squared length of `excess` in the measure of its covariance, the degrees of freedom and the chance."""
    from scipy.special import chdtrc

    unit = np.sqrt(np.maximum(own.diagonal(), 1e-300))
    values, vectors = np.linalg.eigh(covariance / unit[:, None] / unit)
    real = values > NEGLIGIBLE
    along = vectors[:, real].T @ (excess / unit)
    chi_square, degrees = float((along**2 / values[real]).sum()), int(real.sum())
    return chi_square, degrees, float(chdtrc(degrees, chi_square)) if degrees else float("nan")
