"""Davidson's model of draws, beside that of Rao and Kupper."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from fiedler.tournament.ratings import Results, rate
from fiedler.tournament.ratings.davidson import Davidson
from fiedler.tournament.ratings.likelihood import Likelihood, Point
from fiedler.tournament.ratings.model import MODELS
from fiedler.tournament.ratings.pairs import Pairs
from fiedler.tournament.ratings.rao_kupper import RaoKupper
from tests.tournament.ratings.ratings_cases import case, results_of, run_of
from tests.tournament.ratings.test_model import connected_results

PROPERTY = settings(max_examples=25, deadline=None)


@pytest.mark.parametrize("model", MODELS.values())
@given(difference=st.floats(-3000, 3000), advantage=st.floats(-200, 200), draw_elo=st.floats(0.01, 500))
@PROPERTY
def test_outcomes_are_probabilities(
    model: type[Likelihood], difference: float, advantage: float, draw_elo: float
) -> None:
    outcomes = np.exp(model.log_outcomes(np.array([difference]), advantage, draw_elo))
    assert outcomes.sum() == pytest.approx(1)
    turned = np.exp(model.log_outcomes(np.array([-difference]), -advantage, draw_elo))
    np.testing.assert_allclose(turned[::-1], outcomes)


@pytest.mark.parametrize("draw_elo", [0.01, 97.3, 250.0])
def test_near_equal_players_draw_and_score_equally_in_both_models(draw_elo: float) -> None:
    equal = [np.exp(model.log_outcomes(np.array([0.0]), 0.0, draw_elo))[1, 0] for model in MODELS.values()]
    share = 10 ** (draw_elo / 400)
    assert equal == pytest.approx([(share - 1) / (share + 1)] * 2)
    for model in MODELS.values():
        wins, draws, _ = np.exp(model.log_outcomes(np.array([1 / model.scale(draw_elo)]), 0.0, draw_elo))[:, 0]
        assert wins + draws / 2 == pytest.approx(1 / (1 + 10 ** (-1 / 400)), abs=1e-7)


def test_the_recorded_probabilities_of_the_original_are_those_of_rao_and_kupper() -> None:
    run = run_of("two_players", "p_table")
    rows = iter(run["parsed"]["p"])
    parameters = {"advantage": 32.8, "drawelo": 97.3}
    for step in run["steps"]:
        command, *values = step["cmd"].split()
        if command in parameters and values:
            parameters[command] = float(values[0])
        if command == "p":
            white, black, result, probability = next(rows)
            logs = RaoKupper.log_outcomes(np.array([white - black]), parameters["advantage"], parameters["drawelo"])
            assert np.exp(logs[2 - int(result), 0]) == pytest.approx(probability, abs=1e-6)
    assert next(rows, None) is None


@PROPERTY
@given(connected_results())
def test_slopes_are_the_differences_of_the_value(results: Results) -> None:
    """Also the second ones, from the first."""
    likelihood = Davidson(Pairs.of(results).with_prior(2.0))
    size = len(results.names)
    point = Point(np.linspace(-100, 250, size), 20.0, 80.0)
    slopes = likelihood.slopes(point)
    length = 1e-4
    for place in range(size + 2):
        step = np.zeros(size + 2)
        step[place] = 1
        back, ahead = (likelihood.moved(point, step, side * length) for side in (-1, 1))
        difference = (likelihood.value(ahead) - likelihood.value(back)) / (2 * length)
        assert slopes.gradient[place] == pytest.approx(difference, abs=1e-5, rel=1e-5)
        bend = -(likelihood.slopes(ahead).gradient - likelihood.slopes(back).gradient) / (2 * length)
        if place < size:
            assert bend[-2:] == pytest.approx(
                [
                    likelihood.pairs.per_player(values, -values)[place]
                    for values in (slopes.with_advantage, slopes.with_draws)
                ],
                abs=1e-6,
            )
            both = likelihood.pairs.per_player(slopes.curvature, slopes.curvature)
            assert bend[place] == pytest.approx(both[place], abs=1e-6)
        else:
            assert bend[-2:] == pytest.approx(slopes.parameters[place - size], abs=1e-6)


@PROPERTY
@given(connected_results())
def test_a_general_optimiser_finds_nothing_better(results: Results) -> None:
    rating = rate(results, model="davidson", advantage="fit", draw_elo="fit")
    if any("no maximum" in warning for warning in rating.warnings):
        return
    likelihood = Davidson(Pairs.of(results.rateable()).with_prior(2.0))
    size = len(results.rateable().names)

    def cost(values: np.ndarray) -> float:
        return -likelihood.value(Point(values[:size], float(values[size]), float(np.exp(values[size + 1]))))

    other = minimize(cost, np.array([*[0.0] * size, 30.0, 4.0]), method="BFGS")
    assert -other.fun <= rating.log_likelihood + 1e-6


def test_ratings_depend_on_points_alone() -> None:
    """A draw with each of two equals is worth a win over one and a loss to the other: not so in the Bayes-Elo model."""
    rows = [(2, 3, 5, 5, 5), (3, 2, 5, 5, 5)]
    drawn = Results(tuple("abcd"), ((0, 2, 0, 8, 0), (2, 0, 0, 8, 0), (1, 2, 8, 0, 0), (2, 1, 8, 0, 0), *rows))
    elo = {player.name: player.elo for player in rate(drawn, model="davidson", advantage=0.0, prior=0.0).players}
    assert elo["a"] == pytest.approx(elo["b"])


def test_the_true_model_is_more_likely() -> None:
    """The games of the case were simulated in the Bayes-Elo model, and others here in Davidson's."""
    truth = case("checkpoints100")["truth"]
    elo = np.array(truth["elo"])
    generator = np.random.default_rng(3)
    rows = []
    for first, second, *counts in results_of("checkpoints100").rows:
        logs = Davidson.log_outcomes(np.array([elo[first] - elo[second]]), 45.0, 80.0)[:, 0]
        rows.append((first, second, *generator.multinomial(sum(counts), np.exp(logs)).tolist()))
    simulated = Results(results_of("checkpoints100").names, tuple(rows))
    options = {"advantage": "fit", "draw_elo": "fit", "prior": 0.1}
    for results, better, other in (
        (simulated, "davidson", "bayeselo"),
        (results_of("checkpoints100"), "bayeselo", "davidson"),
    ):
        values = [rate(results, model=model, **options).log_likelihood for model in (better, other)]  # type: ignore[arg-type]
        assert values[0] > values[1] + 5
    found = rate(simulated, model="davidson", **options)  # type: ignore[arg-type]
    assert (found.advantage, found.draw_elo) == pytest.approx((45.0, 80.0), abs=8)
