"""Every recorded case of the original program, against the imitation and against the maximum."""

from __future__ import annotations

import functools
import itertools
import re

import numpy as np
import pytest

from fiedler.tournament.ratings import Rating, rate, table
from tests.tournament.ratings.ratings_cases import CASES, RUNS, case, order_in, raw, recorded, results_of, run_of

EVERY_RUN = [pytest.param(name, run, id=f"{name}-{run}") for name, run in itertools.product(CASES, RUNS)]
LARGEST = 2**31 / 1e5  # Elo that the recorded tables can hold with five decimals
ONE_UNIT_OF_SIX_DIGITS = 1e-5


@functools.cache
def imitated(name: str, run: str) -> Rating:
    return rate(results_of(name), imitate=True, **RUNS[run])


def test_all_ten_cases_are_there() -> None:
    assert len(CASES) == 10


@pytest.mark.parametrize(("name", "run"), EVERY_RUN)
def test_imitation_gives_the_original_numbers(name: str, run: str) -> None:
    rating = imitated(name, run)
    parsed = run_of(name, run)["parsed"]
    columns = {"elo": "elo", "plus": "plus", "minus": "minus", "opponents": "oppo"}
    for ours, theirs in columns.items():
        wanted = recorded(parsed["hires"][0][theirs])
        found = raw(rating, name, ours)
        found[np.abs(found) > LARGEST] = np.nan
        np.testing.assert_allclose(found, wanted, rtol=0, atol=3e-5, err_msg=ours)
    shown = {"scale": rating.scale, "advantage": rating.advantage, "drawelo": rating.draw_elo}
    shown["likelihood"] = rating.log_likelihood
    for key, value in shown.items():
        if key in parsed:
            known = np.nan if parsed[key] is None else parsed[key]
            np.testing.assert_allclose(value, known, rtol=ONE_UNIT_OF_SIX_DIGITS, err_msg=key)
    if parsed["mm"]["hit_limit"]:
        assert any("stopped after 10000 rounds" in warning for warning in rating.warnings)


@pytest.mark.parametrize(("name", "run"), EVERY_RUN)
def test_imitation_prints_the_original_table(name: str, run: str) -> None:
    parsed = run_of(name, run)["parsed"]
    players = {player: number for number, player in enumerate(case(name)["players"])}
    names = sorted(players, key=len, reverse=True)
    rows = {}
    for line in table(imitated(name, run)).splitlines()[1:]:
        player = next(known for known in names if line[5:].startswith(known + " "))
        cells = line[5 + len(player) :].replace("%", "").split()
        rows[players[player]] = [None if cell == "?" else int(cell) for cell in cells]
    columns = parsed["ratings"][0]["columns"]
    assert columns == ["rank", "player", "elo", "plus", "minus", "games", "score_pct", "oppo", "draws_pct"]
    assert rows == {row[1]: row[2:] for row in parsed["ratings"][0]["rows"]}


@pytest.mark.parametrize("name", [name for name in CASES if name != "odd_names"])
def test_the_table_of_plain_names_is_the_original_text(name: str) -> None:
    step = next(step for step in run_of(name, "mm")["steps"] if step["cmd"] == "ratings")
    original = [line.rstrip() for line in step["out"].splitlines()]
    ours = table(imitated(name, "mm")).splitlines()
    assert ours[0] == original[0]
    assert sorted(line[5:] for line in ours[1:]) == sorted(line[5:] for line in original[1:])


@pytest.mark.parametrize(("name", "run"), EVERY_RUN)
def test_los_is_the_original_one(name: str, run: str) -> None:
    parsed = run_of(name, run)["parsed"]
    if "los" not in parsed:
        assert run != "mm", "the run mm has it in every case"
        return
    rating = imitated(name, run)
    players = len(case(name)["players"])
    wanted = np.full((players, players), np.nan) if parsed["los"] is None else np.array(parsed["los"], dtype=float)
    order = order_in(rating, name)
    np.testing.assert_allclose(rating.los(), wanted[np.ix_(order, order)], rtol=0, atol=1.01e-7)


MAXIMA = [
    pytest.param(name, run, id=f"{name}-{run}")
    for name in CASES
    for run, found in case(name)["independent_check"]["exact"].items()
    if found and run in RUNS
]


@pytest.mark.parametrize(("name", "run"), MAXIMA)
def test_converged_is_the_independent_maximum(name: str, run: str) -> None:
    rating = rate(results_of(name), **RUNS[run])
    exact = case(name)["independent_check"]["exact"][run]
    np.testing.assert_allclose(raw(rating, name, "elo"), exact["elo"], rtol=0, atol=1e-4)
    assert rating.advantage == pytest.approx(exact["advantage"], abs=1e-4)
    assert rating.draw_elo == pytest.approx(exact["drawelo"], abs=1e-4)
    assert sum(player.elo for player in rating.players) == pytest.approx(0, abs=1e-8)


@pytest.mark.parametrize(("name", "run"), [wanted for wanted in MAXIMA if "exact" not in str(wanted.values[1])])
def test_no_point_of_the_original_is_more_likely(name: str, run: str) -> None:
    """Its virtual draws are 32-bit floats, hence the tolerance."""
    ours = rate(results_of(name), **RUNS[run]).log_likelihood
    assert ours >= imitated(name, run).log_likelihood - 1e-6 * abs(ours)


@pytest.mark.parametrize(("name", "run"), [wanted for wanted in EVERY_RUN if str(wanted.values[0]) != "disconnected"])
def test_intervals_of_the_maximum_are_near_the_original_ones(name: str, run: str) -> None:
    parsed = run_of(name, run)["parsed"]
    if run == "prior_0" and parsed["mm"]["hit_limit"]:
        return  # there is no maximum; see test_warnings.py
    rating = rate(results_of(name), **RUNS[run])
    for ours, theirs in {"plus": "plus", "minus": "minus"}.items():
        np.testing.assert_allclose(raw(rating, name, ours), recorded(parsed["hires"][0][theirs]), rtol=0.005, atol=0.5)


def test_disconnected_groups_are_rated_separately() -> None:
    """Within each group the ratings and intervals are those of the group on its own."""
    whole = rate(results_of("disconnected"))
    by_name = {player.name: player for player in whole.players}
    original = recorded(run_of("disconnected", "connect_0")["parsed"]["hires"][0]["elo"])
    plus = recorded(run_of("disconnected", "connect_0")["parsed"]["hires"][0]["plus"])
    for place, name in enumerate(["Oak", "Elm", "Ash"]):
        assert by_name[name].elo / whole.scale == pytest.approx(original[place], abs=0.05)
        assert by_name[name].plus / whole.scale == pytest.approx(plus[place], abs=0.05)
    assert any("3 groups" in warning for warning in whole.warnings)
    los = whole.los()
    oak, elm, red = (next(i for i, p in enumerate(whole.players) if p.name == n) for n in ("Oak", "Elm", "Red"))
    assert np.isnan(los[oak, red])
    assert los[oak, elm] == pytest.approx(0.8459775, abs=1e-3)


def test_odd_names_line_up_in_the_table() -> None:
    lines = table(rate(results_of("odd_names"))).splitlines()
    wide = next(line for line in lines if "日本語" in line)
    plain = next(line for line in lines if "Deep Thought" in line)
    extra = len("日本語エンジン")  # each of these takes two cells
    assert len(wide) + extra == len(plain) == len(lines[0])
    assert re.search(r"Ω\s+-?\d+", "\n".join(lines))
