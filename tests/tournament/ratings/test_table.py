"""The ranking as text."""

from __future__ import annotations

import itertools
import math

import pytest
from rich.cells import cell_len

from fiedler.tournament.ratings import PlayerRating, Rating, Results, rate, table
from fiedler.tournament.ratings.table import rounded


def test_the_table_has_this_text() -> None:
    results = Results.from_games([("strong", "weak", "1-0")] * 3 + [("weak", "strong", "1/2-1/2")])
    assert table(rate(results)).splitlines() == [
        "Rank Name     Elo    +    - games score oppo. draws",
        "   1 strong    73  114  114     4   88%   -73   25%",
        "   2 weak     -73  114  114     4   13%    73   25%",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "1"), (-0.5, "-1"), (1.4999, "1"), (-2.5, "-3"), (-0.2, "0"), (math.nan, "?"), (math.inf, "?")],
)
def test_halves_are_rounded_away_from_zero(value: float, text: str) -> None:
    assert rounded(value) == text


def test_a_half_percent_survives_the_division() -> None:
    """11.5 of 20 points are 57.5 %, which no binary fraction is."""
    results = Results.from_games([("a", "b", "1-0")] * 11 + [("a", "b", "1/2-1/2")] + [("a", "b", "0-1")] * 8)
    assert " 58% " in table(rate(results)).splitlines()[1]


def test_columns_are_aligned_for_any_names() -> None:
    names = ["plain", "日本語 エンジン", "e\u0301te\u0301", "👩‍🚀", "a\nb\x1b[31m", "x" * 70]
    games = [(a, b, "1/2-1/2") for a, b in itertools.pairwise(names)]
    lines = table(rate(Results.from_games(games))).splitlines()
    assert len(lines) == len(names) + 1
    assert len({cell_len(line) for line in lines}) == 1
    assert "\x1b" not in "".join(lines)


def test_wide_numbers_stay_separate() -> None:
    player = PlayerRating("n", -12345.6, 123456.0, 7.0, 1234567, 1.0, 98765.4, 0.0)
    rating = Rating((player,), 0.0, 97.3, 1.0, 0.0, (), lambda: None, lambda: None)  # type: ignore[arg-type, return-value]
    assert table(rating).splitlines()[1] == "   1 n    -12346 123456    7 1234567  100% 98765    0%"
