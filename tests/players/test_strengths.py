"""The measured strength of the players of each game: the table in models/, the runs in results/, their schedules."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from fiedler.games import FILLED, game
from fiedler.players import about, create, player_kind, shipped
from fiedler.players.shipped import Measured, best, measured
from tests.folders import ROOT

RESULTS = ROOT / "results/strengths"


def schedule(game_id: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / f"configs/strength/{game_id}.toml").read_text("utf-8"))


def in_schedule(one: Measured, players: list[dict[str, Any]]) -> str:
    """Return the name of a measured player in a schedule."""
    for player in players:
        options = {name: str(value) for name, value in player.get("options", {}).items()}
        file = player.get("model") or options.pop("model", None)
        model = Path(file).name if file else None
        if (model, options) == (one.model and one.model.name, dict(one.options)) and player.get("player") in (
            None,
            one.player,
        ):
            return str(player["name"])
    raise AssertionError(f"{one} is in no schedule")


@pytest.mark.parametrize("game_id", FILLED)
def test_the_players_of_a_game_are_those_of_its_run(game_id: str) -> None:
    players, asked = measured(game_id), schedule(game_id)
    ranking = json.loads((RESULTS / f"{game_id}.json").read_text("utf-8"))["players"]
    rated = {row["name"]: (round(row["elo"]), round((row["plus"] + row["minus"]) / 2)) for row in ranking}
    assert {in_schedule(one, asked["players"]): (one.elo, one.error) for one in players} == rated
    assert {one.run for one in players} == {asked["tournament"]["name"]}
    assert sorted(players, key=lambda one: -one.elo) == players
    assert sum(row["games"] for row in ranking) // 2 >= 40


@pytest.mark.parametrize("game_id", FILLED)
def test_the_page_has_the_strongest_player(game_id: str) -> None:
    (row,) = [
        line for line in (RESULTS / "README.md").read_text("utf-8").splitlines() if line.startswith(f"| `{game_id}` |")
    ]
    for one in measured(game_id):
        assert f"{one.elo:+d} ± {one.error}".replace("-", "−") in row


@pytest.mark.parametrize("game_id", FILLED)
def test_a_measured_model_ships(game_id: str) -> None:
    for one in measured(game_id):
        if one.model is not None:
            assert player_kind(one.player).takes(about(one.model)["player"])


@pytest.mark.parametrize("game_id", FILLED)
def test_the_default_player_is_the_strongest(game_id: str) -> None:
    found, factory = best(game_id), create(game(game_id))
    assert found is not None
    assert factory.kind.name == found.player
    factory.close()


def test_a_network_is_not_the_default_without_onnxruntime(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    entry = {"options": {}, "elo": 1, "error": 1, "run": "r"}
    entries = [
        {**entry, "player": "checkpoint", "model": "gone.onnx"},
        {**entry, "player": "checkpoint", "model": "there.onnx"},
        {**entry, "player": "td", "model": "there.table"},
        {**entry, "player": "mcts"},
    ]
    (tmp_path / "strengths.json").write_text(json.dumps({"uttt": entries}), encoding="utf-8")
    (tmp_path / "there.onnx").touch()
    monkeypatch.setattr(shipped, "runtime_installed", lambda: True)
    assert [one.usable for one in measured("uttt", tmp_path)] == [False, True, False, True]
    found = best("uttt", tmp_path)
    assert found is not None
    assert found.model == tmp_path / "there.onnx"
    monkeypatch.setattr(shipped, "runtime_installed", lambda: False)
    assert [one.usable for one in measured("uttt", tmp_path)] == [False, False, False, True]
    (tmp_path / "there.table").touch()
    found = best("uttt", tmp_path)
    assert found is not None
    assert found.player == "td"
    shutil.copyfile(shipped.MODELS / "uttt.onnx", tmp_path / "there.onnx")
    assert [one.usable for one in measured("uttt", tmp_path)] == [False, True, True, True], "the core evaluates it"
    assert best("connect4", tmp_path) is None
