"""The nodes of a run as a table."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from support.lock import FILE as LOCK
from tests.tournament.report.made_runs import make_cluster_run, make_run
from tournament.commands.nodes import nodes
from tournament.run.node_table import ENDED, RunNodes, node_table
from tournament.run.store import Store


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_cluster_run(tmp_path_factory.mktemp("run") / "trial")


def found(folder: Path) -> RunNodes:
    with Store.open(folder) as store:
        table = node_table(store)
    assert table is not None
    return table


def test_players_whose_results_differ_by_node_are_named(folder: Path) -> None:
    first, second, refused = found(folder).rows
    assert first.outliers["a"] > 3 > -3 > second.outliers["a"]
    assert first.agreement is not None
    assert first.agreement.p_value < 0.001
    assert (refused.agreement, refused.outliers) == (None, {})
    assert any(note.startswith("n2: 'a' scores ") and note.endswith(" less than elsewhere") for note in second.notes())


def test_a_node_of_a_killed_manager_does_not_play(folder: Path) -> None:
    assert [(row.status.state, row.status.why) for row in found(folder).rows][:2] == [("left", ENDED)] * 2
    with (folder / LOCK).open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        rows = found(folder).rows
    assert [row.status.state for row in rows] == ["playing", "playing", "refused"]
    assert [row.per_minute for row in rows] == [5.0, 5.0, None]


def test_the_command_prints_the_table_and_its_document(folder: Path, tmp_path: Path) -> None:
    shown = CliRunner().invoke(nodes, [str(folder)]).output.splitlines()
    assert shown[1].split()[:5] == ["n1", "10.0.0.3", "left", "2", "50"]
    assert "n3 refused: Python: 3.10 there, 3.11 here" in shown
    document = json.loads(CliRunner().invoke(nodes, [str(folder), "--json"]).output)
    assert document == json.loads(json.dumps(found(folder).document))
    assert list(document["nodes"][0]["outliers"]) == ["a", "b", "c"]
    alone = make_run(tmp_path / "alone", ["a", "b"])
    refused = CliRunner().invoke(nodes, [str(alone)])
    assert "has not played in a cluster" in str(refused.exception)
