"""The curve prior: its covariances and slopes, against smoothing splines, and the recognition of a curve."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.interpolate import make_smoothing_spline

from fiedler.tournament.ratings import Results
from fiedler.tournament.ratings.posterior.curve import SMALL_CHANGE, START, CurveFit, curve_fit, minus_evidence
from fiedler.tournament.ratings.posterior.kernel import Kernel, OrderedPlayers
from fiedler.tournament.ratings.posterior.laplace import laplace
from fiedler.tournament.ratings.posterior.normal import normal_fit
from tests.tournament.ratings.posterior_cases import nothing_played, observed, played

EVEN: Any = "linear"


def line(size: int, first: int = 0) -> OrderedPlayers:
    return OrderedPlayers("net-", np.arange(first, first + size), np.linspace(10, 10 * size, size))


def rise(size: int) -> Any:
    return 800 * (1 - np.exp(-np.arange(size) / size / 0.2))


def test_the_covariances_are_those_of_the_processes() -> None:
    kernel = Kernel.of(7, [line(5)], [EVEN])
    _, wiener, smooth, free = kernel.parts
    steps = np.linspace(0, 1, 4001)
    for one, place in enumerate(np.linspace(0, 1, 5)):
        for other, second in enumerate(np.linspace(0, 1, 5)):
            ramps = np.maximum(place - steps, 0) * np.maximum(second - steps, 0)
            assert wiener[one, other] == min(place, second)
            assert smooth[one, other] == pytest.approx(trapezoid(ramps, steps), abs=1e-6)
    assert np.diag(free).tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert kernel.covariance(np.array([2.0, 3.0, 4.0, 5.0]))[4, 4] == pytest.approx(
        1000**2 + 3000**2 / 4 + 4 + 9 + 16 / 3
    )
    assert kernel.covariance(np.ones(4))[0, 6] == 0, "levels of a series and of free players are independent"


def test_logarithmic_places_stretch_the_beginning() -> None:
    places = line(11).places("logarithmic")
    assert places[[0, -1]] == pytest.approx([0, 1])
    assert (np.diff(np.diff(places)) < 0).all()


def test_the_curve_of_exact_strengths_is_the_smoothing_spline() -> None:
    size, sd, smooth = 25, 8.0, 400.0
    numbers = np.linspace(0, 1, size)
    elo = 60 * np.sin(4 * numbers) + np.random.default_rng(2).normal(0, sd, size)
    strengths = nothing_played(size, {f"net-{place:03d}": (value, sd) for place, value in enumerate(elo.tolist())})
    kernel = Kernel.of(size, [line(size)], [EVEN])
    deviations = np.array([0.0, 0.0, smooth])
    posterior = laplace(strengths, kernel.covariance(deviations))
    fit = CurveFit((line(size),), (EVEN,), deviations, posterior, kernel, 0.0)
    spline = make_smoothing_spline(numbers, elo, lam=(sd / smooth) ** 2)(numbers)
    assert posterior.at.point - posterior.at.point.mean() == pytest.approx(spline - spline.mean(), abs=0.05)
    curve, covariance = fit.curve()
    assert curve == pytest.approx(posterior.at.point), "without noise, a player is on its curve"
    assert covariance == pytest.approx(posterior.covariance, rel=1e-4, abs=1e-2)


def test_the_curve_is_smoother_and_better_known_than_its_players() -> None:
    strengths = nothing_played(30, {f"net-{place:03d}": (40.0 * (place % 2), 10.0) for place in range(30)})
    kernel = Kernel.of(30, [line(30)], [EVEN])
    deviations = np.array([20.0, 1.0, 50.0])
    fit = CurveFit((line(30),), (EVEN,), deviations, laplace(strengths, kernel.covariance(deviations)), kernel, 0.0)
    curve, covariance = fit.curve()
    assert np.ptp(curve) < 0.2 * np.ptp(fit.posterior.at.point)
    away = np.eye(30) - 1 / 30
    assert (away @ covariance @ away).trace() < 0.5 * (away @ fit.posterior.covariance @ away).trace()


def test_the_slopes_of_the_evidence() -> None:
    games = observed(played(np.append(rise(12), [300.0, 350.0]), 4, seed=4))
    kernel = Kernel.of(14, [line(12)], ["logarithmic"])
    at = laplace(games, kernel.covariance(np.array([20.0, 100.0, 1000.0, 100.0]))).at
    logs = np.log([30.0, 150.0, 700.0, 60.0])
    _, slopes = minus_evidence(logs, kernel, at)
    for place, step in enumerate(1e-4 * np.eye(4)):
        ends = [minus_evidence(logs + side * step, kernel, at)[0] for side in (1, -1)]
        assert slopes[place] == pytest.approx((ends[0] - ends[1]) / 2e-4, rel=1e-4, abs=1e-5)


@pytest.mark.slow
def test_evidence_separates_a_curve_from_none() -> None:
    random = np.random.default_rng(7)
    truth = rise(40) + random.normal(0, 15, 40)
    gains = []
    for elo in (truth, random.permutation(truth)):
        games = observed(played(elo, 1, seed=9))
        fit = curve_fit(games, [line(40)])
        gains.append(fit.evidence - normal_fit(games).evidence)
        assert fit.change < 0.02
    assert gains[0] > 40
    assert gains[1] < 1


@pytest.mark.slow
def test_free_players_have_a_distribution_of_their_own() -> None:
    random = np.random.default_rng(11)
    truth = np.concatenate([rise(30) + random.normal(0, 10, 30), 400 + random.normal(0, 200, 10)])
    fit = curve_fit(observed(played(truth, 2, seed=12)), [line(30)])
    noise, *_, free = fit.deviations
    assert 120 < free < 330
    assert noise < 40
    error = fit.posterior.at.point - fit.posterior.at.point.mean() - truth + truth.mean()
    assert np.mean(np.abs(error) < 1.96 * np.sqrt(fit.posterior.covariance.diagonal())) >= 0.9


@pytest.mark.slow
def test_each_series_has_its_own_places() -> None:
    bent, even = 1000 * line(25).places("logarithmic"), 900 * np.linspace(0, 1, 25)
    fit = curve_fit(observed(played(np.concatenate([bent, even]), 6, seed=13)), [line(25), line(25, 25)])
    assert fit.warps == ("logarithmic", "linear")


def test_one_player_who_wins_all_games_is_no_trouble() -> None:
    names = tuple(f"net-{number:03d}" for number in range(20))
    of_others, won, lost = (400, 200, 400), (1000, 0, 0), (0, 0, 1000)
    pairs = [(i, j) for i in range(20) for j in range(20) if i != j]
    rows = tuple((i, j, *(won if i == 0 else lost if j == 0 else of_others)) for i, j in pairs)
    games = observed(Results(names, rows))
    found = curve_fit(games, [line(20)])
    assert found.posterior.unfinished == 0
    assert found.change < SMALL_CHANGE
    again = laplace(games, found.kernel.covariance(np.array(START[:3])), found.posterior.dual)
    afresh = laplace(games, found.kernel.covariance(np.array(START[:3])))
    assert again.at.point == pytest.approx(afresh.at.point, abs=0.01), "the start does not matter"
