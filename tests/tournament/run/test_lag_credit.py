"""Lag that is measured and credited in whole runs, in each dialect."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from fiedler.tournament.report import write_report
from fiedler.tournament.run import manager
from tests.engine.engine_process import serving
from tests.patience import PATIENCE
from tests.tournament.line import line_to
from tests.tournament.schedules import Bench, Tables

DELAY_S = 0.02
MOST_MS = 15
"""Less than the round trip over the delayed line."""


def far_and_near(address: str, protocol: str) -> list[Tables]:
    return [{"name": name, "address": address, "protocol": protocol} for name in ("far",)] + [
        {"name": "near", "player": "osp", "protocol": protocol}
    ]


def logged(path: Path, name: str) -> list[str]:
    lines = (line.split(maxsplit=2) for line in path.read_text("utf-8").splitlines())
    return [rest for _, who, rest in lines if who.startswith(f"{name}#")]


@pytest.mark.parametrize(
    ("protocol", "ping", "processes"),
    [("ugi", "> isready", 1), ("gtp", "> protocol_version", 1), ("uci", "> isready", 2)],
)
def test_the_lag_of_an_idle_player_is_credited(bench: Bench, protocol: str, ping: str, processes: int) -> None:
    limit: Tables = {"movetime_ms": 20_000, "lag_credit_ms": MOST_MS, "startup_s": PATIENCE}
    arguments = ("--game", "tictactoe", "--player", "osp", "--protocol", protocol)
    log = bench.folder / "log"
    with serving(*arguments) as server, line_to(server.address, delay_s=DELAY_S) as line:
        bench.write(far_and_near(line.address, protocol), tournament={"concurrency": processes}, limit=limit)
        folder = manager.run(bench.path, results=bench.results, log=log, processes=processes)
    games = bench.games()
    assert {one.termination for one in games} == {"rules"}
    write_report(folder)
    players = json.loads((folder / "ranking.json").read_text("utf-8"))["players"]
    credits_ms = {one["name"]: one["lag_credit_ms"] for one in players}
    assert credits_ms["far"] == MOST_MS
    assert 0 < credits_ms["near"] <= MOST_MS
    assert "lag credit, ms per move" in (folder / "report.html").read_text("utf-8")
    lines = logged(log, "far")
    # one in each handshake, three after it, and before each game three and one for the game
    handshakes = 4 * processes
    assert Counter(lines)[ping] == handshakes + len(games) * (3 if protocol == "gtp" else 4)


def test_a_dialect_without_a_ping_gets_no_credit(bench: Bench) -> None:
    limit: Tables = {"movetime_ms": 20_000, "lag_credit_ms": MOST_MS, "startup_s": PATIENCE}
    with serving("--game", "uttt", "--player", "osp", "--protocol", "rowcol") as server:
        bench.write(far_and_near(server.address, "rowcol"), tournament={"game": "uttt"}, limit=limit)
        folder = manager.run(bench.path, results=bench.results)
    write_report(folder)
    players = json.loads((folder / "ranking.json").read_text("utf-8"))["players"]
    assert {one["lag_credit_ms"] for one in players} == {0.0}


def test_without_the_key_nothing_is_measured_or_shown(bench: Bench) -> None:
    log = bench.folder / "log"
    with serving("--game", "tictactoe", "--player", "osp") as server:
        bench.write(far_and_near(server.address, "ugi"), limit={"movetime_ms": 20_000, "startup_s": PATIENCE})
        folder = manager.run(bench.path, results=bench.results, log=log)
    assert Counter(logged(log, "far"))["> isready"] == 1 + 2
    write_report(folder)
    assert "lag_credit_ms" not in (folder / "ranking.json").read_text("utf-8")
    assert "lag credit, ms per move" not in (folder / "report.html").read_text("utf-8")
