"""Posterior ratings: their errors and intervals, the choice of the prior, scale and anchors, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fiedler.support.errors import UsageError
from fiedler.tournament.ratings import Results, rate_as
from fiedler.tournament.ratings.posterior import Posterior, posterior
from fiedler.tournament.schedule.schedule import RatingSection
from tests.tournament.ratings.posterior_cases import aligned, played

SECTION = RatingSection(advantage=30.0, draw_elo=100.0, prior=0.2)
NAMES = tuple(f"net-{number:03d}" for number in range(30))


def curve(seed: int) -> Any:
    steps = np.arange(30) / 30
    return 1000 * (1 - np.exp(-steps / 0.2)) + np.random.default_rng(seed).normal(0, 15, 30)


def found(results: Results, kind: Any = "population", **more: Any) -> Posterior:
    return posterior(results, kind=kind, options=more.pop("options", SECTION), **more)


def errors(one: Posterior, truth: Any) -> Any:
    raw = {player.name: player.elo / one.scale for player in one.players}
    return aligned(raw, dict(zip(NAMES, truth.tolist(), strict=True)))


@pytest.mark.slow
def test_a_curve_is_recognised_and_halves_the_error() -> None:
    ratios, covered = [], []
    for seed in range(4):
        truth = curve(seed)
        results = played(truth, 1, seed)
        one = found(results, "curve")
        assert (one.assumed.kind, one.warnings) == ("curve", ())
        assert one.evidence > 20
        assert one.assumed.noise is not None
        assert set(one.assumed.places) == {"net-"}
        assert one.shrinkage < 0.6
        rating = rate_as(SECTION, results)
        table = aligned(
            {player.name: player.elo / rating.scale for player in rating.players},
            dict(zip(NAMES, truth.tolist(), strict=True)),
        )
        error = errors(one, truth)
        ratios.append(np.sqrt((error**2).mean() / (table**2).mean()))
        sd = {player.name: player.sd / one.scale for player in one.players}
        covered.append(np.mean(np.abs(error) < 1.96 * np.array([sd[name] for name in NAMES])))
        assert sum(player.curve_sd or np.nan for player in one.players) < sum(player.sd for player in one.players)
    assert np.mean(ratios) < 0.65
    assert np.mean(covered) >= 0.9


def test_names_in_no_order_give_the_population_and_the_reason() -> None:
    truth = np.random.default_rng(1).permutation(curve(1))
    one, population = (found(played(truth, 1, 1), kind) for kind in ("curve", "population"))
    assert one.assumed.kind == "population"
    assert one.players == population.players
    (reason,) = one.warnings
    assert reason.startswith("the games do not show a curve (evidence -")
    few = found(played(truth[:15], 1, 1), "curve")
    assert few.warnings == ("no series has 20 players: the population prior takes the curve's place",)
    assert all(player.curve is None for player in few.players)


def test_a_stem_chooses_the_series() -> None:
    results = played(curve(2), 1, 2)
    assert found(results, "curve", series=["net-"]).assumed.kind == "curve"
    with pytest.raises(UsageError, match=r"rating\.series: expected stems of 20 or more players \(net-\), got 'nest-'"):
        found(results, "curve", series=["nest-"])
    assert found(results, "curve", series=["nest-", "net-"], growing=True).assumed.kind == "curve"
    assert found(results, "curve", series=["nest-"], growing=True).assumed.kind == "population"


@pytest.mark.parametrize("model", ["bayeselo", "davidson"])
def test_players_draws_and_covariance_agree(model: str) -> None:
    options = RatingSection(model=model, draw_elo=150.0, anchor={"net-003": 2000.0})
    results = played(np.linspace(0, 500, 12), 3, 3)
    one, free = (found(results, options=section) for section in (options, RatingSection(model=model, draw_elo=150.0)))
    elo = [player.elo for player in one.players]
    assert elo == sorted(elo, reverse=True)
    assert next(player.elo for player in one.players if player.name == "net-003") == pytest.approx(2000)
    assert np.ptp(np.array(elo) - [player.elo for player in free.players]) < 1e-9, "an anchor shifts, and no more"
    assert sum(player.elo for player in free.players) == pytest.approx(0, abs=1e-6)
    covariance = one.covariance()
    assert np.sqrt(covariance.diagonal()) == pytest.approx([player.sd for player in one.players])
    assert np.abs(covariance.sum(axis=0)).max() < 1e-6, "relative to the mean of all players"
    draws = one.draws(20_000)
    assert (draws == one.draws(20_000)).all()
    assert draws.mean(axis=0) == pytest.approx(elo, abs=1.5)
    assert np.cov(draws.T) == pytest.approx(covariance, abs=0.06 * covariance.max())
    assert one.scale == rate_as(options, results).scale
    assert (one.assumed.model, one.assumed.draw_elo) == (model, 150.0)


def test_strengths_that_chose_the_pairs_enter_the_prior() -> None:
    names, truth = NAMES[:20], np.linspace(-400, 400, 20)
    near = [(first, second) for first in range(20) for second in (first + 1, first + 2) if second < 20]
    every = played(truth, 8, 4, names)
    results = Results(names, tuple(row for row in every.rows if (min(row[:2]), max(row[:2])) in near))
    known = dict(zip(names, ((float(elo), 50.0) for elo in truth), strict=True))
    blind, informed = (found(results, known=one) for one in (None, known))
    exact = dict(zip(names, truth.tolist(), strict=True))
    wrong = [
        aligned({player.name: player.elo / one.scale for player in one.players}, exact) for one in (blind, informed)
    ]
    assert (wrong[1] ** 2).mean() < 0.25 * (wrong[0] ** 2).mean()
    assert (blind.assumed.expected, informed.assumed.expected) == (0, 20)
    strangers = found(results, known={**known, "nobody": (0.0, 1.0)})
    assert strangers.players == informed.players, "players without games are left out"


def test_groups_that_never_met_are_connected_by_the_prior() -> None:
    results = Results.together([played([0.0] * 6, 2, 5, list("abcdef")), played([0.0] * 6, 2, 6, list("uvwxyz"))])
    one = found(results)
    assert one.warnings == ("no games connect 2 groups of players: only the prior does",)
    assert all(np.isfinite([player.elo, player.sd]).all() for player in one.players)
    assert np.isfinite(one.shrinkage)


def test_fitted_parameters_are_those_of_the_table() -> None:
    results = played(np.linspace(0, 300, 12), 20, 7)
    options = RatingSection(advantage="fit", draw_elo="fit")
    one, rating = found(results, options=options), rate_as(options, results)
    assert one.assumed.fitted == ("advantage", "draw_elo")
    assert (one.assumed.advantage, one.assumed.draw_elo) == (rating.advantage, rating.draw_elo)


def test_the_assumption_in_words() -> None:
    assert found(played([0.0] * 12, 2, 8)).assumed.words.startswith(
        "all players come from one normal distribution (sd "
    )
    groups = found(played(np.repeat([0.0, 600.0], 15), 4, 9)).assumed
    assert groups.words.startswith("all players come from one population of 2 groups: 50% around -")
    words = found(played(curve(3), 1, 3), "curve").assumed.words
    assert words.startswith("the strength along 'net-' (l")


def test_refusals() -> None:
    with pytest.raises(UsageError, match="posterior: expected at least 10 players with games, got 9 players"):
        found(played([0.0] * 9, 1, 1))
    with pytest.raises(UsageError, match="posterior: expected population or curve, got 'normal'"):
        found(played([0.0] * 10, 1, 1), "normal")
