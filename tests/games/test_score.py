"""Scores and their intervals."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from fiedler.games.score import interval, score_text

COUNTS = st.integers(min_value=0, max_value=2000)


@given(wins=COUNTS, losses=COUNTS)
def test_without_draws_it_is_the_interval_of_wilson(wins: int, losses: int) -> None:
    if not wins + losses:
        assert interval(0.0, 0.0, 0) == (0.0, 1.0)
        return
    expected = binomtest(wins, wins + losses).proportion_ci(0.95, method="wilson")
    assert interval(wins, wins, wins + losses) == pytest.approx((expected.low, expected.high), abs=1e-12)


@given(wins=COUNTS, draws=COUNTS, losses=COUNTS)
def test_it_holds_the_score_and_stays_within_0_and_1(wins: int, draws: int, losses: int) -> None:
    games = wins + draws + losses
    if games:
        low, high = interval(wins + draws / 2, wins + draws / 4, games)
        assert 0 <= low <= (wins + draws / 2) / games + 1e-12
        assert 1 >= high >= (wins + draws / 2) / games - 1e-12
        assert high - low > 0.1 / games, "never certain"


def test_draws_make_a_score_better_known_and_reversing_it_mirrors_it() -> None:
    low, high = interval(60, 60, 100)
    drawn_low, drawn_high = interval(60, 40, 100)
    assert drawn_high - drawn_low < 0.75 * (high - low)
    assert interval(40, 40, 100) == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize(
    ("mean", "bounds", "digits", "text"),
    [
        (0.5, (0.401, 0.599), 0, "50 ± 10 %"),
        (1.0, (0.712, 1.0), 0, "100 % (71–100 %)"),
        (0.0, (0.0, 0.0349), 1, "0.0 % (0.0–3.5 %)"),
        (0.6, (0.502, 0.691), 1, "60.0 % (50.2–69.1 %)"),
        (math.nan, (0.0, 1.0), 0, "?"),
    ],
)
def test_a_score_in_words(mean: float, bounds: tuple[float, float], digits: int, text: str) -> None:
    assert score_text(mean, bounds, digits) == text
