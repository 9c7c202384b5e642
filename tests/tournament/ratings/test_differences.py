"""Covariances, errors of differences, anchors and other levels of confidence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from fiedler.support.errors import UsageError
from fiedler.tournament.ratings import Rating, Results, rate, relative_to
from fiedler.tournament.ratings.intervals import CONFIDENCE, Uncertainty, _Density, quantiles
from fiedler.tournament.ratings.likelihood import Point
from fiedler.tournament.ratings.origin import Origin
from fiedler.tournament.ratings.pairs import Pairs
from fiedler.tournament.ratings.rao_kupper import RaoKupper
from tests.tournament.ratings.ratings_cases import CASES, order_in, raw, recorded, results_of, run_of

CONNECTED = [name for name in CASES if name != "disconnected"]


def by_name(rating: Rating) -> dict[str, float]:
    return {player.name: player.elo for player in rating.players}


@pytest.mark.parametrize("name", CONNECTED)
def test_covariance_errors_and_los_agree(name: str) -> None:
    rating = rate(results_of(name))
    covariance = rating.covariance()
    np.testing.assert_allclose(covariance, covariance.T, atol=1e-6)
    np.testing.assert_allclose(covariance.sum(axis=0), 0, atol=1e-5)
    plus = [player.plus for player in rating.players]
    np.testing.assert_allclose(ndtri(0.975) * np.sqrt(np.diag(covariance)), plus)
    elo = np.array([player.elo for player in rating.players])
    with np.errstate(invalid="ignore"):
        los = ndtr((elo[:, None] - elo) / rating.difference_errors())
    others = ~np.eye(len(elo), dtype=bool)
    np.testing.assert_allclose(los[others], rating.los()[others], atol=1e-300)


def test_two_players_differ_by_the_closed_form() -> None:
    """One pair, so the error of the difference is one over the root of the information in its games."""
    results = Results(("a", "b"), ((0, 1, 40, 20, 15), (1, 0, 22, 25, 28)))
    rating = relative_to(rate(results, advantage=0.0, prior=0.0), "b")
    elo = rating.players[0].elo / rating.scale

    def margin(difference: float) -> float:
        return 1 / (1 + 10 ** ((-difference + 97.3) / 400))

    holds, yields = 40 + 20 + 28 + 25, 15 + 20 + 22 + 25
    up, down = margin(elo), margin(-elo)
    information = (math.log(10) / 400) ** 2 * (holds * up * (1 - up) + yields * down * (1 - down))
    assert rating.players[0].plus == pytest.approx(rating.scale * ndtri(0.975) / math.sqrt(information))
    assert (rating.players[1].elo, rating.players[1].plus, rating.players[1].minus) == (0, 0, 0)


def test_errors_of_differences_are_smaller_than_separate_errors_suggest() -> None:
    """Two players who met each other a hundred times, and all others little."""
    names = tuple("abcdef")
    rows = [(i, j, 1, 1, 1) for i in range(6) for j in range(i + 1, 6)]
    rating = rate(Results(names, ((0, 1, 60, 50, 55), *rows)))
    plus = {player.name: player.plus for player in rating.players}
    relative = relative_to(rating, "a")
    difference = next(player for player in relative.players if player.name == "b")
    assert difference.plus < 0.6 * plus["b"]
    assert difference.elo == pytest.approx(by_name(rating)["b"] - by_name(rating)["a"])
    assert relative.players[0].opponents == pytest.approx(rating.players[0].opponents - by_name(rating)["a"])


def test_differences_to_another_group_are_unknown() -> None:
    relative = relative_to(rate(results_of("disconnected")), "Oak")
    known = {player.name for player in relative.players if not math.isnan(player.elo)}
    assert known == {"Oak", "Elm", "Ash"} == {p.name for p in relative.players if not math.isnan(p.plus)}
    with pytest.raises(UsageError, match="relative to 'nobody': expected the name of a player"):
        relative_to(relative, "nobody")
    with pytest.raises(UsageError, match=r"relative to 'Oka': expected the name of a player; did you mean 'Oak'\?"):
        relative_to(relative, "Oka")


def test_one_anchor_shifts_all_players() -> None:
    free = rate(results_of("sparse30"))
    names = by_name(free)
    anchor = next(iter(names))
    anchored = rate(results_of("sparse30"), anchors={anchor: 1500.0})
    assert by_name(anchored) == pytest.approx({n: elo + 1500 - names[anchor] for n, elo in names.items()})
    assert [p.plus for p in anchored.players] == [p.plus for p in free.players]
    assert anchored.players[0].opponents == pytest.approx(free.players[0].opponents + 1500 - names[anchor])


@pytest.mark.parametrize(
    "options", [{}, {"draw_elo": "fit", "advantage": "fit"}, {"model": "davidson", "draw_elo": "fit"}]
)
def test_several_anchors_are_held(options: dict[str, str]) -> None:
    """All others then stand where the likelihood is highest, which a step to either side shows."""
    results = results_of("sparse30")
    free = by_name(rate(results, **options))  # type: ignore[arg-type]
    first, *_, last = free
    anchors = {first: free[first] + 30, last: free[last] - 10}
    rating = rate(results, anchors=anchors, **options)  # type: ignore[arg-type]
    found = by_name(rating)
    assert {name: found[name] for name in anchors} == pytest.approx(anchors, abs=1e-6)
    errors = {player.name: player.plus for player in rating.players}
    assert (errors[first], errors[last]) == (0, 0)
    assert min(error for name, error in errors.items() if name not in anchors) > 10
    again = rate(results, anchors={**anchors, next(n for n in found if n not in anchors): 0.0}, **options)  # type: ignore[arg-type]
    assert again.log_likelihood < rating.log_likelihood


def test_anchors_at_the_free_ratings_change_nothing() -> None:
    free = rate(results_of("sparse30"))
    names = by_name(free)
    first, *_, last = names
    held = rate(results_of("sparse30"), anchors={first: names[first], last: names[last]})
    assert by_name(held) == pytest.approx(names, abs=1e-6)
    assert held.warnings == free.warnings


def test_anchors_connect_groups_that_never_met() -> None:
    rating = rate(results_of("disconnected"), anchors={"Oak": 100.0, "Red": 200.0})
    place = {player.name: number for number, player in enumerate(rating.players)}
    covariance = rating.covariance()
    assert np.isfinite(covariance[place["Elm"], place["Red"]])
    assert "2 groups" in rating.warnings[0]
    los = rating.los()
    assert los[place["Red"], place["Oak"]] == 1
    assert 0 < los[place["Elm"], place["Red"]] < 1


def test_anchors_that_the_games_contradict_give_a_warning() -> None:
    results = Results(("a", "b", "c"), ((0, 1, 50, 10, 50), (1, 2, 50, 10, 50), (2, 0, 50, 10, 50)))
    assert rate(results, anchors={"a": 0.0, "b": 10.0}).warnings == ()
    warned = rate(results, anchors={"a": 0.0, "b": 300.0}).warnings
    assert warned[0].startswith("the games contradict the anchors: results like these have a chance of ")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"anchors": {"nobody": 1.0}}, "anchor 'nobody': expected the name of a player with games"),
        ({"anchors": {"Alpha": math.nan}}, "anchor 'Alpha': expected a number of Elo from -10000 to 10000, got nan"),
        ({"anchors": {"Alpha": 1.0, "Beta": 2.0}, "imitate": True}, "anchors: expected at most one with imitate"),
        ({"anchors": {"Alpha": 1.0, "Beta": 2.0}, "intervals": "exact"}, "intervals: expected covariance or variance"),
        ({"model": "davidson", "imitate": True}, "imitate: expected the model bayeselo"),
        ({"model": "other"}, "model: expected bayeselo or davidson, got 'other'"),
    ],
)
def test_incompatible_options_are_refused(options: dict[str, object], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        rate(results_of("two_players"), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", CONNECTED)
def test_other_levels_of_confidence_are_the_original_ones(name: str) -> None:
    """The recorded run has the tables of 0.5 (variance), 0.99 (covariance) and 0.99 (exact marginals)."""
    tables = run_of(name, "confidence")["parsed"]["hires"]
    for kind, confidence, table in zip(("variance", "covariance", "exact"), (0.5, 0.99, 0.99), tables, strict=True):
        rating = rate(results_of(name), intervals=kind, confidence=confidence, imitate=True)  # type: ignore[arg-type]
        for side in ("plus", "minus"):
            np.testing.assert_allclose(raw(rating, name, side), recorded(table[side]), rtol=0, atol=3e-5)


@pytest.mark.parametrize("name", ["two_players", "one_game_players", "checkpoints100"])
def test_marginals_from_few_points_are_those_from_all(name: str) -> None:
    """A density is evaluated at some ten points; here at every point of its grid."""
    results = results_of(name)
    rating = rate(results)
    order = np.argsort(order_in(rating, name))
    elo = np.array([player.elo for player in rating.players])[order] / rating.scale
    pairs = Pairs.of(results).with_prior(2.0)
    uncertainty = Uncertainty(RaoKupper(pairs), Point(elo, 32.8, 97.3), Origin.of(pairs))
    density = _Density(uncertainty)
    minus, plus = uncertainty.interval("exact")
    for player in range(0, len(elo), 7):
        grid = density.grid(player, 60.0)
        points = density.log_density(player, grid)
        np.testing.assert_allclose(density.interpolated(player, grid), points, rtol=1e-9, atol=1e-9)
        low, high = quantiles(grid, points, CONFIDENCE)
        assert (elo[player] - low, high - elo[player]) == pytest.approx((minus[player], plus[player]), abs=1e-2)
