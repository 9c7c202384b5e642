"""The driver of the original program, against its recorded answers, and against programs that are something else."""

from __future__ import annotations

import itertools
import math
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fiedler.support.errors import UsageError, WorkError
from fiedler.tournament.ratings import Results, compare, find_bayeselo, rate, rate_with_bayeselo
from fiedler.tournament.ratings.bayeselo import PROGRAM, VARIABLE, parse_ratings
from tests.tournament.ratings.ratings_cases import (
    CASES,
    FOLDER,
    RUNS,
    Program,
    order_in,
    raw,
    recorded,
    results_of,
    run_of,
)

pytestmark = pytest.mark.programs

SMALL = Results.from_games([("a", "b", "1-0"), ("b", "a", "1/2-1/2"), ("a", "b", "0-1")])


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("name", CASES)
def test_the_driver_reads_the_original_answers(name: str, run: str, replayer: Callable[[str], Path]) -> None:
    rating = rate_with_bayeselo(results_of(name), program=replayer(name), **RUNS[run])
    parsed = run_of(name, run)["parsed"]
    for ours, theirs in {"elo": "elo", "plus": "plus", "minus": "minus", "opponents": "oppo"}.items():
        wanted = recorded(parsed["hires"][0][theirs])
        np.testing.assert_allclose(raw(rating, name, ours), wanted, rtol=0, atol=1e-4, err_msg=ours)
    if "los" in parsed:
        players = len(wanted)
        los = np.full((players, players), np.nan) if parsed["los"] is None else np.array(parsed["los"], dtype=float)
        order = order_in(rating, name)
        np.testing.assert_allclose(rating.los(), los[np.ix_(order, order)], rtol=0, atol=1e-12)
    for key, value in {"scale": rating.scale, "advantage": rating.advantage, "drawelo": rating.draw_elo}.items():
        assert value == pytest.approx(parsed.get(key, value), rel=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_the_original_and_ours_agree(name: str, replayer: Callable[[str], Path]) -> None:
    original = rate_with_bayeselo(results_of(name), program=replayer(name))
    assert compare(rate(results_of(name), imitate=True), original) == []
    if name != "disconnected":
        assert compare(rate(results_of(name)), original) == []


def test_any_names_survive(replayer: Callable[[str], Path]) -> None:
    original = rate_with_bayeselo(results_of("odd_names"), program=replayer("odd_names"))
    assert {player.name for player in original.players} == set(results_of("odd_names").names)
    assert [player.name for player in original.players][:2] == [" leading", "-5"]


def test_a_limit_hit_is_a_warning_and_nan_is_read_as_such(replayer: Callable[[str], Path]) -> None:
    options = RUNS["prior_0"]
    rating = rate_with_bayeselo(results_of("perfect_scores"), program=replayer("perfect_scores"), **options)
    assert any("stopped after 10000 rounds" in warning for warning in rating.warnings)
    assert all(np.isnan([player.elo, player.plus]).all() for player in rating.players)
    assert np.isnan(rating.log_likelihood)


def test_the_later_version_prints_other_columns() -> None:
    step = next(step for step in run_of("two_players", "v0058")["steps"] if step["cmd"] == "ratings")
    assert parse_ratings(step["out"]) == {"Alpha": (3108, 122, 122, 20), "Beta": (3092, 122, 122, 20)}


def test_compare_lists_the_differences_by_player() -> None:
    ours = rate(SMALL)
    first = ours.players[0]
    moved = replace(ours, players=(replace(first, elo=first.elo + 1.5, plus=float("nan")), *ours.players[1:]))
    assert compare(ours, ours) == []
    assert compare(moved, ours) == [
        f"{first.name!r}, here and by the original program: elo {first.elo + 1.5:.1f} and {first.elo:.1f}, "
        f"+ nan and {first.plus:.1f}"
    ]


def misbehaves(program: Path, **limits: Any) -> str:
    before = threading.active_count()
    with pytest.raises(WorkError) as caught:
        rate_with_bayeselo(SMALL, program=program, **limits)
    assert threading.active_count() == before, "the threads are gone with the program"
    assert "\n" not in str(caught.value)
    assert str(program) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("kind", ["silent", "parent_of_silent"])
def test_a_silent_program_is_killed(kind: str, program: Program) -> None:
    assert "no answer to 'prompt off'" in misbehaves(program("bayeselo_misbehaving", kind), start_s=0.5)


def test_a_program_that_hangs_later_is_killed(program: Program) -> None:
    assert "no answer to 'mm'" in misbehaves(program("bayeselo_misbehaving", "hangs_at_mm"), total_s=3)


def test_a_program_that_dies_is_reported_with_its_stderr(program: Program) -> None:
    message = misbehaves(program("bayeselo_misbehaving", "dies"))
    assert "exit code 1" in message
    assert "Fatal error: out of luck" in message


def test_a_program_that_aborts_is_reported(program: Program) -> None:
    message = misbehaves(program("bayeselo_misbehaving", "aborts_at_mm"))
    assert "ended before it answered 'mm' (exit code -6)" in message


def test_garbage_is_reported(program: Program) -> None:
    assert "expected the answer of bayeselo to 'scale'" in misbehaves(program("bayeselo_misbehaving", "garbage"))


def test_endless_output_is_reported(program: Program) -> None:
    assert "endless output" in misbehaves(program("bayeselo_misbehaving", "endless"), start_s=60)


@pytest.mark.parametrize(
    ("kind", "complaint"),
    [
        ("other_games", "rated 40 games, expected 20"),
        ("other_table", "expected the answer of bayeselo to 'ratings', got 'Rang Name"),
        ("unnamed_player", "expected the answer of bayeselo to 'ratings'"),
        ("other_los", "expected the answer of bayeselo to 'los 0 2 8'"),
    ],
)
def test_an_unexpected_answer_is_reported(kind: str, complaint: str, program: Program) -> None:
    lying = program("bayeselo_misbehaving", kind, str(FOLDER / "two_players.json"))
    with pytest.raises(WorkError) as caught:
        rate_with_bayeselo(results_of("two_players"), program=lying)
    assert complaint in str(caught.value)


def test_a_program_that_closes_its_output_is_killed(program: Program) -> None:
    assert "it closed its output" in misbehaves(program("bayeselo_misbehaving", "closes_its_output"))


def test_a_flooded_standard_error_is_read(program: Program, replayer: Callable[[str], Path]) -> None:
    flooding = program("bayeselo_misbehaving", "floods_stderr", str(FOLDER / "two_players.json"))
    rating = rate_with_bayeselo(results_of("two_players"), program=flooding)
    assert rating.players[0].name == "Alpha"


def test_other_games_are_reported(replayer: Callable[[str], Path]) -> None:
    assert "these are not the recorded games" in misbehaves(replayer("ring10"))


def test_a_program_that_echoes_everything_is_reported(tmp_path: Path) -> None:
    assert "expected the answer of bayeselo to 'scale'" in misbehaves(Path("/bin/cat"))


def test_a_file_that_is_not_a_program_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_bytes(b"\x7fELF nonsense")
    script.chmod(0o755)
    with pytest.raises(UsageError, match="cannot be started"):
        rate_with_bayeselo(SMALL, program=script)


@pytest.mark.usefixtures("no_bayeselo")
def test_finding_the_program(replayer: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert find_bayeselo() is None
    with pytest.raises(UsageError, match="was not found: put it on PATH"):
        rate_with_bayeselo(SMALL)
    with pytest.raises(UsageError, match="nowhere: expected the program bayeselo"):
        find_bayeselo("nowhere")
    installed = replayer("two_players")
    assert find_bayeselo(installed) == installed
    monkeypatch.setenv(VARIABLE, str(tmp_path / "gone"))
    with pytest.raises(UsageError, match="from the variable BAYESELO"):
        find_bayeselo()
    monkeypatch.setenv(VARIABLE, str(installed))
    assert find_bayeselo() == installed
    monkeypatch.delenv(VARIABLE)
    (installed.parent / PROGRAM).symlink_to(installed)
    monkeypatch.setenv("PATH", str(installed.parent), prepend=os.pathsep)
    assert find_bayeselo() == installed.parent / PROGRAM


def test_no_rateable_games_need_no_program() -> None:
    rating = rate_with_bayeselo(Results(("a",), ()), program=Path("/bin/false"))
    assert math.isnan(rating.players[0].elo)


@pytest.fixture
def real_program() -> Path:
    if not os.environ.get(VARIABLE):
        pytest.skip(f"the variable {VARIABLE} names no original program")
    found = find_bayeselo()
    assert found is not None
    return found


def test_the_real_program_agrees(real_program: Path) -> None:
    for name, (run, options) in itertools.product(CASES, RUNS.items()):
        original = rate_with_bayeselo(results_of(name), program=real_program, **options)
        ours = rate(results_of(name), imitate=True, **options)
        for field in ("elo", "plus", "minus"):
            theirs = raw(original, name, field)
            found = np.where(np.isnan(theirs), np.nan, raw(ours, name, field))
            np.testing.assert_allclose(found, theirs, rtol=1e-5, atol=1e-3, err_msg=f"{name} {run} {field}")
