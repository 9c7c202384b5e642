"""Runs whose nodes, players, managers and disks fail by a seed end with the games of the undisturbed run."""

from __future__ import annotations

import pytest

from tests.simulated.checks import simulate, undisturbed
from tests.simulated.planted import PLANTED, Plant
from tests.simulated.world import SCHEDULES

SEEDS, PORTION = 200, 25
MOST = 1000
"""The seeds within which a planted fault is found."""
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("first", range(0, SEEDS, PORTION))
def test_every_game_counts_once_and_is_that_of_the_undisturbed_run(first: int) -> None:
    wrong = {seed: outcome.wrong for seed in range(first, first + PORTION) if (outcome := simulate(seed)).wrong}
    assert not wrong, f"python -m tests.simulated --first {next(iter(wrong))} --seeds 1"


def test_an_undisturbed_run_has_all_its_games_and_a_ranking() -> None:
    for number in range(len(SCHEDULES)):
        outcome = undisturbed(number)
        assert outcome.ranking[0] == len(outcome.games) >= 12
        assert not outcome.wrong


def test_players_are_late_in_undisturbed_runs_and_plans_have_steps() -> None:
    runs = [undisturbed(number) for number in range(len(SCHEDULES))]
    late = [any("time" in end for end in outcome.ends.values()) for outcome in runs]
    assert late == ["limit" in tables for tables in SCHEDULES]
    assert [len(outcome.plan[0]) >= 3 for outcome in runs] == ["pairing" in tables for tables in SCHEDULES]


def test_a_seed_is_the_same_each_time() -> None:
    one, again = simulate(14), simulate(14)
    assert (one.happened, one.seconds, one.callbacks) == (again.happened, again.seconds, again.callbacks)


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_planted_fault_is_found(monkeypatch: pytest.MonkeyPatch, plant: Plant) -> None:
    for number in range(len(SCHEDULES)):
        undisturbed(number)  # is known before
    plant(monkeypatch)
    assert any(simulate(seed).wrong for seed in range(MOST))
