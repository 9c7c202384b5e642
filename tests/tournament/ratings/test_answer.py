"""The best player: its probability, the missing games, the test for equal players, and the sentence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import chdtrc, ndtr, ndtri
from scipy.stats import multivariate_normal

from fiedler.tournament.ratings import Answer, Rating, Results, answer, rate
from fiedler.tournament.ratings.best import best
from fiedler.tournament.ratings.homogeneity import homogeneity

SAMPLED = 0.006
"""Four standard errors of a probability from 100,000 draws."""


def among(strengths: list[float], games: int, draws: float = 0.1, advantage: float = 30.0, seed: int = 1) -> Results:
    """Return random results of all pairs, `games` with each colour."""
    source, rows = np.random.default_rng(seed), []
    for i, one in enumerate(strengths):
        for j, other in enumerate(strengths):
            win = 1 / (1 + 10 ** (-(one - other + advantage) / 400))
            counts = source.multinomial(games, [win * (1 - draws), draws, (1 - win) * (1 - draws)]).tolist()
            rows += [(i, j, *counts)] if i != j else []
    return Results(tuple(f"net-{number}" for number in range(len(strengths))), tuple(rows))


@given(st.floats(0, 400), st.floats(1, 200), st.floats(1, 200), st.floats(-0.9, 0.9))
def test_p_best_of_two_players_is_the_likelihood_of_superiority(
    gap: float, a: float, b: float, correlation: float
) -> None:
    covariance = np.array([[a * a, correlation * a * b], [correlation * a * b, b * b]])
    found = best(np.array([0.0, gap]), covariance)
    error = math.sqrt(a * a + b * b - 2 * correlation * a * b)
    assert found.chances[1] == pytest.approx(ndtr(gap / error), abs=1e-12 if gap else SAMPLED)
    expected = max(1.0, (ndtri(0.95) * error / gap) ** 2) if gap > 1e-3 else None
    assert expected is None or found.growth == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("players", [3, 7, 40])
def test_equal_players_have_equal_p_best(players: int) -> None:
    found = best(np.zeros(players), np.eye(players) - 1 / players)
    np.testing.assert_allclose(found.chances, 1 / players, atol=SAMPLED)
    assert found.growth == math.inf


def test_p_best_is_the_probability_of_an_orthant() -> None:
    """Of four players with any covariance, by another method: scipy's cubature."""
    source = np.random.default_rng(5)
    root = source.standard_normal((4, 4))
    covariance, elo = root @ root.T * 900, np.array([40.0, 25.0, 0.0, -30.0])
    found = best(elo, covariance)
    for player in range(4):
        others = [other for other in range(4) if other != player]
        difference = np.zeros((3, 4))
        difference[range(3), others], difference[:, player] = 1.0, -1.0
        behind = multivariate_normal(difference @ elo, difference @ covariance @ difference.T)
        assert found.chances[player] == pytest.approx(float(behind.cdf(np.zeros(3))), abs=SAMPLED)
    assert found.chances.sum() == pytest.approx(1.0, abs=SAMPLED)


def test_growth_of_the_games_decides_the_leader() -> None:
    root = np.random.default_rng(6).standard_normal((6, 6))
    covariance, elo = root @ root.T * 400, np.array([60.0, 45.0, 40.0, 20.0, 0.0, -10.0])
    found = best(elo, covariance)
    assert found.chances[0] < 0.9
    assert best(elo, covariance / found.growth).chances[0] == pytest.approx(0.95, abs=SAMPLED)


def test_held_players_have_no_error() -> None:
    found = best(np.array([10.0, 0.0, 0.0]), np.diag([0.0, 0.0, 0.01]))
    assert found.chances.tolist() == [1.0, 0.0, 0.0]
    assert found.growth == 1.0


def test_p_best_of_a_thousand_players() -> None:
    found = best(np.linspace(0, -30, 1000), np.eye(1000) * 400)
    assert found.chances.sum() == pytest.approx(1.0, abs=0.02)
    assert found.chances[0] > found.chances[-1]


@pytest.mark.parametrize(("draws", "advantage"), [(0.0, 0.0), (0.5, 100.0)])
def test_p_values_are_uniform_for_equal_players(draws: float, advantage: float) -> None:
    p_values = [homogeneity(among([0.0] * 6, 3, draws, advantage, seed)).p_value for seed in range(400)]
    assert np.mean(p_values) == pytest.approx(0.5, abs=0.06)
    assert 0.01 <= np.mean(np.array(p_values) < 0.05) <= 0.09


def test_some_players_are_compared_by_their_games_against_all() -> None:
    """Four equals among strong and weak ones, with no game between the equals."""
    strengths = [0.0] * 4 + [300.0, -200.0]
    p_values = []
    for seed in range(200):
        full = among(strengths, 10, seed=seed)
        rows = tuple(row for row in full.rows if row[0] >= 4 or row[1] >= 4)
        found = homogeneity(Results(full.names, rows), full.names[:4])
        assert found.degrees == 3
        p_values.append(found.p_value)
    assert np.mean(p_values) == pytest.approx(0.5, abs=0.09)
    assert homogeneity(full).p_value < 1e-6


def test_homogeneity_of_two_players_is_the_test_of_equal_scores() -> None:
    """Wins and losses of one first player against another: the variance of n games, over n - 1."""
    results = Results(("a", "b"), ((0, 1, 30, 0, 10), (1, 0, 15, 0, 25)))
    found = homogeneity(results)
    games, mean = 80, 45 / 80
    variance = (45 - games * mean**2) / (games - 1)
    assert found.degrees == 1
    assert found.chi_square == pytest.approx(15**2 / (games * variance))  # 55 of a's 80 points, 40 expected
    assert found.p_value == pytest.approx(chdtrc(1, found.chi_square))


