from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from games import game
from players import PLAYERS, create, player_kind, registry, shipped
from support.errors import UsageError
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
            assert default == ("not set" if option.default_text is None else option.default_text)


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


def test_the_default_without_a_shipped_model_is_mcts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(registry, "strongest", lambda game_id: shipped.strongest(game_id, tmp_path))
    assert create(game("uttt")).player().name == "mcts"


def test_the_default_is_the_shipped_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(registry, "strongest", lambda _: shipped.Shipped("checkpoint", tmp_path / "no.onnx"))
    with pytest.raises(UsageError, match=r"no\.onnx"):
        create(game("uttt"))


def test_a_named_player_takes_its_shipped_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(registry, "strongest", lambda _: shipped.Shipped("checkpoint", tmp_path / "no.onnx"))
    with pytest.raises(UsageError, match=r"no\.onnx"):
        create(game("uttt"), "checkpoint")
    with pytest.raises(UsageError, match=r"own\.onnx"):
        create(game("uttt"), "checkpoint", {"model": "own.onnx"})
    assert create(game("uttt"), "mcts").player().name == "mcts"
    monkeypatch.setattr(registry, "strongest", lambda _: None)
    with pytest.raises(UsageError, match="expected a network file as option 'model'"):
        create(game("connect4"), "checkpoint")


@pytest.fixture
def models(tmp_path: Path) -> Path:
    entries = [{"player": "checkpoint", "model": "gone.onnx"}, {"player": "checkpoint", "model": "there.onnx"}]
    (tmp_path / "index.json").write_text(json.dumps({"uttt": entries}), encoding="utf-8")
    (tmp_path / "there.onnx").touch()
    return tmp_path


def test_the_strongest_is_the_first_that_is_there(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "runtime_installed", lambda: True)
    assert shipped.strongest("uttt", models) == shipped.Shipped("checkpoint", models / "there.onnx")
    assert shipped.strongest("connect4", models) is None


def test_without_onnxruntime_no_checkpoint_is_chosen(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "runtime_installed", lambda: False)
    assert shipped.strongest("uttt", models) is None


def test_the_index_of_shipped_models_names_existing_files() -> None:
    index = shipped.MODELS / "index.json"
    entries = json.loads(index.read_text("utf-8")) if index.is_file() else {}
    for game_id, models in entries.items():
        game(game_id)
        for entry in models:
            assert entry["player"] in PLAYERS
            assert (shipped.MODELS / entry["model"]).is_file()


def test_heavy_libraries_are_loaded_on_demand() -> None:
    code = "import sys, games, players; players.create(games.game('uttt'), 'mcts').player(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"numpy", "onnxruntime", "torch", "rich", "players.checkpoint"} & set(loaded) == set()
