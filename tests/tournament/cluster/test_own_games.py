"""Games of others at the nodes of a cluster: those that are installed."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from fiedler.tournament.cli import tournament
from fiedler.tournament.cluster import facts
from fiedler.tournament.run.events import Warned
from tests.folders import ROOT
from tests.games.test_rules import install
from tests.own_games import BREAKTHROUGH, forgotten
from tests.patience import PATIENCE
from tests.tournament.cluster.direct import DirectCluster, play_at
from tests.tournament.manager_process import played
from tests.tournament.schedules import Bench, Tables

EXAMPLES = ROOT / "examples"
PLAYERS: list[Tables] = [
    {"name": name, "command": [sys.executable, str(EXAMPLES / "breakthrough_random.py")]} for name in "ab"
]
LIMIT = {"nodes": 1, "startup_s": PATIENCE, "stall_s": PATIENCE}


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(facts, "NODES", 100)
    with forgotten():
        yield


def write(bench: Bench, game: str) -> None:
    bench.write(PLAYERS, tournament={"game": game}, limit=LIMIT, cluster={"lost_s": PATIENCE / 2, "wait_s": PATIENCE})


def test_an_installed_game_is_played_at_nodes(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = bench.folder / "packages"
    packages.mkdir()
    shutil.copy(EXAMPLES / "breakthrough.py", packages)
    install(packages, "my-game", "breakthrough:GAME")
    monkeypatch.syspath_prepend(packages)
    monkeypatch.setenv("PYTHONPATH", str(packages))  # that of the table process
    write(bench, "breakthrough")
    games = play_at(DirectCluster(1), bench)
    assert len(games) == 2
    assert not [event for event in bench.events if isinstance(event, Warned)]
    bench.results = bench.folder / "home"
    assert played(bench.play()) == played(games)


def test_rules_that_are_named_by_a_file_are_refused(bench: Bench) -> None:
    write(bench, BREAKTHROUGH)
    asked = CliRunner().invoke(tournament, ["run", str(bench.path), "--cluster", "local:1"])
    expected = "tournament.game: expected an installed game with --cluster, whose nodes need it, too, got "
    assert str(asked.exception) == f"{bench.path}: {expected}{BREAKTHROUGH}"
