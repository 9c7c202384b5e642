"""TD(0) for tic-tac-toe: targets, tables and networks that learn exact play, runs that resume, the exhaustive walk."""

from __future__ import annotations

import json
import random
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from fiedler.games import game
from fiedler.native import Limits, Negamax, StopFlag
from fiedler.players import about, create
from fiedler.support.errors import UsageError
from fiedler.training.cli import train
from fiedler.training.judge.small_game import Node, small_game
from fiedler.training.judge.walk import Games, all_games, walk
from fiedler.training.loop.folder import TrainingFolder
from fiedler.training.loop.run import Run
from fiedler.training.recipe.entry import Entry
from fiedler.training.recipe.recipe import Recipe
from fiedler.training.recipe.registry import load, new_system
from fiedler.training.recipe.system import Stamp
from fiedler.training.td.network import TdNetwork
from fiedler.training.td.recipe import SmallGameRecipe, TdSelfPlay
from fiedler.training.td.selfplay import begin, falling, play_game
from fiedler.training.td.tables import TdTables
from tests.training.recipes import RECIPES

TICTACTOE = game("tictactoe")
SMALL = small_game(TICTACTOE)
TINY = [load(RECIPES / f"tictactoe-{name}.toml") for name in ("td-tiny", "td-net-tiny")]
both = pytest.mark.parametrize("recipe", TINY, ids=lambda recipe: recipe.system)


class StoppedError(Exception):
    """Ends a run."""


def short(recipe: Recipe, games: int = 20) -> Recipe:
    assert isinstance(recipe, SmallGameRecipe)
    selfplay = msgspec.structs.replace(recipe.selfplay, games=games)
    return msgspec.structs.replace(recipe, iterations=4, selfplay=selfplay)


def trained(recipe: Recipe, folder: Path, stop_after: int = 0) -> Run:
    run = Run(recipe, TrainingFolder(folder))

    def stop(entry: Entry) -> None:
        if entry.iteration == stop_after:
            raise StoppedError

    run.run(lambda *_: None, stop)
    return run


def test_the_positions_of_tic_tac_toe_are_known() -> None:
    assert (len(SMALL.nodes), len(SMALL.running), SMALL.nodes[0].value) == (5478, 4520, 0)
    assert all(child.position.ply == node.position.ply + 1 for node in SMALL.nodes for child in node.children)


def test_the_values_are_those_of_a_search() -> None:
    search = Negamax("tictactoe", 1)
    for node in random.Random(1).sample(SMALL.running, 300):
        found = search.search(node.position.copy(), Limits(depth=9), StopFlag())
        won = 0 if found.mate is None else 1 if found.mate > 0 else -1
        assert won == node.value_for(node.side)


def test_all_games_of_tic_tac_toe_are_counted() -> None:
    assert all_games(SMALL.nodes, {}, 0) == Games(131_184, 46_080, 77_904)
    assert all_games(SMALL.nodes, {}, 1) == Games(77_904, 46_080, 131_184)


def test_a_walk_finds_lost_value_and_lost_games() -> None:
    found = walk(TICTACTOE, create(TICTACTOE, "random", {"seed": "1"}))
    assert found.positions == 4520
    assert 0.5 < found.preserved / found.positions < 0.95
    assert all(one.losses > 0 for one in found.sides.values())
    document = found.document()
    assert (document["positions"], document["first"].keys()) == (4520, {"wins", "draws", "losses"})
    assert f"{found.preserved} of 4520 moves preserve the value" in found.sentence()


def exact(node: Node) -> list[float]:
    return [float(child.value_for(node.side)) for child in node.children]


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0])
def test_exact_values_are_their_own_targets(epsilon: float) -> None:
    """Random moves of either side teach nothing wrong."""
    source, targets = random.Random(1), list[tuple[int, float]]()
    settings = TdSelfPlay(games=1, epsilon=0, final_epsilon=0, opening_plies=8, opening_share=0.8)

    def learn(node: Node, target: float) -> None:
        assert node.result is None
        assert node.position.ply > 0
        targets.append((node.value_for(1 - node.side), target))

    for _ in range(500):
        play_game(begin(SMALL, settings, source), exact, learn, epsilon, source)
    assert len(targets) > 500
    assert all(value == target for value, target in targets)
    assert {target for _, target in targets} == {-1, 0, 1}


def test_a_game_without_values_teaches_its_end_alone() -> None:
    learned = list[tuple[int, float]]()

    def unknown(node: Node) -> list[float]:
        return [0.0 if child.result is None else float(child.value_for(node.side)) for child in node.children]

    source = random.Random(3)
    for _ in range(200):
        play_game(
            SMALL.nodes[0], unknown, lambda node, target: learned.append((node.position.ply, target)), 0.0, source
        )
    assert {ply for ply, target in learned if target} <= set(range(3, 9))
    assert {1.0, -1.0, 0.0} == {target for _, target in learned}


