"""The nodes of a run as a table."""

from __future__ import annotations

import fcntl
import json
import random
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from fiedler.support.lock import FILE as LOCK
from fiedler.tournament.commands.nodes import nodes
from fiedler.tournament.report import write_report
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.node_table import ENDED, RunNodes, node_table
from fiedler.tournament.run.nodes import NodeStatus, StatusFile
from fiedler.tournament.run.run_folder import RunFolder
from fiedler.tournament.run.store import Store
from tests.tournament.report.made_runs import make_cluster_run, make_run, record, write_nodes
from tests.tournament.schedules import write_finished


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


def test_the_command_prints_the_table_and_its_document(folder: Path) -> None:
    shown = CliRunner().invoke(nodes, [str(folder)]).output.splitlines()
    assert shown[1].split()[:5] == ["n1", "10.0.0.3", "left", "2", "50"]
    assert shown[3].split()[-1] == "–"
    assert "n3 refused: Python: 3.10 there, 3.11 here" in shown
    assert not any(line.startswith("no test") for line in shown), "a node that never joined needs none"
    document = json.loads(CliRunner().invoke(nodes, [str(folder), "--json"]).output)
    assert document == json.loads(json.dumps(found(folder).document))
    assert list(document["nodes"][0]["outliers"]) == ["a", "b", "c"]


def test_a_run_without_a_node_has_not_played_in_a_cluster(tmp_path: Path) -> None:
    """Also after a start in a cluster that failed before the first node."""
    alone = make_run(tmp_path / "alone", ["a", "b"])
    wrong = f"{alone}: the run has not played in a cluster; `tournament run --cluster` does"
    assert str(CliRunner().invoke(nodes, [str(alone)]).exception) == wrong
    StatusFile(alone, "10.0.0.3:6379").write("2026-01-01T00:00:00.000+00:00", [])
    assert str(CliRunner().invoke(nodes, [str(alone)]).exception) == wrong
    with RunFolder(alone):
        assert CliRunner().invoke(nodes, [str(alone)]).output == "no node has joined yet\n"


def test_a_node_without_a_test_has_a_dash_and_the_reason(tmp_path: Path) -> None:
    """In the command and in the report; the refused node has no line."""
    folder = make_run(tmp_path / "run", ["a", "b"], games_per_pair=2, played=0.0)
    write_nodes(folder, 0)
    lines = CliRunner().invoke(nodes, [str(folder)]).output.splitlines()
    assert [line.split()[-1] for line in lines[1:4]] == ["–"] * 3
    assert lines[-1] == "no test of n1 and n2: no game yet, at least 2 are missing"
    with closing(Journal.open(folder)) as journal:
        games = journal.unplayed()
        for place, game in enumerate(games, 1):
            strengths, source = {"a": 0.0, "b": 0.0}, random.Random(1)
            write_finished(journal, record("uttt", place, game, strengths, source), node=f"n{place}")
    why = "no pair has played here and elsewhere with the same player first, at least 1 more game is missing"
    hint = "with games_per_pair = 2 each pair plays one such game, 4 or more allow a test"
    line = f"no test of n1 and n2: {why}; {hint}"
    assert CliRunner().invoke(nodes, [str(folder)]).output.splitlines()[-1] == line
    write_report(folder)
    page = (folder / "report.html").read_text("utf-8")
    assert line in page
    assert "<td>–</td>" in page or ">–</td>" in page


def test_nodes_that_join_before_the_first_game_are_shown(tmp_path: Path) -> None:
    """The plan is written once the players have started."""
    folder = tmp_path / "run"
    with RunFolder(folder):
        here = CliRunner().invoke(nodes, [str(folder)])
        assert str(here.exception) == f"{folder}: the run has not played in a cluster; `tournament run --cluster` does"
        StatusFile(folder, "local:1").write("2026-01-01T00:00:00.000+00:00", [])
        waiting = CliRunner().invoke(nodes, [str(folder)])
        assert (waiting.exit_code, waiting.output) == (0, "no node of local:1 has joined yet; they are starting\n")
        assert json.loads(CliRunner().invoke(nodes, [str(folder), "--json"]).output)["nodes"] == []
        StatusFile(folder, "local:1").write("2026-01-01T00:00:00.000+00:00", [NodeStatus("n1", "127.0.0.3")])
        joining = CliRunner().invoke(nodes, [str(folder)]).output.splitlines()
        assert joining[1].split() == ["n1", "127.0.0.3", "joining", "0", "0", "–"]
        document = json.loads(CliRunner().invoke(nodes, [str(folder), "--json"]).output)
        assert (document["cluster"], document["nodes"][0]["state"]) == ("local:1", "joining")
    gone = CliRunner().invoke(nodes, [str(folder)])
    assert str(gone.exception).startswith(f"no run '{folder}'")
