"""The rules of `benchmarks/pairing`, each against its description, and the command."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from statistics import NormalDist

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner, Result

from benchmarks.pairing.__main__ import pairing
from benchmarks.pairing.pool import read
from benchmarks.pairing.rows import Rows, meetings_of, no_rows, play, points
from benchmarks.pairing.rules import RULES, PairingRule, RuleCase
from benchmarks.pairing.rules.even import circle_round
from benchmarks.pairing.rules.thurstone import Scores
from benchmarks.pairing.setting import Duel
from benchmarks.pairing.summary import settled
from benchmarks.pairing.trial import run_rule
from fiedler.tournament.simulation.play import SimulatedPlayers

SMALL = Duel(players=12, games=480)


def made(name: str, players: int = 12, seed: int = 0) -> tuple[PairingRule, SimulatedPlayers]:
    """A rule, and players 50 Elo apart with a base as strong as the best."""
    elo = np.append(50.0 * np.arange(players), 50.0 * (players - 1))
    names = tuple(f"player-{number:02}" for number in range(players + 1))
    style = np.zeros((players + 1, players + 1))
    section = SMALL.section
    random = np.random.default_rng(seed)
    field = SimulatedPlayers(names, elo, style, 30.0, 100.0, random)
    return RULES[name](RuleCase(names, section, 480, random)), field


def after(rule: PairingRule, field: SimulatedPlayers, batches: int) -> Rows:
    rows = no_rows()
    for _ in range(batches):
        rows = np.concatenate([rows, play(field, rule.batch(rows))])
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("name", RULES)
def test_a_trial_has_all_its_numbers_and_is_repeatable(name: str) -> None:
    trial, again = run_rule(name, SMALL, 3), run_rule(name, SMALL, 3)
    assert msgspec.structs.replace(trial, planning_s=0) == msgspec.structs.replace(again, planning_s=0)
    assert len(trial.losses) == len(SMALL.looks)
    assert min(trial.losses) >= 0
    assert (trial.stopped is None) == (trial.stop_loss is None)
    assert [mark.games for mark in trial.marks] == list(SMALL.marks) == [160, 320, 480]
    assert all(mark.rms > 0 and 0 <= mark.coverage <= 1 for mark in trial.marks)
    assert trial.losses[-1] == trial.marks[-1].loss or RULES[name].knows_total


@pytest.mark.parametrize("players", [11, 12])
def test_the_rounds_of_the_circle_make_each_pair_meet_once(players: int) -> None:
    order = np.random.default_rng(1).permutation(players).tolist()
    rounds = [circle_round(order, number).tolist() for number in range(players - 1 + players % 2)]
    assert all(len({player for pair in one for player in pair}) == 2 * (players // 2) for one in rounds)
    met = [tuple(sorted(pair)) for one in rounds for pair in one]
    assert sorted(met) == list(itertools.combinations(range(players), 2))


def test_swiss_players_meet_new_opponents_of_their_score() -> None:
    rule, field = made("swiss")
    rows = after(rule, field, 4)
    met = points(rows, 12) + points(rows, 12).T
    assert set(met[met > 0].tolist()) == {10}
    assert met.sum(axis=1).tolist() == [40] * 12
    apart = np.abs(np.subtract(*rows[-60:, :2].T)).mean()
    assert apart < np.abs(np.subtract(*rows[:60, :2].T)).mean()


def test_the_nearest_ratings_meet() -> None:
    rule, field = made("nearest")
    rows = after(rule, field, 60)
    late = np.abs(np.subtract(*rows[-240:, :2].T))
    assert late.mean() < 4.0  # 4.3 for random pairs of 12; half of the players wait at a time


def test_the_batch_of_the_largest_gain_is_a_tree() -> None:
    rule, field = made("asap")
    rows = no_rows()
    for _ in range(3):
        meetings = rule.batch(rows)
        assert len(meetings) == 11
        label = np.arange(12)
        for one, other in meetings.tolist():
            assert label[one] != label[other], "a circle"
            label[label == label[one]] = label[other]
        rows = np.concatenate([rows, play(field, meetings)])


def test_scores_and_gains_are_those_of_the_density() -> None:
    """Two players: the mode on a grid of the difference, whose prior variance is 1, and the gain by a plain sum."""
    scores = Scores.of(np.array([[0.0, 7.0], [2.5, 0.0]]), np.zeros(2))
    grid = np.linspace(-6, 6, 12_001)
    chance = np.array([NormalDist().cdf(ahead) for ahead in grid.tolist()])
    density = -(grid**2) / 2 + 7 * np.log(chance) + 2.5 * np.log(1 - chance)
    mode = grid[density.argmax()]
    assert scores.mean[0] - scores.mean[1] == pytest.approx(mode, abs=1e-3)
    own = scores.covariance
    variance = own[0, 0] + own[1, 1] - 2 * own[0, 1]
    assert variance == pytest.approx(-1 / np.gradient(np.gradient(density, grid), grid)[density.argmax()], rel=1e-3)
    weights = np.exp(-((grid - mode) ** 2) / 2 / variance)
    weights /= weights.sum()
    entropy = -chance * np.log(chance) - (1 - chance) * np.log(1 - chance)
    mean = float(chance @ weights)
    gain = -mean * math.log(mean) - (1 - mean) * math.log(1 - mean) - float(entropy @ weights)
    assert scores.gain()[0, 1] == pytest.approx(gain, rel=1e-3)
    assert scores.gain()[1, 0] == pytest.approx(gain, rel=1e-3)


def test_nets_without_games_come_first_then_the_highest_bounds() -> None:
    rule, field = made("run-games")
    rows = after(rule, field, 4)
    assert set(rows[:, :2].max(axis=1).tolist()) == {12}, "all games are against the base"
    assert [(points(rows, 13)[one, 12] + points(rows, 13)[12, one]) for one in range(12)] == [200] * 12
    share = points(rows, 13)[:12, 12]
    assert set(rule.batch(rows)[:, 0].tolist()) == set(np.argsort(-share)[:3].tolist())
    assert rule.choice(rows) == share.argmax()


def test_top_two_prefers_the_leaders() -> None:
    rule, field = made("top-two")
    rows = after(rule, field, 3)
    games = np.bincount(rows[:, :2].ravel(), minlength=12)
    assert games[-4:].sum() > 3 * games[:4].sum()


def test_a_choice_is_right_from_the_last_wrong_one_on() -> None:
    assert settled([20, 5, 30, 9, 10], [1, 2, 3, 4, 5]) == 4
    assert settled([5, 5], [1, 2]) == 1
    assert settled([5, 50], [1, 2]) == np.inf


def run(*words: str) -> Result:
    return CliRunner().invoke(pairing, ["--players", "12", "--games", "240", *words])


RULE = ("--rule", "random", "--rule", "run-games")


@pytest.mark.programs
@pytest.mark.slow
def test_trials_are_kept_continued_and_joined(tmp_path: Path) -> None:
    whole, first, second = (tmp_path / f"{name}.json" for name in ("whole", "first", "second"))
    assert run(*RULE, "--repetitions", "4", "--workers", "2", "--json", str(whole)).exit_code == 0
    assert run(*RULE, "--repetitions", "1", "--workers", "1", "--json", str(first)).exit_code == 0
    kept = read(first).trials
    assert run(*RULE, "--repetitions", "2", "--workers", "1", "--json", str(first)).exit_code == 0
    assert set(kept) <= set(read(first).trials), "the first repetition is not played again"
    assert run(*RULE, "--repetitions", "2", "--first", "2", "--workers", "1", "--json", str(second)).exit_code == 0
    picture = tmp_path / "loss.svg"
    done = CliRunner().invoke(pairing, [str(first), str(second), "--json", str(first), "--svg", str(picture)])
    assert done.exit_code == 0, done.output
    same = [[msgspec.structs.replace(trial, planning_s=0) for trial in read(path).trials] for path in (whole, first)]
    assert same[0] == same[1]
    assert "| run_games.py |" in done.output
    assert "curve, 12 players, 240 games, 4 repetitions, seed 34" in done.output
    assert picture.read_text("utf-8").count("<path") == 4


def test_a_file_of_another_setting_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "trials.json"
    assert run("--rule", "random", "--repetitions", "1", "--json", str(path)).exit_code == 0
    done = run("--rule", "random", "--repetitions", "1", "--noise", "5", "--json", str(path))
    assert "expected trials of the same setting, got another" in str(done.exception)


def test_the_recorded_players_have_their_table_as_truth() -> None:
    setting = Duel(truth="recorded", players=125)
    elo = setting.draw(np.random.default_rng(1))
    assert len(setting.names) == elo.size == 125
    assert elo.std() > 50
    assert meetings_of([]).shape == (0, 2)