@pytest.mark.parametrize(
    "results",
    [
        Results((), ()),
        Results(("a",), ()),
        Results(("a", "b"), ((0, 0, 3, 1, 2),)),
        Results(("a", "b"), ((0, 1, 0, 4, 0), (1, 0, 0, 4, 0))),
        Results(("a", "b"), ((0, 1, 4, 0, 1),)),
    ],
)
def test_results_without_information_have_no_p_value(results: Results) -> None:
    """Games with one colour alone, and identical games, have no information on the players."""
    found = homogeneity(results)
    assert (found.degrees, math.isnan(found.p_value)) == (0, True)


def test_a_clear_winner_is_named_with_its_lead() -> None:
    results = among([150, 0, 0], 60)
    found = answer(rate(results), results)
    assert found.decided
    assert (found.best, found.p_equal, found.more_games) == ("net-0", None, 0)
    ahead = f"{found.gap:.0f} ± {found.gap_error:.0f} Elo ahead of {found.second} (95 % interval)"
    assert found.text == f"net-0 is best: P(best) > 99 %, {ahead}"


def test_the_lead_has_the_error_of_the_difference() -> None:
    results = among([80, 40, 0], 20)
    rating = rate(results)
    found = answer(rating, results)
    assert found.gap == pytest.approx(rating.players[0].elo - rating.players[1].elo)
    assert found.gap_error == pytest.approx(ndtri(0.975) * rating.difference_errors()[0, 1])


def test_the_answer_reports_that_no_difference_is_found() -> None:
    results = among([0.0] * 12, 3, seed=4)
    found = answer(rate(results), results)
    assert not found.decided
    assert not found.shows_difference
    assert found.text.startswith(
        f"undecided: no difference found (p = {found.p_equal:.2f}), about {found.more_games} more"
    )
    assert "best" not in found.text


def test_two_leaders_are_undecided_with_the_missing_games() -> None:
    results = among([200.0, 195.0, 0.0, -100.0], 30, seed=2)
    found = answer(rate(results), results)
    assert not found.decided
    assert found.shows_difference
    assert found.p_best is not None
    assert found.more_games is None or found.more_games > 0
    assert found.text.startswith("undecided: ")
    assert f"{found.best} leads: P(best) = " in found.text


def test_players_of_equal_rating_need_more_than_a_million_games() -> None:
    results = Results(("a", "b"), ((0, 1, 5, 2, 3), (1, 0, 5, 2, 3)))
    found = answer(rate(results), results)
    assert found.more_games is None
    assert "more than a million more games" in found.text


@pytest.mark.parametrize(
    ("results", "text"),
    [
        (Results((), ()), "undecided: no two players have games"),
        (
            Results(tuple("abcd"), ((0, 1, 4, 0, 0), (1, 0, 1, 0, 3), (2, 3, 1, 1, 1))),
            "undecided: not all players can be compared",
        ),
    ],
)
def test_the_answer_gives_the_reason_if_it_is_unknown(results: Results, text: str) -> None:
    found = answer(rate(results), results)
    assert (found.text, found.decided, found.best) == (text, False, None)
    assert set(found.document()) == {
        *("text", "decided", "best", "p_best", "second", "gap", "gap_error", "more_games", "p_equal", "trends"),
        *("p_within", "loss"),
    }


def test_the_answer_may_compare_some_players_only() -> None:
    results = among([100.0, 400.0, 0.0, -100.0], 60)
    rating: Rating = rate(results)
    found: Answer = answer(rating, results, {"net-0", "net-2", "net-3"})
    assert (found.best, found.decided) == ("net-0", True)


def test_the_answer_is_decided_at_the_given_confidence() -> None:
    results = among([60.0, 30.0, -40.0], 10, seed=3)
    rating = rate(results)
    usual = answer(rating, results)
    assert usual.p_best is not None
    assert usual.p_best < 0.95
    below = answer(rating, results, confidence=usual.p_best - 0.01)
    assert below.decided
    assert below.text.startswith(f"{usual.best} is best: P(best) = ")
    above = answer(rating, results, confidence=0.99)
    assert f"about {above.more_games} more games for 99 %" in above.text
    assert above.more_games is not None
    assert usual.more_games is not None
    assert above.more_games > usual.more_games


def test_a_closed_tournament_needs_no_more_games() -> None:
    results = among([0.0] * 4, 3, seed=4)
    for games in (results, among([200.0, 195.0, 0.0, -100.0], 30, seed=2)):
        found = answer(rate(games), games, closed=True)
        assert (found.decided, found.more_games) == (False, None)
        assert "undecided" not in found.text
        assert "more game" not in found.text
        assert " Elo ahead of " in found.text


def test_no_player_leads_below_one_half() -> None:
    results = among([100.0, 99.0, 98.0, 97.0, -300.0], 30, seed=2)
    found = answer(rate(results), results)
    assert found.p_best is not None
    assert found.p_best < 0.5
    assert found.shows_difference
    assert f"; {found.best} is first: P(best) = " in found.text


def test_the_same_games_give_the_same_answer() -> None:
    results = among([30.0, 20.0, 10.0, 0.0], 10)
    first, second = (answer(rate(results), results) for _ in range(2))
    assert first == second
