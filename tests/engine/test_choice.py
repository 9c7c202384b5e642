"""The player that the options of a command choose."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from engine.choice import Choice
from games import game
from players import PLAYERS
from players.registry import FORMATS
from support.errors import UsageError
from tests.folders import ROOT


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model of another kind than a network: a table of values, and its player."""
    monkeypatch.setitem(PLAYERS, "td", ("tests.training.td_table", "TablePlayer"))
    monkeypatch.setitem(FORMATS, ".table", ("tests.training.td_table", "read"))
    path = tmp_path / "net.table"
    content = {"about": {"game": "tictactoe", "player": "td"}, "table": {}}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_a_model_file_chooses_its_player(table: Path) -> None:
    assert Choice(None, str(table), (), None).factory(game("tictactoe")).player().name == "td"
    with closing(Choice(None, str(ROOT / "models/uttt-small.onnx"), (), "cpu").factory(game("uttt"))) as network:
        assert network.player().name == "checkpoint"


def test_a_named_player_has_precedence_over_the_one_in_the_file(table: Path) -> None:
    with pytest.raises(UsageError, match="not an ONNX network"):
        Choice("checkpoint", str(table), (), None).factory(game("tictactoe"))


def test_a_file_that_names_no_known_player_is_refused(table: Path) -> None:
    table.write_text(json.dumps({"about": {"game": "tictactoe", "player": "tdd"}}), encoding="utf-8")
    with pytest.raises(UsageError, match=r"net\.table: made for player 'tdd', known: random"):
        Choice(None, str(table), (), None).factory(game("tictactoe"))
