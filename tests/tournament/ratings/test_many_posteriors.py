"""Posteriors of many players: every sparse part beside the dense one of the same games."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fiedler.support.errors import UsageError
from fiedler.tournament.ratings import Results, rate
from fiedler.tournament.ratings.pairs import Pairs
from fiedler.tournament.ratings.posterior import posterior
from fiedler.tournament.ratings.posterior.curve import curve_fit
from fiedler.tournament.ratings.posterior.kernel import Kernel, OrderedPlayers
from fiedler.tournament.ratings.posterior.laplace import laplace
from fiedler.tournament.ratings.posterior.many.climb import Separate, climb
from fiedler.tournament.ratings.posterior.many.curve import many_curve_fit
from fiedler.tournament.ratings.posterior.many.determinant import log_determinant
from fiedler.tournament.ratings.posterior.many.games import ManyGames, RandomNormals
from fiedler.tournament.ratings.posterior.many.normal import many_normal_fit
from fiedler.tournament.ratings.posterior.many.population import many_population_fit
from fiedler.tournament.ratings.posterior.many.state_space import CurveNormals, CurvePrior, CurveSpace, CurveSplit
from fiedler.tournament.ratings.posterior.many.variances import drawn_variances
from fiedler.tournament.ratings.posterior.normal import normal_fit
from fiedler.tournament.ratings.posterior.population import population_fit
from fiedler.tournament.ratings.rao_kupper import RaoKupper
from fiedler.tournament.schedule.schedule import RatingSection
from tests.tournament.ratings.posterior_cases import ADVANTAGE, DRAW_ELO, near_pairs, observed, played

SECTION = RatingSection(advantage=ADVANTAGE, draw_elo=DRAW_ELO, prior=0.2)
DEVIATIONS = np.array([15.0, 80.0, 600.0, 120.0])
LINES = [
    OrderedPlayers("a-", np.arange(2, 14), np.array([1.0, 2, 3, 5, 8, 9, 12, 20, 21, 22, 30, 31])),
    OrderedPlayers("b-", np.arange(16, 25), np.linspace(0.0, 80.0, 9)),
]
WARPS: Any = ["linear", "logarithmic"]


def many(results: Results, known: Any = None) -> ManyGames:
    return ManyGames(RaoKupper(Pairs.of(results)), ADVANTAGE, DRAW_ELO, results.names, known)


def centred(matrix: Any) -> Any:
    return matrix - matrix.mean(axis=0) - matrix.mean(axis=1)[:, None] + matrix.mean()


def rise(size: int, seed: int) -> Any:
    steps = np.arange(size) / size
    return 1000 * (1 - np.exp(-steps / 0.2)) + np.random.default_rng(seed).normal(0, 15, size)


def test_mode_variances_and_determinant_with_expected_strengths() -> None:
    results = near_pairs(80, 4, seed=1)
    known = {name: (40.0 * place, 90.0) for place, name in enumerate(results.names[:30])}
    dense, games = laplace(observed(results, known), np.full(80, 150.0**2)), many(results, known)
    prior = Separate(np.full(80, 150.0**-2))
    mode = climb(games, prior)
    assert mode.unfinished == 0
    assert mode.at.point == pytest.approx(dense.at.point, abs=0.05)
    assert mode.dual == pytest.approx(dense.dual, abs=5e-5)
    assert mode.at.times(np.eye(80)) == pytest.approx(dense.at.information, abs=1e-6)
    found = drawn_variances(games, mode.at, prior, RandomNormals.of(games, 2000))
    assert found.all == pytest.approx(dense.covariance.diagonal(), rel=0.03)
    assert found.centred == pytest.approx(centred(dense.covariance).diagonal(), rel=0.03)
    exact = np.linalg.slogdet(dense.at.information + np.diag(prior.precision))[1]
    assert log_determinant(mode.at, prior.precision, np.random.default_rng(1)) == pytest.approx(exact, abs=0.5)


def test_one_normal_distribution() -> None:
    results = near_pairs(200, 4, seed=2)
    games, dense = many(results), normal_fit(observed(results))
    found = many_normal_fit(games, 300.0)
    assert found.sd == pytest.approx(dense.sd, rel=0.01)
    assert found.evidence == pytest.approx(dense.evidence, abs=1.0)
    mean = found.mode.at.point - found.mode.at.point.mean()
    assert np.abs(mean - dense.mean + dense.mean.mean()).max() < 0.5


@pytest.mark.parametrize("kind", ["normal", "groups"])
def test_the_population(kind: str) -> None:
    random = np.random.default_rng(3)
    groups = np.repeat([-300, 300], 100) + random.normal(0, 40, 200)
    results = near_pairs(200, 4, seed=3, elo=groups if kind == "groups" else None)
    games, dense = many(results), population_fit(observed(results))
    found = many_population_fit(games, many_normal_fit(games, 200.0))
    assert found.weights == pytest.approx(dense.weights, abs=1e-3)
    assert found.evidence == pytest.approx(dense.evidence, abs=1.5)
    assert found.mixture.sds == pytest.approx(dense.mixture.sds, rel=0.01)
    assert np.abs(found.mean - found.mean.mean() - dense.mean + dense.mean.mean()).max() < 0.5
    ratio = np.sqrt(found.variance / centred(dense.covariance).diagonal())
    assert ratio.mean() == pytest.approx(1, abs=0.01)
    assert ratio.std() < 2 * found.error
    assert found.change == 0


def test_the_state_space_has_the_covariances_of_the_kernel() -> None:
    kernel, space = Kernel.of(28, LINES, WARPS), CurveSpace(28, LINES, WARPS)
    prior, covariance = CurvePrior(space, DEVIATIONS), kernel.covariance(DEVIATIONS)
    random = np.random.default_rng(4)
    columns, own = random.normal(size=(28, 3)), random.uniform(1e-4, 1e-3, 28)
    assert prior.times(columns) == pytest.approx(covariance @ columns)
    for part, applied, squares in zip(kernel.parts, space.applied(columns), space.squares(columns), strict=True):
        assert applied == pytest.approx(part @ columns)
        assert squares == pytest.approx((columns * (part @ columns)).sum(axis=0))
    split = CurveSplit(prior, own, np.zeros_like)
    exact = np.linalg.solve(np.diag(own) + np.linalg.inv(covariance), columns)
    assert split.solved(columns) == pytest.approx(exact, rel=1e-6)
    assert split.log_determinant == pytest.approx(np.linalg.slogdet(np.eye(28) + covariance * own)[1])
    assert prior.inverse(columns) == pytest.approx(np.linalg.solve(covariance, columns), rel=1e-5, abs=1e-9)


def test_draws_of_the_curve_have_its_covariance() -> None:
    kernel, space = Kernel.of(28, LINES, WARPS), CurveSpace(28, LINES, WARPS)
    ratings, curve = space.drawn(CurveNormals.of(space, 20_000, np.random.default_rng(5)), DEVIATIONS)
    covariance = kernel.covariance(DEVIATIONS)
    sd = np.sqrt(covariance.diagonal())
    assert np.abs((ratings @ ratings.T / 20_000 - covariance) / np.outer(sd, sd)).max() < 0.04
    noise = ((ratings - curve) ** 2).mean(axis=1)
    assert noise[space.players] == pytest.approx(np.full(space.players.size, 15.0**2), rel=0.05)
    assert noise[space.free] == pytest.approx(np.full(space.free.size, 120.0**2), rel=0.05)


def test_a_curve_with_free_players() -> None:
    truth = np.append(rise(120, 6), np.random.default_rng(7).normal(400, 150, 30))
    results = near_pairs(150, 10, seed=8, elo=truth)
    line = OrderedPlayers("net-", np.arange(120), np.arange(1.0, 121.0))
    games, dense = many(results), curve_fit(observed(results), [line])
    rating = rate(results, advantage=ADVANTAGE, draw_elo=DRAW_ELO)
    elo = {player.name: player.elo / rating.scale for player in rating.players}
    found = many_curve_fit(games, [line], np.array([elo[name] for name in results.names]))
    assert found.prior.space.warps == dense.warps
    assert found.prior.deviations[[0, 3]] == pytest.approx(dense.deviations[[0, 3]], rel=0.1)
    assert found.evidence == pytest.approx(dense.evidence, abs=1 + 3 * found.evidence_error)
    mean, point = found.mode.at.point, dense.posterior.at.point
    assert np.abs(mean - mean.mean() - point + point.mean()).max() < 3
    variance, of_curve, _ = found.variances(games, 1000)
    assert np.sqrt(variance / centred(dense.posterior.covariance).diagonal()) == pytest.approx(np.ones(150), abs=0.06)
    curve, covariance = dense.curve()
    assert np.abs(found.curve - mean.mean() - curve + point.mean())[:120].max() < 3
    ratio = np.sqrt(of_curve / centred(covariance).diagonal())[:120]
    assert ratio.mean() == pytest.approx(1, abs=0.06)


@pytest.mark.parametrize("kind", ["population", "curve"])
def test_the_table_of_many_is_that_of_few(kind: Any) -> None:
    names = tuple(f"net-{number:03d}" for number in range(1, 61))
    results = played(rise(60, 9), 1, 9, names)
    few, beyond = (posterior(results, kind=kind, options=SECTION, many=many) for many in (60, 59))
    assert beyond.assumed.kind == few.assumed.kind == kind
    assert beyond.evidence == pytest.approx(few.evidence, abs=8)
    assert beyond.shrinkage == pytest.approx(few.shrinkage, rel=0.1)
    assert beyond.slope == pytest.approx(few.slope, abs=0.01)
    elo, sd = ({player.name: (player.elo, player.sd) for player in one.players} for one in (few, beyond))
    assert np.abs(np.array([elo[name] for name in names]) - [sd[name] for name in names]).max() < 4
    curves = [{player.name: player.curve for player in one.players} for one in (few, beyond)]
    assert curves[1] == (pytest.approx(curves[0], abs=4) if kind == "curve" else curves[0])
    assert any("the standard deviations come from 100 random draws" in warning for warning in beyond.warnings)
    with pytest.raises(UsageError, match="expected few enough players for the covariance of all of them, got 60"):
        beyond.draws(1)


def test_many_players_in_no_order_are_a_population() -> None:
    names = tuple(f"net-{number:03d}" for number in range(1, 61))
    results = played(np.random.default_rng(1).permutation(rise(60, 1)), 1, 1, names)
    found = posterior(results, kind="curve", options=SECTION, many=0)
    assert found.assumed.kind == "population"
    assert found.warnings[0].startswith("the games do not show a curve (evidence ")
    other = posterior(near_pairs(12, 4, seed=3, stem="bot"), kind="curve", options=SECTION, many=0)
    assert other.warnings[0].startswith("no series has 20 players")
