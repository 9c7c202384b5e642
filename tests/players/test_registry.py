from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from fiedler.games import game
from fiedler.players import PLAYERS, complete, create, player_kind, registry, shipped
from fiedler.support.errors import UsageError
from tests.folders import DOCS


def test_every_name_is_its_class() -> None:
    assert [player_kind(name).name for name in PLAYERS] == list(PLAYERS)


def test_every_option_has_a_help_text() -> None:
    for name in PLAYERS:
        for option in player_kind(name).options():
            assert option.help, (name, option.name)


def test_the_page_of_the_players_is_complete() -> None:
    sections = (DOCS / "players.md").read_text("utf-8").split("\n## ")
    for name in PLAYERS:
        (section,) = [text for text in sections if name in text.splitlines()[0].split(", ")]
        rows = {row.split("`")[1]: row for row in section.splitlines() if row.startswith("| `")}
        for option in player_kind(name).options():
            assert option.name in rows, (name, option.name)
            default = rows[option.name].split("|")[3].strip().strip("`")
            assert default == option.default_text


def test_an_unknown_player_is_answered_with_the_nearest_known_one() -> None:
    with pytest.raises(UsageError, match="unknown player 'mtcs'; did you mean 'mcts'"):
        create(game("uttt"), "mtcs")


def test_a_bad_option_is_refused_before_anybody_plays() -> None:
    with pytest.raises(UsageError, match="unknown option 'simulation' of player mcts; did you mean 'simulations'"):
        create(game("uttt"), "mcts", {"simulation": "3"})
    with pytest.raises(UsageError, match="option 'depth': expected a whole number from 0 to 1000, got 'deep'"):
        create(game("uttt"), "negamax", {"depth": "deep"})


def test_a_session_cannot_set_an_option_of_the_start() -> None:
    kind = player_kind("checkpoint")
    assert {option.name for option in kind.options() if option.at_start} == {"model", "device"}


def test_the_default_of_a_game_that_is_not_measured_is_mcts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(registry, "best", lambda game_id: shipped.best(game_id, tmp_path))
    assert create(game("uttt")).player().name == "mcts"


def test_the_default_is_the_strongest_player(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    net = shipped.Measured("checkpoint", {"batch": "4"}, tmp_path / "no.onnx", 100.0, 10.0, "run")
    monkeypatch.setattr(registry, "best", lambda _: net)
    with pytest.raises(UsageError, match=r"no\.onnx"):
        create(game("uttt"))
    assert complete(game("uttt"), None, {"seed": "1"}) == (
        "checkpoint",
        {"model": str(tmp_path / "no.onnx"), "batch": "4", "seed": "1"},
    )
    assert complete(game("uttt"), None, {"batch": "2", "model": "own.onnx"})[1] == {"model": "own.onnx", "batch": "2"}
    monkeypatch.setattr(registry, "best", lambda _: replace(net, player="mcts", options={"c": "2"}, model=None))
    assert complete(game("uttt")) == ("mcts", {"c": "2"})


def test_a_named_player_takes_its_shipped_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    models = {"checkpoint": tmp_path / "no.onnx"}
    monkeypatch.setattr(registry, "default_model", lambda _, name: models.get(name))
    with pytest.raises(UsageError, match=r"no\.onnx"):
        create(game("uttt"), "checkpoint")
    with pytest.raises(UsageError, match=r"own\.onnx"):
        create(game("uttt"), "checkpoint", {"model": "own.onnx"})
    assert create(game("uttt"), "mcts").player().name == "mcts"
    monkeypatch.setattr(registry, "default_model", lambda *_: None)
    with pytest.raises(UsageError, match="expected a network file as option 'model'"):
        create(game("uttt-majority"), "checkpoint")


def test_the_default_model_is_the_first_of_the_player_that_is_there(tmp_path: Path) -> None:
    names = {"td": "table.table", "checkpoint": "gone.onnx", "td-net": "net.onnx"}
    entries = [{"player": player, "model": model} for player, model in names.items()]
    entries += [{"player": "checkpoint", "model": "there.onnx"}, {"player": "checkpoint", "model": "net.onnx"}]
    (tmp_path / "index.json").write_text(json.dumps({"uttt": entries}), encoding="utf-8")
    for name in ("table.table", "net.onnx", "there.onnx"):
        (tmp_path / name).touch()
    assert shipped.default_model("uttt", "checkpoint", tmp_path) == tmp_path / "there.onnx"
    assert shipped.default_model("uttt", "td", tmp_path) == tmp_path / "table.table"
    assert shipped.default_model("uttt", "mcts", tmp_path) is None
    assert shipped.default_model("connect4", "checkpoint", tmp_path) is None
    assert shipped.default_model("uttt", "checkpoint", tmp_path / "no") is None


def test_the_index_of_shipped_models_names_existing_files() -> None:
    index = shipped.MODELS / "index.json"
    entries = json.loads(index.read_text("utf-8")) if index.is_file() else {}
    for game_id, models in entries.items():
        game(game_id)
        for entry in models:
            assert entry["player"] in PLAYERS
            assert (shipped.MODELS / entry["model"]).is_file()


def test_heavy_libraries_are_loaded_on_demand() -> None:
    made = "players.create(games.game('uttt'), 'mcts').player()"
    code = f"import sys; from fiedler import games, players; {made}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"numpy", "onnxruntime", "torch", "rich", "fiedler.players.checkpoint"} & set(loaded) == set()
