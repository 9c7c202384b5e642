"""Other systems than AlphaZero fit: two small ones go from recipe to match through the shared parts alone.

One, which is no part of the project, has a network with a value and no policy, the other a table and no network.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from fiedler.games import game
from fiedler.players import PLAYERS, about, create, player_kind
from fiedler.players.model import load_bytes
from fiedler.support.errors import UsageError
from fiedler.training.cli import train
from fiedler.training.judge.measure import Setup, measure
from fiedler.training.loop.folder import TrainingFolder
from fiedler.training.loop.run import Run
from fiedler.training.recipe.entry import Entry
from fiedler.training.recipe.registry import SYSTEMS, Registered, load, new_system
from fiedler.training.recipe.system import Stamp
from tests.training.recipes import TINY
from tests.training.value_net import GreedyPlayer

VALUE = """
system = "value"
name = "tiny"
game = "tictactoe"
iterations = 12
hidden = 64
games = 60
exploration = 0.2
"""
TABLE = """
system = "td"
name = "tiny"
game = "tictactoe"
iterations = 12

[selfplay]
games = 400
epsilon = 0.3
final_epsilon = 0.1
opening_plies = 8
opening_share = 1.0

[learning]
rate = 0.5
final_rate = 0.1
"""
both = pytest.mark.parametrize("text", [VALUE, TABLE], ids=["value", "td"])


class StoppedError(Exception):
    """Ends a run."""


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        SYSTEMS, "value", Registered("tests.training.value_net:ValueRecipe", "tests.training.value_net:ValueSystem")
    )
    monkeypatch.setitem(PLAYERS, "greedy", ("tests.training.value_net", "GreedyPlayer"))


def trained(folder: Path, text: str, stop_after: int = 0) -> Run:
    folder.mkdir(exist_ok=True)
    (folder / "recipe.toml").write_text(text, encoding="utf-8")
    run = Run(load(folder / "recipe.toml"), TrainingFolder(folder / "tiny"))

    def stop(entry: Entry) -> None:
        if entry.iteration == stop_after:
            raise StoppedError

    run.run(lambda *_: None, stop)
    return run


def score(model: Path, *, untrained: bool = False) -> float:
    """Against random, eight games from each of the twelve openings of two plies."""
    return sum(measure(Setup(model, "random", (), 24, 1, 2, seed, untrained)).score.mean for seed in range(4)) / 4


@both
def test_a_system_learns_and_its_player_is_measured(tmp_path: Path, text: str) -> None:
    run = trained(tmp_path, text)
    learned, knew = score(run.model), score(run.model, untrained=True)
    assert learned > max(0.85, knew + 0.08)
    said = about(run.model)
    assert (said["game"], said["player"], said["recipe"]) == ("tictactoe", run.recipe.player, run.recipe.json())


@both
def test_a_run_that_was_interrupted_ends_with_the_same_model(tmp_path: Path, text: str) -> None:
    whole = trained(tmp_path / "whole", text)
    with pytest.raises(StoppedError):
        trained(tmp_path / "halves", text, stop_after=3)
    resumed = trained(tmp_path / "halves", text)
    assert resumed.system.state() == whole.system.state()
    assert resumed.system.export(Stamp()) == whole.system.export(Stamp())
    assert len(resumed.folder.log()) == whole.recipe.iterations


@both
def test_the_commands_know_it(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("recipe.toml").write_text(text.replace("games = ", "games = 1 #"), encoding="utf-8")
    runner = CliRunner()
    ended = runner.invoke(train, ["run", "recipe.toml"])
    run = TrainingFolder(Path("results/training/tiny"))
    recipe = run.recipe()
    assert ended.stdout.splitlines()[-1].startswith(f"{run.path / recipe.model}  {recipe.iterations} iterations, ")
    (listed,) = json.loads(runner.invoke(train, ["list", "--json"]).output)["runs"]
    assert (listed["system"], listed["iterations"], listed["state"]) == (recipe.system, recipe.iterations, "finished")
    assert listed["losses"] == run.log()[-1].losses
    match = ["match", str(run.path / recipe.model), "--games", "4", "--plies", "1", "--json"]
    measured = json.loads(runner.invoke(train, [*match, "--against", str(run.path / recipe.model)]).output)
    assert measured["games"] == 4
    assert (measured["mean_batch"] is None) == (recipe.system == "td")


def test_a_recipe_has_the_keys_of_its_system(tmp_path: Path) -> None:
    for text, key in ((VALUE + "rate = 0.1\n", "rate"), (TABLE + "[net]\n", "net")):
        (tmp_path / "recipe.toml").write_text(text, encoding="utf-8")
        with pytest.raises(UsageError, match=rf": {key}: unknown table or key"):
            load(tmp_path / "recipe.toml")


def test_a_model_of_one_player_is_refused_by_another(tmp_path: Path) -> None:
    net = str(trained(tmp_path, VALUE.replace("= 12", "= 1").replace("= 60", "= 1")).model)
    with pytest.raises(UsageError, match="made for player 'greedy', expected 'checkpoint'"):
        create(game("tictactoe"), "checkpoint", {"model": net})
    with pytest.raises(UsageError, match="made for game 'tictactoe', expected 'uttt'"):
        create(game("uttt"), "greedy", {"model": net})


def test_a_player_finds_its_heads_among_others() -> None:
    """A file may have more heads; the error names a head that is missing or too narrow."""
    data = new_system(TINY).export(Stamp())
    kind = player_kind("checkpoint")
    wanted = replace(GreedyPlayer.purpose(game("tictactoe")), player=kind.name)
    model = load_bytes(data, wanted)
    (value,) = model.evaluate(game("tictactoe").position().planes()[None])
    assert value.shape == (1,)
    with pytest.raises(UsageError, match="player checkpoint needs the head 'q', its heads are 'policy, value'"):
        load_bytes(data, replace(wanted, heads={"value": 1, "q": 9}))
    with pytest.raises(UsageError, match=r"head 'policy' has the shape \(8, 9\), expected \(8, 3\)"):
        load_bytes(data, replace(wanted, heads={"policy": 3}))
