"""How well the model fits: on games that it made, and on games that it did not make."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest

from fiedler.tournament.ratings import Results, analyse, analysis_text, fit_document, paired_errors, rate
from fiedler.tournament.ratings.cyclic import cyclic
from fiedler.tournament.ratings.fit import fit
from fiedler.tournament.ratings.meetings import Meetings
from fiedler.tournament.ratings.model import MODELS
from fiedler.tournament.ratings.nash import maximal_entropy_equilibrium, nash, payoffs
from tests.tournament.ratings.ratings_cases import CASES, results_of

NAMES = tuple("abcdefghijkl")
BOTH: dict[str, Any] = {"advantage": "fit", "draw_elo": "fit"}


def simulated(
    seed: int, elo: np.ndarray, games: int, model: str = "bayeselo", bend: np.ndarray | None = None
) -> Results:
    """All pairs in both colours; `bend`, antisymmetric, is added to the differences."""
    generator = np.random.default_rng(seed)
    rows = []
    for first, second in itertools.permutations(range(len(elo)), 2):
        difference = elo[first] - elo[second] + (0 if bend is None else bend[first, second])
        shares = np.exp(MODELS[model].log_outcomes(np.array([difference]), 40.0, 90.0)[:, 0])
        rows.append((first, second, *generator.multinomial(games, shares).tolist()))
    return Results(NAMES[: len(elo)], tuple(rows))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("options", [BOTH, {"advantage": 40.0, "draw_elo": 90.0}])
def test_p_values_are_uniform_for_a_true_model(model: str, options: dict[str, Any]) -> None:
    """The chi-square has the mean and the variance of its degrees of freedom, in spite of the fit and the prior."""
    found = []
    for seed in range(60):
        results = simulated(seed, np.linspace(-250, 250, 8), 12, model)
        rating = rate(results, model=model, prior=4.0, intervals="variance", **options)
        made = fit(rating, results)
        found += [(made.scores.chi_square, made.scores.degrees, made.scores.p_value)]
        found += [(made.draws.chi_square, made.draws.degrees, made.draws.p_value)]
    for kind in (np.array(found[::2]), np.array(found[1::2])):
        assert kind[:, 0].mean() == pytest.approx(kind[:, 1].mean(), rel=0.25)
        assert 0.35 < kind[:, 2].mean() < 0.65
        assert (kind[:, 2] < 0.05).mean() < 0.17


def test_the_fit_detects_a_wrong_parameter() -> None:
    results = simulated(1, np.linspace(-250, 250, 8), 100)
    good, bad, drawn = (
        fit(rate(results, advantage=advantage, draw_elo=draw_elo), results)
        for advantage, draw_elo in ((40.0, 90.0), (0.0, 90.0), (40.0, 130.0))
    )
    assert min(good.scores.p_value, good.draws.p_value) > 0.001
    assert bad.scores.p_value < 1e-6
    assert drawn.draws.p_value < 1e-6
    assert good.log_likelihood > max(bad.log_likelihood, drawn.log_likelihood)
    assert [row.actual for row in bad.scores.bins] == pytest.approx(
        [row.predicted + 0.05 for row in bad.scores.bins], abs=0.06
    )


@pytest.mark.parametrize("model", MODELS)
def test_the_true_model_is_the_most_likely(model: str) -> None:
    results = simulated(5, np.linspace(-400, 400, 12), 400, model)
    found = {made.model: made.log_likelihood for made in fit(rate(results), results).models}
    assert max(found, key=lambda name: found[name]) == model


def test_bins_count_every_game_once() -> None:
    results = results_of("checkpoints100")
    made = fit(rate(results), results)
    for calibration in (made.scores, made.draws):
        assert sum(row.games for row in calibration.bins) == results.games
        assert all(before.high <= after.low for before, after in itertools.pairwise(calibration.bins))
    actual = sum(row.games * row.actual for row in made.draws.bins)
    assert actual == pytest.approx(sum(row[3] for row in results.rows))


@pytest.mark.parametrize("name", CASES)
def test_every_case_can_be_analysed(name: str) -> None:
    results = results_of(name)
    options: dict[str, Any]
    for options in ({}, {"model": "davidson", **BOTH}):
        analysis = analyse(rate(results, **options), results, 2.0)
        document = fit_document(analysis)
        assert list(document) == ["fit", "cyclic", "nash"]
        assert "nan" not in analysis_text(analysis)
        if name == "disconnected":
            assert document["nash"] == []
            continue
        assert sum(player["share"] for player in document["nash"]) == pytest.approx(1)
        assert max(player["score"] for player in document["nash"]) <= 0.5 + 1e-6


ODD: dict[str, tuple[Results, dict[str, Any]]] = {
    "a player against itself": (Results.from_games([("a", "a", "1-0")]), {}),
    "one game": (Results.from_games([("a", "b", "1-0")]), BOTH),
    "draws alone": (Results.from_games([("a", "b", "1/2-1/2")] * 3), {"model": "davidson", **BOTH}),
    "no draws": (results_of("no_draws"), {"draw_elo": 0.01}),
    "no draws, Davidson": (results_of("no_draws"), {"draw_elo": 0.01, "model": "davidson"}),
    "no prior": (results_of("perfect_scores"), {"prior": 0.0, "model": "davidson"}),
    "ratings that are nan": (results_of("perfect_scores"), {"prior": 0.0, "imitate": True}),
    "groups that never met": (results_of("disconnected"), {"imitate": True}),
    "one colour each": (Results(("a", "b", "c"), ((0, 1, 1, 0, 2), (1, 2, 2, 1, 1))), BOTH),
    "an idle player": (Results(("a", "b", "c"), ((0, 1, 1, 0, 2),)), {}),
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_results_can_be_analysed(odd: str) -> None:
    results, options = ODD[odd]
    rating = rate(results, **options)
    text = analysis_text(analyse(rating, results, 2.0))
    assert "nan" not in text
    json.dumps(fit_document(analyse(rating, results, 2.0)), allow_nan=False)


def test_the_likelihood_of_the_real_games_has_no_virtual_draws() -> None:
    results = results_of("sparse30")
    rating = rate(results, prior=0.1)
    assert Meetings.of(rating, results).log_likelihood() > rating.log_likelihood
    bare = rate(simulated(1, np.zeros(4), 9), prior=0.0)
    assert fit(bare, simulated(1, np.zeros(4), 9)).log_likelihood == pytest.approx(bare.log_likelihood)


def test_a_cyclic_part_is_found_with_its_size_and_players() -> None:
    """Rock, paper and scissors among players with otherwise transitive results."""
    bend = np.zeros((8, 8))
    for a, b in ((1, 2), (2, 3), (3, 1)):
        bend[a, b], bend[b, a] = 150, -150
    results = simulated(3, np.linspace(-100, 100, 8), 60, bend=bend)
    made = cyclic(rate(results, **BOTH), results)
    assert made.p_value < 1e-6
    assert made.degrees == 28 - 7
    assert set(made.cycles[0].players) == {"b", "c", "d"}
    assert made.cycles[0].elo == pytest.approx(450 * rate(results, **BOTH).scale, rel=0.25)
    beaten = made.cycles[0].players
    assert "".join(beaten) in "bcdbcd"


def test_the_cyclic_part_of_transitive_results_is_that_of_chance() -> None:
    chances, ratios = [], []
    for seed in range(40):
        results = simulated(seed, np.linspace(-300, 300, 8), 3)
        made = cyclic(rate(results, **BOTH), results)
        chances.append(made.p_value)
        ratios.append(made.cyclic / made.by_chance)
    assert 0.35 < np.mean(chances) < 0.65
    assert np.mean(ratios) == pytest.approx(1, abs=0.06)
    assert min(chances) > 1e-4


def test_the_size_by_chance_has_its_limit_for_many_games() -> None:
    """Every independent cycle contributes one over the information, in the mean."""
    results = simulated(2, np.linspace(-100, 100, 8), 400)
    rating = rate(results, **BOTH)
    made = cyclic(rating, results)
    meetings = Meetings.of(rating, results)
    total = float((meetings.games() * meetings.information()).sum())
    assert made.by_chance == pytest.approx(rating.scale * math.sqrt(made.degrees / total), rel=0.05)


def test_without_a_cycle_there_is_no_cyclic_part() -> None:
    made = cyclic(rate(results_of("two_players")), results_of("two_players"))
    assert (made.degrees, made.cyclic, made.cycles) == (0, 0.0, ())


def test_certain_results_are_not_a_sign_of_cycles() -> None:
    """Nearly all simulated tournaments are equal, and the few others differ widely: not a gamma distribution."""
    results = Results.from_games([("a", "b", "1-0"), ("a", "c", "1-0"), ("b", "c", "1-0")])
    assert cyclic(rate(results, prior=0), results).p_value > 0.9


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        pytest.param([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], [1 / 3, 1 / 3, 1 / 3], id="rock, paper, scissors"),
        pytest.param([[0, 2, -1], [-2, 0, 1], [1, -1, 0]], [0.25, 0.25, 0.5], id="a heavier rock"),
        pytest.param([[0, 1, 2], [-1, 0, 1], [-2, -1, 0]], [1, 0, 0], id="a best one"),
        pytest.param([[0, 0, 1], [0, 0, 1], [-1, -1, 0]], [0.5, 0.5, 0], id="two alike share"),
        pytest.param(np.zeros((4, 4)).tolist(), [0.25] * 4, id="all alike"),
        pytest.param([[0, 1e-16, 1e-16], [-1e-16, 0, 1e-16], [-1e-16, -1e-16, 0]], [1 / 3] * 3, id="but for rounding"),
        pytest.param(
            [[0, 1, -1, -1, 1], [-1, 0, 1, 1, 1], [1, -1, 0, 0, 1], [1, -1, 0, 0, 1], [-1, -1, -1, -1, 0]],
            [1 / 3, 1 / 3, 1 / 6, 1 / 6, 0],
            id="a copy of scissors gains nothing",
        ),
    ],
)
def test_equilibria_of_maximal_entropy(matrix: list[list[float]], expected: list[float]) -> None:
    found = maximal_entropy_equilibrium(np.array(matrix, dtype=float) / 4)
    assert found == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("seed", range(8))
def test_no_player_gains_against_the_equilibrium(seed: int) -> None:
    generator = np.random.default_rng(seed)
    half = generator.normal(size=(25, 25)) / 20
    shares = maximal_entropy_equilibrium(half - half.T)
    assert shares.sum() == pytest.approx(1)
    assert shares.min() >= 0
    assert ((half - half.T) @ shares).max() < 1e-6


def test_a_copy_of_a_player_does_not_change_the_others() -> None:
    """Elo counts a copy twice; the equilibrium gives both together what one had (Balduzzi et al., section 4)."""
    bend = np.zeros((4, 4))
    for a, b in ((0, 1), (1, 2), (2, 0)):
        bend[a, b], bend[b, a] = 200, -200
    once = simulated(9, np.array([0, 0, 0, -300.0]), 500, bend=bend)
    copied: list[Any] = list(once.rows)
    copied += [tuple(4 if player == 2 else player for player in row[:2]) + row[2:] for row in once.rows if 2 in row[:2]]
    twice = Results((*once.names, "copy"), (*copied, (2, 4, 100, 50, 70), (4, 2, 100, 50, 70)))
    shares = [
        {player.name: player.share for player in nash(rate(results, **BOTH), results)} for results in (once, twice)
    ]
    assert shares[0]["d"] == pytest.approx(0, abs=1e-6)
    assert shares[1]["c"] + shares[1]["copy"] == pytest.approx(shares[0]["c"], abs=0.05)
    assert shares[1]["a"] == pytest.approx(shares[0]["a"], abs=0.05)


def test_payoffs_are_actual_or_predicted_scores() -> None:
    results = Results(("a", "b", "c"), ((0, 1, 300, 0, 100), (1, 0, 100, 0, 300), (1, 2, 3, 0, 1)))
    rating = rate(results, advantage=0.0, draw_elo=0.01)
    matrix = payoffs(rating, results)
    np.testing.assert_allclose(matrix, -matrix.T, atol=1e-12)
    place = {player.name: number for number, player in enumerate(rating.players)}
    elo = {player.name: player.elo for player in rating.players}
    assert matrix[place["a"], place["b"]] == pytest.approx(0.25, abs=0.002)
    assert matrix[place["a"], place["c"]] == pytest.approx(
        1 / (1 + 10 ** ((elo["c"] - elo["a"]) / 400)) - 0.5, abs=1e-3
    )


def paired_games(seed: int, swing: float) -> list[tuple[str, str, int, str]]:
    """Two games of each opening between equals; an opening gives the first player `swing` Elo more or less."""
    generator = np.random.default_rng(seed)
    games = []
    for number, (a, b) in enumerate(itertools.combinations(NAMES[:6], 2)):
        for opening, more in enumerate(generator.choice([-swing, swing], 40).tolist()):
            shares = np.exp(MODELS["bayeselo"].log_outcomes(np.array([more]), 32.8, 97.3)[:, 0])
            results = generator.choice(["1-0", "1/2-1/2", "0-1"], 2, p=shares / shares.sum()).tolist()
            games += [(a, b, 100 * number + opening, results[0]), (b, a, 100 * number + opening, results[1])]
    return games


@pytest.mark.slow
@pytest.mark.parametrize(("swing", "ratio"), [(0.0, 1.0), (400.0, 0.3)])
def test_errors_from_pairs_are_correct(swing: float, ratio: float) -> None:
    """Over many tournaments of equals, whose ratings should be 0. The usual errors are true without a swing only."""
    squares, paired, usual, ratios = [], [], [], []
    for seed in range(40):
        games = paired_games(seed, swing)
        rating = rate(Results.from_games((first, second, result) for first, second, _, result in games))
        made = paired_errors(rating, games)
        assert made is not None
        assert (made.pairs, made.single, sum(made.pentanomial)) == (600, 0, 600)
        squares += [player.elo**2 for player in rating.players]
        usual += [player.plus**2 for player in rating.players]
        paired += [plus**2 for plus in made.plus]
        ratios.append(made.variance_ratio)
    true, found, independent = (math.sqrt(np.mean(values)) for values in (squares, paired, usual))
    assert found / 1.96 == pytest.approx(true, rel=0.15)
    assert np.mean(ratios) == pytest.approx(ratio, abs=0.1)
    assert independent / found == pytest.approx(1, abs=0.05) if not swing else independent > 1.4 * found


def test_certain_pairs_have_no_scatter() -> None:
    games = [("a", "b", 0, "1/2-1/2"), ("b", "a", 0, "1/2-1/2")]
    results = Results.from_games((first, second, result) for first, second, _, result in games)
    analysis = analyse(rate(results, advantage=0.0), results, 2.0, games)
    assert fit_document(analysis)["fit"]["pairs"]["variance_ratio"] is None
    assert "nan" not in analysis_text(analysis)


def test_pairs_are_found_in_any_order() -> None:
    games = [
        ("a", "b", 1, "1-0"),
        ("a", "b", 2, "1-0"),
        ("b", "a", 2, "0-1"),
        ("b", "a", 1, "1/2-1/2"),
        ("a", "b", 3, "1-0"),
    ]
    rating = rate(Results.from_games((first, second, result) for first, second, _, result in games))
    made = paired_errors(rating, games)
    assert made is not None
    assert (made.pairs, made.single, made.pentanomial) == (2, 1, (0, 0, 0, 1, 1))
    assert paired_errors(rating, games[:2]) is None
