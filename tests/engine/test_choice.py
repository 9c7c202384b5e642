"""The player that the options of a command choose."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

from fiedler.engine.roster.choice import Choice
from fiedler.games import game
from fiedler.players.table_file import dump
from fiedler.support.errors import UsageError
from tests.folders import ROOT


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A model of another kind than a network."""
    return Path(shutil.copy(ROOT / "models/tictactoe-td.table", tmp_path / "net.table"))


def test_a_model_file_chooses_its_player(table: Path) -> None:
    assert Choice(None, str(table), (), None).factory(game("tictactoe")).player().name == "td"
    with closing(Choice(None, str(ROOT / "models/uttt-small.onnx"), (), "cpu").factory(game("uttt"))) as network:
        assert network.player().name == "checkpoint"


def test_a_named_player_has_precedence_over_the_one_in_the_file(table: Path) -> None:
    with pytest.raises(UsageError, match="not an ONNX network"):
        Choice("checkpoint", str(table), (), None).factory(game("tictactoe"))


def test_a_file_that_names_no_known_player_is_refused(table: Path) -> None:
    table.write_bytes(dump({"game": "tictactoe", "player": "tdd"}, {}))
    with pytest.raises(UsageError, match=r"net\.table: made for player 'tdd', known: random"):
        Choice(None, str(table), (), None).factory(game("tictactoe"))
