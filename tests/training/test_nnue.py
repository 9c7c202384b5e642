"""NNUE: the resumed run, the model file, the recipes that are refused."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import onnxruntime as ort
import pytest
import torch

from fiedler.games import game
from fiedler.native import Limits, StopFlag, cell_rows
from fiedler.players import create, loaded_mb
from fiedler.players.incremental import ROWS, VALUE, read_incremental
from fiedler.support.errors import UsageError
from fiedler.training.loop.folder import TrainingFolder
from fiedler.training.loop.run import Run
from fiedler.training.model.join import joined
from fiedler.training.nnue.recipe import NnueRecipe
from fiedler.training.nnue.system import Nnue
from fiedler.training.recipe.registry import load
from fiedler.training.recipe.system import DivergedError, Stamp
from tests.folders import CONFIGS, ROOT

RECIPES = CONFIGS / "training"
MODELS = ROOT / "models"


def recipe(**changes: Any) -> NnueRecipe:
    """The tiny recipe, smaller still, with other tables or keys of them."""
    found = load(RECIPES / "gomoku15-tiny.toml")
    assert isinstance(found, NnueRecipe)
    small: dict[str, Any] = {
        "game": "gomoku9",
        "iterations": 3,
        "evaluation": None,
        "selfplay": {"nodes": 50, "label_nodes": 30},
        "learning": {"samples": 200, "capacity": 2000, "batch": 64},
    }
    data = msgspec.to_builtins(found)
    for table, values in [*small.items(), *changes.items()]:
        data[table] = data[table] | values if isinstance(values, dict) else values
    return msgspec.convert(data, NnueRecipe)


def iterate(system: Nnue, count: int) -> None:
    for i in range(count):
        system.iterate(i, lambda *_: None)


def drawn(system: Nnue) -> list[bytes]:
    return [array.tobytes() for array in system.samples.draw_patterns(100, 1)]


def test_the_same_recipe_gives_the_same_model_and_a_stop_changes_nothing(tmp_path: Path) -> None:
    one = Nnue(recipe())
    iterate(one, 3)
    run = Run(recipe(), TrainingFolder(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        run.run(lambda *_: None, _interrupt)
    again = Run(recipe(), TrainingFolder(tmp_path))
    assert again.iteration == 1
    again.run(lambda *_: None, lambda _: None)
    assert isinstance(again.system, Nnue)
    assert again.system.export(Stamp()) == one.export(Stamp())


def _interrupt(_: object) -> None:
    raise KeyboardInterrupt


def test_two_threads_learn_the_same_network_every_time() -> None:
    exports = set()
    for _ in range(3):
        system = Nnue(recipe(learning={"threads": 2}))
        iterate(system, 1)
        exports.add(system.export(Stamp()))
    assert len(exports) == 1


def test_openings_that_are_never_even_are_refused() -> None:
    system = Nnue(recipe(selfplay={"balance": 0.0, "opening_plies": 1, "opening_square": 1}))
    with pytest.raises(UsageError, match=r"^selfplay\.balance: none of 1,000 random openings is about even$"):
        iterate(system, 1)


def test_searches_evaluate_by_the_network_after_the_first_iterations() -> None:
    own, ours = Nnue(recipe(selfplay={"own_evaluation": 3})), Nnue(recipe(selfplay={"own_evaluation": 1}))
    iterate(own, 1)
    iterate(ours, 1)
    assert drawn(own) == drawn(ours)
    iterate(own, 2)
    iterate(ours, 2)
    assert drawn(own) != drawn(ours)


@pytest.mark.parametrize("game_id", ["gomoku9", "renju15"])
def test_the_file_the_core_and_onnxruntime_agree(game_id: str, tmp_path: Path) -> None:
    system, path = Nnue(recipe(game=game_id)), tmp_path / "net.onnx"
    iterate(system, 2)
    path.write_bytes(system.export(Stamp()))
    net = read_incremental(game(game_id), path).net
    session = ort.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
    source, position = random.Random(1), game(game_id).position()
    for _ in range(30):
        position.play(source.choice(position.legal_moves()))
        if position.result is not None:
            break
        rows = np.array(position.patterns(), np.int64).reshape(1, 2, -1)
        (found,) = session.run([VALUE], {ROWS: rows})
        assert net.value(position) == pytest.approx(float(found[0]), abs=0.003)


def test_it_joins_a_policy_network(tmp_path: Path) -> None:
    system, cells, policy = Nnue(recipe(game="renju15")), tmp_path / "net.onnx", tmp_path / "policy.onnx"
    iterate(system, 1)
    cells.write_bytes(system.export(Stamp()))
    policy.write_bytes(joined(MODELS / "renju15.onnx", cells))
    alone, beside = (read_incremental(game("renju15"), path) for path in (cells, policy))
    position = game("renju15").position(moves=["h8", "h9", "j10"])
    assert beside.name == alone.name == "gomoku15-tiny"
    assert beside.net.value(position) == alone.net.value(position)


def test_negamax_plays_by_the_file(tmp_path: Path) -> None:
    system, path = Nnue(recipe()), tmp_path / "net.onnx"
    iterate(system, 1)
    path.write_bytes(system.export(Stamp()))
    played = game("gomoku9")
    assert loaded_mb(path, played) > 2 * cell_rows("gomoku9") * 32 / 2**20
    with closing(create(played, "negamax", {"model": str(path), "nodes": "500"})) as factory:
        player = factory.player()
        assert (player.title, player.bounded) == ("negamax gomoku15-tiny", True)
        found = player.search(played.position(moves=["e5", "f5"]), Limits(), StopFlag())
        assert found.best is not None
        assert found.nodes <= 1000
    with pytest.raises(UsageError, match="made for game 'gomoku9'"):
        create(game("gomoku15"), "negamax", {"model": str(path)})
    with pytest.raises(UsageError, match="made for player 'negamax', expected 'descent'"):
        create(played, "descent", {"model": str(path)})
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(UsageError, match=r"net\.onnx: .*damaged"):
        create(played, "negamax", {"model": str(path)})


def test_a_network_learns_the_values_of_positions() -> None:
    """The lead in empty cells that would make an open two or more, which the rows show."""
    system, source = Nnue(recipe(learning={"passes": 60.0, "rate": 1e-2})), random.Random(1)
    while len(system.samples) < 1000:
        position = system.game.position()
        while position.result is None and position.ply < 20:
            planes = position.planes()
            lead = float(planes[0, 2:7, 2:7].sum() - planes[1, 2:7, 2:7].sum()) / 4
            system.samples.add(position, [np.array([np.tanh(lead)], np.float32)])
            position.play(source.choice(position.legal_moves()))
    values = system.samples.draw_patterns(1000, 1)[1]
    assert system.learner.learn(system.samples, 1000, 1).loss < values.var()


def test_weights_that_are_too_large_name_the_rate() -> None:
    system = Nnue(recipe(selfplay={"own_evaluation": 1}))
    with torch.no_grad():
        system.learner.net.first.weight.fill_(1e9)
    with pytest.raises(DivergedError, match=r"weights are too large$"):
        system.iterate(1, lambda *_: None)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('game = "gomoku15"', 'game = "uttt"', "game: no patterns of cells in game uttt"),
        ("width = 32", "width = 48", "net.width"),
        ("nodes = 200", "nodes = 0", "selfplay.nodes"),
        ("own_evaluation = 1", "own_evaluation = 0", "selfplay.own_evaluation"),
    ],
)
def test_wrong_recipes_are_refused_by_key(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (RECIPES / "gomoku15-tiny.toml").read_text("utf-8")
    assert old in text
    path = tmp_path / "gomoku15-tiny.toml"
    path.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(UsageError, match=message):
        load(path)
