"""Many players: the maximum and the errors by sparse equations, beside the dense ones of the same games."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from fiedler.tournament.ratings import Results, answer, rate, relative_to
from fiedler.tournament.ratings.anchors import Anchors
from fiedler.tournament.ratings.davidson import Davidson
from fiedler.tournament.ratings.factor import InverseFactor
from fiedler.tournament.ratings.intervals import Uncertainty
from fiedler.tournament.ratings.likelihood import Likelihood, Point, information
from fiedler.tournament.ratings.newton import maximise
from fiedler.tournament.ratings.origin import Origin
from fiedler.tournament.ratings.pairs import Pairs
from fiedler.tournament.ratings.rao_kupper import RaoKupper
from fiedler.tournament.ratings.some_of_many import SomeOfMany
from fiedler.tournament.ratings.sparse import DiagonalSplit, conjugate_gradients
from tests.tournament.ratings.posterior_cases import near_pairs

GROUPS = Results.together([near_pairs(60, 3, seed=1), near_pairs(40, 3, seed=2, stem="other-")])


@pytest.mark.parametrize("model", [RaoKupper, Davidson])
@pytest.mark.parametrize("fitted", [False, True])
def test_the_maximum_is_that_of_dense_equations(model: type[Likelihood], fitted: bool) -> None:
    likelihood = model(Pairs.of(GROUPS).with_prior(2.0))
    start = Point(np.zeros(100), 32.8, 97.3)
    dense, sparse = (
        maximise(likelihood, start, fit_advantage=fitted, fit_draw_elo=fitted, many=many) for many in (100, 99)
    )
    assert sparse.converged
    assert np.abs(sparse.point.elo - dense.point.elo).max() < 1e-8
    assert sparse.point.advantage == pytest.approx(dense.point.advantage, abs=1e-8)
    assert sparse.point.draw_elo == pytest.approx(dense.point.draw_elo, abs=1e-8)


def test_held_players_stay_where_they_are() -> None:
    likelihood = RaoKupper(Pairs.of(GROUPS).with_prior(2.0))
    held = Anchors(np.array([0, 70]), np.array([100.0, -50.0])).held
    start = Point(np.where(np.isin(np.arange(100), held), 80.0, 0.0), 32.8, 97.3)
    origin = Origin.of(likelihood.pairs, held)
    dense, sparse = (
        maximise(likelihood, start, fit_advantage=False, fit_draw_elo=True, origin=origin, many=many).point
        for many in (100, 0)
    )
    assert sparse.elo[held].tolist() == [80.0, 80.0]
    assert np.abs(sparse.elo - dense.elo).max() < 1e-8


def test_a_long_chain_needs_many_steps() -> None:
    rows = tuple((i, i + 1, 3, 1, 2) for i in range(400))
    likelihood = RaoKupper(Pairs.of(Results(tuple(map(str, range(401))), rows)).with_prior(2.0))
    start = Point(np.zeros(401), 32.8, 97.3)
    dense, sparse = (
        maximise(likelihood, start, fit_advantage=False, fit_draw_elo=False, many=many).point for many in (401, 0)
    )
    assert np.abs(sparse.elo - dense.elo).max() < 1e-6


def test_conjugate_gradients_begin_from_what_is_left_over() -> None:
    from scipy.sparse import csr_array

    apart = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]])
    split, whole = DiagonalSplit(np.array([3.0, 4.0, 5.0]), csr_array(apart)), np.array([1.0, -2.0, 4.0])
    matrix = np.diag([3.0, 4.0, 5.0]) - apart
    exact = np.linalg.solve(matrix, whole)
    assert conjugate_gradients(split, whole, tolerance=1e-12, most=9) == pytest.approx(exact)
    near, square = exact + np.array([1e-9, 0.0, 0.0]), float(whole @ split.solved(whole[:, None])[:, 0])
    rest = whole - matrix @ near
    assert (conjugate_gradients(split, rest, tolerance=1e-6, most=9, square=square) == 0).all(), "near enough"
    assert (conjugate_gradients(split, np.zeros(3), tolerance=1e-6, most=9) == 0).all()


@pytest.mark.parametrize("held", [[], [5], [5, 70]])
@pytest.mark.parametrize("block", [7, 512])
def test_one_factor_has_all_covariances(held: list[int], block: int) -> None:
    pairs, random = Pairs.of(GROUPS), np.random.default_rng(3)
    weight = random.uniform(1e-5, 1e-4, pairs.low.size)
    origin = Origin.of(pairs, np.array(held, dtype=np.int64))
    factor, dense = InverseFactor(pairs, weight, origin, block), origin.covariance(information(pairs, weight))
    assert factor.variances() == pytest.approx(dense.diagonal(), rel=1e-9, abs=1e-6)
    some, others = np.array([3, 5, 80]), np.array([70, 3])
    assert factor.covariance(some) == pytest.approx(dense[np.ix_(some, some)], rel=1e-9, abs=1e-6)
    assert factor.covariance(some, others) == pytest.approx(dense[np.ix_(some, others)], rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("held", [[], [5, 70]])
def test_intervals_of_many_are_those_of_few(held: list[int]) -> None:
    likelihood = RaoKupper(Pairs.of(GROUPS).with_prior(2.0))
    origin = Origin.of(likelihood.pairs, np.array(held, dtype=np.int64))
    point = Point(np.linspace(-100, 100, 100), 32.8, 97.3)
    few, many, solved = (Uncertainty(likelihood, point, origin, many=many) for many in (100, 99, 99))
    assert many.interval("covariance")[0] == pytest.approx(few.interval("covariance")[0], abs=1e-8)
    some = np.array([3, 5, 8, 80])
    assert many.is_factored
    assert many.covariance() == pytest.approx(few.covariance(), rel=1e-9, abs=1e-6)
    assert solved.some_covariance(some) == pytest.approx(few.covariance()[np.ix_(some, some)], rel=1e-6, abs=1e-4)
    assert not solved.is_factored, "a few covariances need no factor"
    imitated = Uncertainty(likelihood, point, origin, original=True, many=99)
    assert np.isnan(imitated.interval("covariance")[0]).all() == (not held)


def test_the_answer_is_the_same_and_shorter_without_covariances() -> None:
    results = near_pairs(60, 6, seed=4)
    rating, likelihood = rate(results), RaoKupper(Pairs.of(results).with_prior(2.0))
    raw = {player.name: player.elo / rating.scale for player in rating.players}
    point = Point(np.array([raw[name] for name in results.names]), 32.8, 97.3)
    numbers = np.array([results.names.index(player.name) for player in rating.players])
    uncertainty = Uncertainty(likelihood, point, Origin.of(likelihood.pairs), many=0)
    beyond = dataclasses.replace(rating, many=SomeOfMany(uncertainty, rating.scale, numbers))
    short = answer(beyond, results)
    assert (short.decided, short.best, short.p_best) == (False, rating.players[0].name, None)
    assert short.text.endswith("; P(best) of 60 players needs their covariance")
    assert short.gap_error == pytest.approx(answer(rating, results).gap_error, rel=1e-6)
    uncertainty.interval("covariance")
    assert answer(beyond, results).text == answer(rating, results).text
    name = rating.players[7].name
    differences = [[player.plus for player in relative_to(one, name).players] for one in (beyond, rating)]
    assert differences[0] == pytest.approx(differences[1], abs=1e-6)


@pytest.mark.slow
def test_beyond_two_thousand_players() -> None:
    results = near_pairs(2001, 1, seed=5)
    rating = rate(results, intervals="variance")
    assert rating.many is not None
    likelihood = RaoKupper(Pairs.of(results).with_prior(2.0))
    start = Point(np.zeros(2001), rating.advantage, rating.draw_elo)
    dense = maximise(likelihood, start, fit_advantage=False, fit_draw_elo=False, many=2001).point.elo * rating.scale
    by_name = {player.name: player.elo for player in rating.players}
    assert np.abs(dense - [by_name[name] for name in results.names]).max() < 1e-8
    assert "P(best) of 2,001 players" in answer(rating, results).text
