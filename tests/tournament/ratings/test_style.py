"""Pair effects: against numerical integrals, at both ends of their deviation, and in every prior."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from fiedler.support.errors import UsageError
from fiedler.tournament.ratings import Results
from fiedler.tournament.ratings.likelihood import Likelihood, Point
from fiedler.tournament.ratings.model import MODELS
from fiedler.tournament.ratings.pairs import Floats, Pairs
from fiedler.tournament.ratings.posterior import posterior_document, posterior_heading
from fiedler.tournament.ratings.posterior.laplace import laplace
from fiedler.tournament.ratings.posterior.mixture import mixture_fit
from fiedler.tournament.ratings.posterior.normal import normal_evidence, normal_fit
from fiedler.tournament.ratings.posterior.observations import Expansion, Observations
from fiedler.tournament.ratings.posterior.style import PairEffects
from fiedler.tournament.ratings.posterior.style_fit import PRIOR_MODE, style_fit
from fiedler.tournament.schedule.schedule import RatingSection
from tests.tournament.ratings.posterior_cases import ADVANTAGE, DRAW_ELO, aligned, observed, played
from tests.tournament.ratings.test_posterior import NAMES, SECTION, curve, found


def with_effects(likelihood: Likelihood, elo: Floats, sd: float) -> float:
    """Return the log-likelihood of ratings with the effect of each pair integrated numerically."""
    pairs, total = likelihood.pairs, 0.0
    z = np.linspace(-8 * sd, 8 * sd, 4001)
    for low, high, counts in zip(pairs.low, pairs.high, pairs.counts.T, strict=True):
        logs = -((z / sd) ** 2) / 2 - np.log(sd * np.sqrt(2 * np.pi))
        for side, outcomes in ((1, counts[:3]), (-1, counts[3:])):
            logs = logs + outcomes @ likelihood.log_outcomes(side * (elo[low] - elo[high] + z), ADVANTAGE, DRAW_ELO)
        total += float(np.logaddexp.reduce(logs) + np.log(z[1] - z[0]))
    return total


@pytest.mark.parametrize("model", ["bayeselo", "davidson"])
@pytest.mark.parametrize("meetings", [1, 10, 400])
def test_games_without_their_effects_agree_with_the_integral(model: str, meetings: int) -> None:
    likelihood = MODELS[model](Pairs.of(played([150.0, 100.0, -250.0], meetings, seed=2)))
    games = Observations.of(likelihood, ADVANTAGE, DRAW_ELO, NAMES[:3]).with_style(60.0)
    truth, step = np.array([120.0, 60.0, -180.0]), 5.0

    def exact(*moves: tuple[int, float]) -> float:
        elo = truth.copy()
        for place, size in moves:
            elo[place] += size
        return with_effects(likelihood, elo, 60.0)

    here = games.expand(truth)
    assert here.total == pytest.approx(exact(), abs=0.03)
    assert here.volume < 0
    for place in range(3):
        slope = (exact((place, step)) - exact((place, -step))) / (2 * step)
        assert here.gradient[place] == pytest.approx(slope, rel=0.05, abs=3e-4)
        bend = (2 * exact() - exact((place, step)) - exact((place, -step))) / step**2
        assert here.information[place, place] == pytest.approx(bend, rel=0.07)


def test_effects_of_no_size_change_nothing() -> None:
    results = played(np.linspace(0, 500, 12), 4, 3)
    plain, none, tiny, wide = (found(results, style_sd=sd) for sd in (0.0, 0.0, 1e-3, 40.0))
    assert plain.players == none.players
    assert [player.elo for player in tiny.players] == pytest.approx([player.elo for player in plain.players], abs=0.05)
    assert tiny.evidence == pytest.approx(plain.evidence, abs=1e-3)
    assert wide.covariance().trace() > 1.1 * plain.covariance().trace()
    assert plain.assumed.style_sd == 0
    assert wide.assumed.style_sd == pytest.approx(40 * wide.scale)
    assert "effect" not in plain.assumed.words
    assert wide.assumed.words.endswith(f", and each pair has an effect of its own (sd {40 * wide.scale:.0f} Elo)")


def test_a_pair_tells_no_more_than_its_effect_allows() -> None:
    games = observed(played([0.0, 0.0], 100_000, seed=1)).with_style(30.0)
    assert games.expand(np.zeros(2)).information[0, 0] == pytest.approx(30.0**-2, rel=0.01)


def test_far_ratings_and_one_sided_results_have_their_effects() -> None:
    results = Results(("a", "b"), ((0, 1, 3000, 0, 0), (1, 0, 0, 0, 3000)))
    effects = PairEffects.of(MODELS["bayeselo"](Pairs.of(results)), 200.0)
    for apart in (-3000.0, -300.0, 0.0, 3000.0):
        here = effects.at(Point(np.array([apart, 0.0]), ADVANTAGE, DRAW_ELO))
        assert np.isfinite([here.value, here.volume]).all()
        wanted = here.push * 200.0**2  # z at the maximum
        there = MODELS["bayeselo"](effects.pairs).slopes(Point(np.array([apart, -wanted[0]]), ADVANTAGE, DRAW_ELO))
        assert here.push == pytest.approx(np.log(10) / 400 * there.gradient[0], rel=1e-4)


def test_players_thousands_of_elo_apart_have_a_deviation_of_their_effects() -> None:
    rows = tuple((i, j, 2, 0, 0) if i < j else (i, j, 0, 0, 2) for i in range(12) for j in range(12) if i != j)
    table = found(Results(NAMES[:12], rows), options=RatingSection(model="davidson"), style_sd="fit")
    assert table.players[0].elo - table.players[-1].elo > 9000, "the information of such games rounds to 0"
    assert 0 < table.assumed.style_sd < 200


def test_effects_enter_the_mixture_and_its_evidence() -> None:
    games = observed(played(np.repeat([0.0, 400.0], 8), 5, seed=4))
    plain, tiny, wide = (mixture_fit(one, 2, normal_fit(one)) for one in map(games.with_style, (0.0, 1e-3, 50.0)))
    assert tiny.evidence == pytest.approx(plain.evidence, abs=1e-3)
    assert wide.covariance.trace() > 1.1 * plain.covariance.trace()
    assert wide.evidence < plain.evidence - 1, "the games have no effects of pairs"


def with_style(sd: float, meetings: int, seed: int) -> Results:
    """Return games of all pairs of twelve players, with an effect from N(0, sd²) in each pair."""
    random = np.random.default_rng(seed)
    truth, style = random.normal(0, 100, 12), np.triu(random.normal(0, sd, (12, 12)), 1)
    pairs = [
        played([truth[i] + style[i, j], truth[j]], meetings, i * 12 + j, [NAMES[i], NAMES[j]])
        for i, j in combinations(range(12), 2)
    ]
    return Results.together(pairs)


def test_games_of_pairs_with_effects_prefer_them() -> None:
    games = observed(with_style(60.0, 150, seed=7))
    evidence = [laplace(games.with_style(sd), np.full(12, 100.0**2)).evidence for sd in (0.0, 30.0, 60.0, 120.0)]
    assert max(evidence) == evidence[2]
    assert evidence[2] > evidence[0] + 20


@pytest.mark.parametrize("sd", [0.0, 20.0, 60.0])
def test_one_expansion_has_the_evidence_of_full_fits(sd: float) -> None:
    games = observed(with_style(sd, 60, seed=3))
    prior = np.full(12, 100.0**2)
    full = [laplace(games.with_style(other), prior).evidence for other in (0.0, 15.0, 40.0, 80.0)]
    expansion = games.expansion_by_style(laplace(games, prior).at.point)

    def height(at: Expansion) -> float:
        known = np.eye(12) + np.diag(prior) @ at.information
        mean = np.linalg.solve(known, prior * at.pull)
        return at.constant + float(at.pull @ mean) / 2 - float(np.linalg.slogdet(known)[1]) / 2

    quick = [height(expansion(other)) for other in (0.0, 15.0, 40.0, 80.0)]
    assert np.subtract(quick, quick[0]) == pytest.approx(np.subtract(full, full[0]), rel=0.03, abs=0.1)


@pytest.mark.parametrize("sd", [20.0, 40.0, 80.0])
def test_the_deviation_is_recovered(sd: float) -> None:
    found = []
    for seed in range(4):
        games = observed(with_style(sd, 200, seed))
        found.append(style_fit(games, normal_fit(games).mean, normal_evidence))
    assert np.mean([one.sd for one in found]) == pytest.approx(sd, rel=0.15)
    assert all(one.sds[0] < one.sds[1] < one.sds[2] for one in found)
    assert all(one.evidence > 1 for one in found)


def test_many_games_of_all_pairs_show_that_there_are_no_effects() -> None:
    games = observed(with_style(0.0, 1000, seed=5))
    found = style_fit(games, normal_fit(games).mean, normal_evidence)
    assert found.sd < 10
    assert found.evidence < -1


def test_games_with_one_player_alone_say_next_to_nothing_about_effects() -> None:
    every = with_style(40.0, 200, seed=6)
    games = observed(Results(every.names, tuple(row for row in every.rows if 0 in row[:2])))
    found = style_fit(games, normal_fit(games).mean, normal_evidence)
    parts = PRIOR_MODE * np.sqrt(-2 * np.log(1 - np.array([1, 3, 5]) / 6))  # medians of a Rayleigh distribution
    assert np.array(found.sds) == pytest.approx(parts, rel=0.25)
    assert abs(found.evidence) < 0.5


@pytest.mark.parametrize("kind", ["population", "curve"])
def test_a_fitted_deviation_is_assumed_and_shown(kind: str) -> None:
    results = played(curve(1), 2, 1)
    plain, fitted = found(results, kind), found(results, kind, style_sd="fit")
    assert fitted.assumed.kind == plain.assumed.kind == kind
    width = fitted.covariance().trace() / plain.covariance().trace()
    assert (1 if kind == "population" else 0.95) < width < 2, "the noise of a curve shrinks where effects explain it"
    assert np.sqrt(fitted.covariance().diagonal()) == pytest.approx([player.sd for player in fitted.players])
    assert 0 < fitted.assumed.style_sd < 40 * fitted.scale
    assert fitted.assumed.style_evidence < 0 == plain.assumed.style_evidence
    assert fitted.evidence == plain.evidence
    document = posterior_document(fitted)["assumed"]
    assert document["style_sd"] == fitted.assumed.style_sd
    assert document["style_evidence"] == fitted.assumed.style_evidence
    (line,) = [line for line in posterior_heading(fitted) if "pair" in line]
    assert f"sd {fitted.assumed.style_sd:.0f} Elo, evidence {fitted.assumed.style_evidence:+.1f} nats" in line


def test_effects_of_strong_style_are_not_taken_for_strength() -> None:
    results = with_style(60.0, 400, seed=8)
    plain, fitted = found(results), found(results, style_sd="fit")
    random = np.random.default_rng(8)
    truth = dict(zip(NAMES[:12], random.normal(0, 100, 12).tolist(), strict=True))
    inside = []
    for one in (plain, fitted):
        error = aligned({player.name: player.elo / one.scale for player in one.players}, truth)
        sd = {player.name: player.sd / one.scale for player in one.players}
        inside.append(np.mean(np.abs(error) < 1.96 * np.array([sd[name] for name in truth])))
    assert inside[0] < 0.6
    assert inside[1] >= 0.9


def test_the_prior_alone() -> None:
    one, known = found(played(curve(1), 1, 1), "curve"), {NAMES[0]: (0.0, 60.0), NAMES[1]: (10.0, 60.0)}
    covariance = np.linalg.inv(one.precision(NAMES))
    assert np.linalg.inv(one.precision(NAMES[3:7])) == pytest.approx(covariance[3:7, 3:7], rel=1e-6)
    assert one.precision(NAMES[5:2:-1]) == pytest.approx(one.precision(NAMES[3:6])[::-1, ::-1], rel=1e-6)
    noise = one.assumed.noise or 0.0
    next_door = np.array([1, -1]) @ covariance[8:10, 8:10] @ [1, -1]
    assert next_door > 2 * noise**2
    population = found(played(np.zeros(12), 40, 8))
    exact = population.precision(NAMES[:12])
    (part,) = population.assumed.parts
    assert exact == pytest.approx(np.diag(exact.diagonal()))
    assert (exact.diagonal() > 0.5 / part.sd**2).all()
    informed = found(played(np.zeros(12), 40, 8), known=known).precision(NAMES[:2])
    apart = np.array([1, -1]) @ np.linalg.inv(informed) @ [1, -1]
    assert apart < 2 * 60.0**2 * population.scale**2, "expected strengths are part of the prior"
    with pytest.raises(UsageError, match="posterior: expected players with games, got 'net-012'"):
        population.precision(["net-012"])


def test_a_style_out_of_range_is_refused() -> None:
    for sd in (-1.0, float("nan"), float("inf")):
        with pytest.raises(UsageError, match="style_sd: expected 'fit' or a number of Elo from 0 to"):
            found(played([0.0] * 12, 1, 1), style_sd=sd, options=SECTION)