def test_openings_are_running_positions_of_all_lengths() -> None:
    settings = TdSelfPlay(games=1, epsilon=0, final_epsilon=0, opening_plies=8, opening_share=1.0)
    source = random.Random(1)
    starts = [begin(SMALL, settings, source) for _ in range(500)]
    assert {node.position.ply for node in starts} == set(range(9))
    assert all(node.result is None for node in starts)
    never = msgspec.structs.replace(settings, opening_share=0.0)
    assert {begin(SMALL, never, source) for _ in range(20)} == {SMALL.nodes[0]}


def test_rates_fall_in_equal_steps() -> None:
    assert [falling(0.5, 0.1, iteration, 5) for iteration in range(5)] == pytest.approx([0.5, 0.4, 0.3, 0.2, 0.1])
    assert falling(0.5, 0.1, 0, 1) == 0.5


@both
def test_a_small_recipe_comes_near_exact_play(tmp_path: Path, recipe: Recipe) -> None:
    run = trained(recipe, tmp_path / "run")
    first, last = run.folder.log()[0], run.folder.log()[-1]
    assert last.losses["move"] < 0.08
    assert first.losses["move"] > 1.5 * last.losses["move"]
    assert "of the moves preserve the value, loss: td " in last.summary()
    entries = about(run.model)
    assert (entries["player"], entries["recipe"]) == (recipe.system, recipe.json())
    assert isinstance(run.system, TdTables | TdNetwork)
    factory = create(TICTACTOE, recipe.player, {"model": str(run.model)})
    player = factory.player()
    for node in random.Random(1).sample(SMALL.running, 200):
        known = run.system.small.by_position[node.position]
        values = run.system.values(known)
        found = player.search(node.position.copy(), Limits(), StopFlag()).best
        assert found is not None
        assert values[known.moves.index(found)] == pytest.approx(max(values), abs=1e-5), "the move by the values"
    factory.close()


@both
def test_a_run_that_was_interrupted_ends_with_the_same_model(tmp_path: Path, recipe: Recipe) -> None:
    whole = trained(short(recipe), tmp_path / "whole")
    with pytest.raises(StoppedError):
        trained(short(recipe), tmp_path / "halves", stop_after=2)
    resumed = trained(short(recipe), tmp_path / "halves")
    assert resumed.system.export(Stamp()) == whole.system.export(Stamp())
    assert resumed.system.state() == whole.system.state()


@both
def test_another_seed_gives_another_model(recipe: Recipe) -> None:
    systems = [new_system(msgspec.structs.replace(short(recipe), seed=seed)) for seed in (1, 1, 2)]
    for system in systems:
        system.iterate(0, lambda *_: None)
    one, same, other = (system.state() for system in systems)
    assert one == same != other


@both
def test_a_damaged_state_is_refused(recipe: Recipe) -> None:
    system = new_system(short(recipe))
    state = system.state()
    for damaged in (b"", state[:100], state[:-1], b"x" + state):
        with pytest.raises(ValueError, match=r"^state: "):
            system.restore(damaged)


def test_a_large_game_is_refused(tmp_path: Path) -> None:
    text = (RECIPES / "tictactoe-td-tiny.toml").read_text("utf-8")
    (tmp_path / "td.toml").write_text(text.replace('"tictactoe"', '"connect4"'), encoding="utf-8")
    with pytest.raises(UsageError, match=r"td.toml: game: connect4: expected a game of at most 20,000 positions"):
        load(tmp_path / "td.toml")


def test_the_command_walks(tmp_path: Path) -> None:
    run = trained(short(TINY[0]), tmp_path / "run")
    runner = CliRunner()
    found = json.loads(runner.invoke(train, ["walk", str(run.model), "--json"]).output)
    assert found["share"] == pytest.approx(1 - run.folder.log()[-1].losses["move"], abs=1e-4), "the log is right"
    assert found["share"] == round(found["preserved"] / 4520, 5)
    untrained = runner.invoke(train, ["walk", str(run.model), "--untrained"])
    assert untrained.exit_code == 0
    assert "all games of tictactoe: as first +" in untrained.output


@pytest.mark.soak
@pytest.mark.parametrize("name", ["td", "td-net"])
def test_a_shipped_recipe_learns_exact_play(tmp_path: Path, name: str) -> None:
    run = trained(load(RECIPES / f"tictactoe-{name}.toml"), tmp_path / "run")
    assert run.folder.log()[-1].losses["move"] == 0
