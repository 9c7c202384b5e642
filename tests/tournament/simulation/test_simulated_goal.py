"""`tournament simulate --goal` and `--plan`: stops and losses, the same on every number of processes."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fiedler.support.errors import UsageError
from fiedler.tournament.commands.simulate import simulate
from fiedler.tournament.simulation.chosen import MARKS, ChosenPlayer, ChosenPlayers
from fiedler.tournament.simulation.error_figure import error_figure
from fiedler.tournament.simulation.schemes import GOAL, OWN, SCHEMES, scheme
from fiedler.tournament.simulation.trial import Summary, Trial, run_trial
from tests.tournament.simulation.test_simulate import conditions, players_of, schedule

GAMES = 1200
FEW = ["--truth", "normal", "--players", "12", "--games", str(GAMES), "--repetitions", "2", "--workers", "1"]


def run(*arguments: str) -> Any:
    return CliRunner().invoke(simulate, arguments, catch_exceptions=False)


def chosen_of(document: Any) -> Any:
    (one,) = document["methods"]
    return one["chosen"]


def test_a_goal_has_its_stops_and_losses() -> None:
    document = json.loads(run(*FEW, "--goal", "best", "--json").stdout)
    (one,) = document["methods"]
    found = one["chosen"]
    assert (one["method"], one["label"], document["play_on"]) == ("goal", "adaptive, goal best", False)
    assert 1 <= found["stopped"] <= 2
    assert 0 <= found["right"] <= found["stopped"]
    assert one["games"] <= GAMES
    assert one["games"] < GAMES or found["stopped"] == 0
    assert list(found["losses"]) == ["1000"]
    assert found["losses"]["1000"] == pytest.approx(found["loss"], abs=30)
    played_on = json.loads(run(*FEW, "--goal", "best", "--play-on", "--json").stdout)
    assert played_on["methods"][0]["games"] == GAMES
    for key in ("stopped", "right", "games", "loss"):
        assert chosen_of(played_on)[key] == found[key], "the same stop"


@pytest.mark.programs
def test_the_choices_do_not_depend_on_the_processes() -> None:
    documents = [json.loads(run(*FEW[:-1], workers, "--goal", "best", "--json").stdout) for workers in "12"]
    assert chosen_of(documents[0]) == chosen_of(documents[1])


def test_the_text_and_the_picture_have_the_choice() -> None:
    lines = run(*FEW, "--goal", "best", "--method", "random-4").stdout.splitlines()
    assert any(line.startswith("adaptive, goal best: stopped in ") for line in lines)
    assert any(
        line.startswith("loss of the chosen player: ") and " after 1000 games; deviation" in line for line in lines
    )
    assert sum(line.startswith("random regular") for line in lines) == 2, "the methods beside it"
    chosen = ChosenPlayers(2, 2, 500.0, 3.2, None, {}, {}, 0.0)
    one = Summary("a", "a", 3, 15.2, 0.4, 15.1, 0.9, 50.0, 100.0, 10.0, 0.1, 0.0, 100, 100, None, chosen=chosen)
    assert ">15.2, the chosen player lacks 3.2</text>" in error_figure([one], "errors")


def test_the_schedule_s_own_goal_is_judged() -> None:
    options = schedule(12, apart=60.0, method="adaptive", games=GAMES, goal="best", style_sd=0)
    trial = run_trial(OWN, scheme(OWN, options), conditions(options), 0)
    assert trial.chosen is not None
    assert trial.chosen.stopped
    assert (trial.chosen.games, trial.chosen.loss, trial.chosen.right) == (trial.games, 0, True)
    assert trial.chosen.losses == {1000: 0}


def test_a_plan_changes_the_pairs_of_adaptive() -> None:
    document = [
        json.loads(run(*FEW, "--method", "adaptive", "--plan", plan, "--json").stdout) for plan in ("ml", "posterior")
    ]
    default = json.loads(run(*FEW, "--method", "adaptive", "--json").stdout)
    rms = [one["methods"][0]["rms"] for one in (*document, default)]
    assert rms[0] != rms[1] == rms[2]
    assert [one["plan"] for one in document] == ["ml", "posterior"]


def test_a_summary_counts_right_stops_and_half_of_all_stops() -> None:
    def choice(stopped: bool, games: int, loss: float, right: bool) -> ChosenPlayer:
        return ChosenPlayer(stopped, games, loss, right, {1000: 2 * loss}, 10.0)

    two = [choice(True, 400, 0.0, True), choice(True, 800, 20.0, False), choice(False, 1000, 4.0, True)]
    found = ChosenPlayers.of(two)
    assert found is not None
    assert (found.stopped, found.right, found.games, found.loss) == (2, 1, 800, 8)
    assert found.losses == {1000: 16}
    rare = ChosenPlayers.of(two[:1] + two[2:] * 2)
    assert rare is not None
    assert math.isinf(rare.games)
    trials = [Trial(2, 1, 1.0, 1.0, 1.0, 1.0, 1.0, chosen=one) for one in two]
    assert Summary.of("a", "a", trials).chosen == found
    assert MARKS[:4] == (1000, 3000, 5000, 10_000)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--truth", "curve", "--goal", "best", "--plan", "ml"], "--plan: expected posterior beside --goal, got ml"),
        (["--truth", "curve", "--goal", "best", "--players", "2"], "--goal: expected at least 3 players, got 2 pla"),
        (["--truth", "curve", "--goal", "best", "--players", "20", "--games", "70"], "--goal: not with 20 players and"),
    ],
)
def test_wrong_options_give_one_line(arguments: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        run(*arguments)


def test_a_goal_stands_beside_the_schedule(tmp_path: Path) -> None:
    path = tmp_path / "try.toml"
    path.write_text(
        '[tournament]\nname = "try"\ngame = "uttt"\ngames_per_pair = 2\n[limit]\nnodes = 1\n'
        f'[pairing]\nmethod = "round-robin"\n{players_of(*range(0, 440, 40))}',
        encoding="utf-8",
    )
    document = json.loads(run(str(path), "--goal", "best", "--repetitions", "1", "--workers", "1", "--json").stdout)
    assert [one["method"] for one in document["methods"]] == [OWN, GOAL]
    assert document["methods"][0]["chosen"] is None
    assert GOAL not in SCHEMES, "other methods are compared without it"
