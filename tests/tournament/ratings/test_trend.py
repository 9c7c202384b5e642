"""The trend of a series: an order that the test of equal players ignores."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from fiedler.tournament.ratings import Results, answer, rate
from fiedler.tournament.ratings.homogeneity import homogeneity
from fiedler.tournament.ratings.model import PlayerRating
from fiedler.tournament.ratings.pairs import Floats, Integers
from fiedler.tournament.ratings.trend import Trend, _statistic, trends
from tests.tournament.ratings.test_answer import among


def block_of(covariance: Floats) -> Callable[[Integers], Floats]:
    return lambda rows: covariance[np.ix_(rows, rows)]


def found_in(results: Results) -> list[Trend]:
    rating = rate(results)
    return list(trends(rating.players, block_of(rating.covariance()), results))


def numbered(*elo: float, stem: str = "net-") -> list[PlayerRating]:
    some = rate(among([0.0, 0.0], 2)).players[0]
    return [replace(some, name=f"{stem}{place:04d}", elo=value) for place, value in enumerate(elo, 1)]


def points(players: list[PlayerRating]) -> Results:
    """Return six games of every pair of neighbours with 4, 2 or 3 points for the higher rated one."""
    names = tuple(player.name for player in players)
    rows = []
    for place, (one, other) in enumerate(itertools.pairwise(players)):
        wins = 3 + int(np.sign(one.elo - other.elo))
        rows += [(place, place + 1, wins, 0, 6 - wins), (place + 1, place, 6 - wins, 0, wins)]
    return Results(names, tuple(rows))


def test_the_line_is_that_of_weighted_least_squares() -> None:
    elo, deviations = np.array([3.0, -1.0, 10.0, 12.0, 9.0]), np.array([5.0, 8.0, 2.0, 4.0, 6.0])
    players = numbered(*elo)
    (found,) = trends(players, block_of(np.diag(deviations**2)), points(players))
    slope = np.polyfit(np.arange(5.0), elo, 1, w=1 / deviations)[0]
    assert found.rise == pytest.approx(4 * slope)
    assert (found.first, found.last, found.players) == ("net-0001", "net-0005", 5)


def test_an_error_that_all_share_changes_nothing() -> None:
    players, own = numbered(3.0, -1.0, 10.0, 12.0), np.diag([25.0, 64.0, 4.0, 16.0])
    (alone,), (shared,) = (trends(players, block_of(own + all_share), points(players)) for all_share in (0.0, 1e4))
    assert shared.rise == pytest.approx(alone.rise)


def test_the_statistic_of_two_players_by_hand() -> None:
    """Players 1 to 4, of whom only 1 and 4 met: 40 games, 26 points for the later one."""
    results = Results(("n1", "n2", "n3", "n4"), ((3, 0, 13, 0, 7), (0, 3, 7, 0, 13)))
    mean, games = 20 / 40, 40
    variance = (20 - games * mean**2) / (games - 1)
    assert _statistic(results.names, results) == pytest.approx(6 / math.sqrt(games * variance))


@pytest.mark.parametrize(("draws", "advantage"), [(0.0, 0.0), (0.5, 100.0)])
def test_equal_players_have_a_trend_by_chance_in_five_of_a_hundred(draws: float, advantage: float) -> None:
    """Whatever the rates of draws and of first wins are, which differ from those of the rating."""
    names = [f"net-{place}" for place in range(6)]
    z = [_statistic(names, among([0.0] * 6, 3, draws, advantage, seed)) for seed in range(600)]
    assert np.mean(z) == pytest.approx(0.0, abs=0.12)
    assert np.std(z) == pytest.approx(1.0, abs=0.1)
    assert 0.025 <= np.mean(np.abs(z) > 1.96) <= 0.08


def test_a_series_may_be_compared_by_its_games_against_others() -> None:
    """Four equals among a strong and a weak player, with no game between the equals."""
    z = []
    for seed in range(300):
        full = among([0.0] * 4 + [300.0, -200.0], 10, seed=seed)
        rows = tuple(row for row in full.rows if row[0] >= 4 or row[1] >= 4)
        z.append(_statistic(full.names[:4], Results(full.names, rows)))
    assert np.std(z) == pytest.approx(1.0, abs=0.12)


def test_a_slow_rise_is_found_that_the_test_of_equal_players_misses() -> None:
    """Twenty checkpoints, each 3 Elo above the one before."""
    by_trend = by_differences = 0
    for seed in range(30):
        results = among([3.0 * place for place in range(20)], 4, seed=seed)
        (found,) = found_in(results)
        by_trend += found.is_shown and found.rise > 0
        by_differences += homogeneity(results).p_value < 0.05
    assert by_trend >= 20
    assert by_trend >= 2 * by_differences


def test_the_rise_is_that_of_the_truth() -> None:
    rises = [found_in(among([5.0 * place for place in range(12)], 60, seed=seed))[0] for seed in range(20)]
    assert np.mean([one.rise for one in rises]) == pytest.approx(55.0, abs=8.0)


def test_the_answer_names_the_trend_in_place_of_no_difference() -> None:
    results = next(
        results
        for seed in range(100)
        if homogeneity(results := among([3.0 * place for place in range(20)], 4, seed=seed)).p_value > 0.1
        and found_in(results)[0].p_value < 0.001
    )
    found = answer(rate(results), results)
    sentence = (
        r"undecided: the curve rises by \d+ Elo from net-0 to net-19 \(z = \d\.\d, p < 0\.001\); about \d+ more games "
        r"for 95 %; net-\d+ is \d+ ± \d+ Elo ahead of net-\d+ \(95 % interval\); without the order p = 0\.\d\d"
    )
    assert re.fullmatch(sentence, found.text)
    assert found.shows_difference
    (document,) = found.document()["trends"]
    assert set(document) == {*("first", "last", "players", "rise", "z", "p_value")}


def test_a_known_best_player_and_the_trend_stand_together() -> None:
    results = among([60.0 * place for place in range(6)], 200)
    found = answer(rate(results), results)
    assert re.fullmatch(
        r"net-5 is best: P\(best\) > 99 %, .*; the curve rises by \d+ Elo from net-0 to net-5 \(z = .*, p < 0\.001\)",
        found.text,
    )
    falling = among([-60.0 * place for place in range(6)], 200)
    assert "the curve falls by " in answer(rate(falling), falling).text


def test_players_without_an_order_have_no_trend() -> None:
    results = Results(tuple("abcde"), tuple((i, j, 5, 2, 3) for i in range(5) for j in range(i)))
    assert found_in(results) == []
    assert answer(rate(results), results).trends == ()


def test_a_line_without_errors_is_no_trend() -> None:
    players = numbered(1, 2, 3, 4)
    assert list(trends(players, block_of(np.zeros((4, 4))), points(players))) == []


def test_each_series_has_its_own_trend_the_longest_first() -> None:
    players = [*numbered(1, 2, 3, 4, stem="old-"), *numbered(9, 7, 5, 3, 1, stem="new-")]
    longer, shorter = trends(players, block_of(np.eye(9)), points(players))
    assert (longer.first, round(longer.rise), shorter.first, round(shorter.rise)) == ("new-0001", -8, "old-0001", 3)
    assert longer.z < 0 < shorter.z


@pytest.mark.parametrize(
    ("rise", "z", "p_value", "text", "summary"),
    [
        (
            73.2,
            4.52,
            6e-6,
            "rises by 73 Elo from n1 to n9 (z = 4.5, p < 0.001)",
            "rises by 73 Elo (z = 4.5, p < 0.001)",
        ),
        (
            -8,
            -2.01,
            0.044,
            "falls by 8 Elo from n1 to n9 (z = -2.0, p = 0.044)",
            "falls by 8 Elo (z = -2.0, p = 0.044)",
        ),
        (3, 0.3, 0.764, "has no trend from n1 to n9 (z = 0.3, p = 0.76)", "no trend (z = 0.3, p = 0.76)"),
    ],
)
def test_a_trend_is_a_sentence(rise: float, z: float, p_value: float, text: str, summary: str) -> None:
    found = Trend("n1", "n9", 9, rise, z, p_value)
    assert (found.text, found.summary) == (f"the curve {text}", summary)
