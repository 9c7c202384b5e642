"""Whether players score alike at all places: exact on small cases, right by chance, and sharp for a bad place."""

from __future__ import annotations

import math
import random

import pytest

from fiedler.tournament.ratings.agreement import Tally, agreements, untested


def test_one_stratum_is_a_sample_without_replacement() -> None:
    found = agreements([("x", "a", "b", "1-0", 3), ("x", "a", "b", "0-1", 1), ("y", "a", "b", "0-1", 4)])
    # Of 8 games 3 are won. Of the 4 at x, 1.5 are expected and 3 won; the variance is 4·4/8 · (3 - 9/8)/7.
    deviation = 1.5 / math.sqrt(2 * (3 - 9 / 8) / 7)
    assert found["x"].deviations == pytest.approx({"a": deviation, "b": -deviation})
    assert found["y"].deviations == pytest.approx({"a": -deviation, "b": deviation})
    assert found["x"].degrees == 1
    assert found["x"].chi_square == pytest.approx(deviation**2)


def test_a_single_place_and_equal_results_say_nothing() -> None:
    found = agreements([("x", "a", "b", "1-0", 3), ("x", "a", "b", "0-1", 1)])
    assert (found["x"].degrees, found["x"].deviations) == (0, {})
    assert math.isnan(found["x"].p_value)
    assert agreements([("x", "a", "b", "1-0", 3), ("y", "a", "b", "1-0", 1)])["x"].degrees == 0
    assert agreements([]) == {}


def test_places_without_a_test_are_explained_once_for_each_reason() -> None:
    one_game = [("x", "a", "b", "1-0", 1), ("y", "b", "a", "1-0", 1)]
    never = "no test of x and y: no pair has played here and elsewhere with the same player first"
    assert untested(one_game, "xyz", meets_once=False) == [
        f"{never}, at least 1 more game is missing",
        "no test of z: no game yet, at least 1 is missing",
    ]
    (line,) = untested(one_game, "xy", meets_once=True)
    assert line.endswith("; with games_per_pair = 2 each pair plays one such game, 4 or more allow a test")
    assert untested([], "x", meets_once=True) == ["no test of x: no game yet, at least 2 are missing"]
    alike = [("x", "a", "b", "1-0", 3), ("y", "a", "b", "1-0", 1)]
    (line,) = untested(alike, "xy", meets_once=False)
    assert line == (
        "no test of x and y: games that compare ended alike here and elsewhere, "
        "at least 1 more with another result is missing"
    )


@pytest.mark.parametrize(
    ("before", "more"),
    [
        ([], [("x", "a", "b", "1-0", 1), ("y", "a", "b", "0-1", 1)]),
        ([("x", "a", "b", "1-0", 1), ("y", "b", "a", "1-0", 1)], [("x", "b", "a", "0-1", 1)]),
        ([("y", "b", "a", "1-0", 1)], [("x", "b", "a", "0-1", 1)]),
        ([("x", "a", "b", "1-0", 3), ("y", "a", "b", "1-0", 1)], [("y", "a", "b", "0-1", 1)]),
    ],
)
def test_so_few_games_make_a_test(before: list[Tally], more: list[Tally]) -> None:
    (line,) = untested(before, "x", meets_once=False)
    assert f"at least {len(more)} " in line
    assert "x" not in agreements(before) or not agreements(before)["x"].degrees
    assert agreements([*before, *more])["x"].degrees == 1


def games(seed: int, worse: float = 0.0) -> list[Tally]:
    """Return 600 games of 4 players at 3 places; player `a` wins less often at `z`."""
    rng = random.Random(seed)
    played: list[Tally] = []
    for _ in range(600):
        first, second = rng.sample("abcd", 2)
        place = rng.choice("xyz")
        chance = 0.5 + 0.1 * ("abcd".index(second) - "abcd".index(first))
        if place == "z":
            chance += worse * ((second == "a") - (first == "a"))
        played.append((place, first, second, "1-0" if rng.random() < chance else "0-1", 1))
    return played


def test_without_an_effect_p_is_even() -> None:
    values = [agreements(games(seed))["z"].p_value for seed in range(300)]
    assert 0.02 < sum(value < 0.05 for value in values) / 300 < 0.09
    assert 0.42 < sum(value < 0.5 for value in values) / 300 < 0.58


def test_a_player_that_is_worse_at_one_place_is_found() -> None:
    found = agreements(games(1, worse=0.35))["z"]
    assert found.p_value < 1e-4
    assert min(found.deviations, key=lambda name: found.deviations[name]) == "a"
    assert found.deviations["a"] < -4
