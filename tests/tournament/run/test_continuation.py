"""Runs that resume with a changed schedule: additions, refusals, readmitted players."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fiedler.support.errors import UsageError
from fiedler.tournament.run import manager, start_record
from fiedler.tournament.run.continuation import identity
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.status import status
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.newcomers import extended_by
from fiedler.tournament.schedule.schedule import PlayerEntry
from tests.folders import ROOT
from tests.tournament.manager_process import NODES, RANDOM, UTTT, Manager
from tests.tournament.schedules import Bench, Tables, example, misbehaving, player


def test_players_and_games_can_be_added(bench: Bench) -> None:
    pairing = {"method": "meeting-graph", "pairs": 3}
    before = bench.play(RANDOM, tournament={**UTTT, "games_per_pair": 2}, limit=NODES, pairing=pairing)
    more = {"method": "meeting-graph", "pairs": 6}
    changes: Tables = {"tournament": {**UTTT, "games_per_pair": 4}, "limit": NODES, "pairing": more}
    after = bench.play([*RANDOM, example("r4"), example("r5")], **changes)
    assert after[: len(before)] == before
    assert len(after) == 24
    assert {game.first for game in after} == {"r1", "r2", "r3", "r4", "r5"}


CONTRADICTIONS: list[tuple[Tables, str]] = [
    ({"tournament": {"seed": 2}}, "tournament.seed: the run has 1, the schedule 2"),
    ({"tournament": {"game": "connect4"}}, "tournament.game: the run has 'tictactoe', the schedule 'connect4'"),
    ({"limit": {"nodes": 2}}, "limit.nodes: the run has 1, the schedule 2"),
    ({"limit": {"depth": 1}}, "limit.nodes: the run has 1, the schedule none"),
    ({"pairing": {"method": "gauntlet"}}, "pairing.method: the run has 'round-robin', the schedule 'gauntlet'"),
    ({"openings": {"plies": 1}}, "openings: the run has others"),
    ({"tournament": {"games_per_pair": 2}}, "tournament.games_per_pair: the run has 4, the schedule fewer: 2"),
    (
        {"players": [player("a"), player("b", "noise")]},
        "players 'b': it is not the player of the run (different: command)",
    ),
    (
        {"players": [player("a"), player("c")]},
        "players 'b': the run has this player, the schedule has not; put it back",
    ),
]


@pytest.mark.parametrize(("change", "message"), CONTRADICTIONS, ids=[message for _, message in CONTRADICTIONS])
def test_other_changes_are_refused(bench: Bench, change: Tables, message: str) -> None:
    base: Tables = {"tournament": {"games_per_pair": 4}, "limit": NODES}
    games = bench.play([player("a"), player("b")], **base)
    changed = {**base, **change}
    with pytest.raises(UsageError) as caught:
        bench.play(changed.pop("players", [player("a"), player("b")]), **changed)
    assert message in str(caught.value)
    assert "--fresh" in str(caught.value)
    assert bench.games() == games


ELSE = "put the file back; else use another tournament.name, or --fresh to start anew"
OTHER = "its contents (SHA-256) have changed since the run began: the file is damaged, or another one"


def rejected(bench: Bench, key: str) -> str:
    """The rest of the message about a run that does not resume, after its folder and the key."""
    games = bench.games()
    with pytest.raises(UsageError) as caught:
        bench.play()
    assert bench.games() == games
    where = f"{bench.results / 'test'}: {key}: "
    assert str(caught.value).startswith(where)
    return str(caught.value).removeprefix(where)


def test_a_model_file_that_has_changed_or_is_missing_is_named(bench: Bench) -> None:
    kept = bench.folder / "kept"
    kept.mkdir()
    models = [kept / "0001.onnx", kept / "0002.onnx"]
    for path in models:
        shutil.copy(ROOT / "models/tictactoe-td-net.onnx", path)
    players = [player("a"), {"models": "kept/*.onnx", "prefix": "night-"}]
    before = bench.play(players, limit=NODES)
    whole = models[1].read_bytes()
    for damaged in (whole[:-1000], whole + b"0", b"", (ROOT / "models/connect4-dqn.onnx").read_bytes()):
        models[1].write_bytes(damaged)
        assert rejected(bench, "players 'night-0002'") == f"{models[1]}: {OTHER}; {ELSE}"
    models[1].unlink()
    gone = f"the run has this player, the schedule has not: its file {models[1]} is missing"
    assert rejected(bench, "players 'night-0002'") == f"{gone}; {ELSE}"
    models[1].write_bytes(whole)
    bench.write([*players[:1], {**players[1], "options": {"seed": 3}}], limit=NODES)
    assert rejected(bench, "players 'night-0001'").startswith("it is not the player of the run (different: options); ")
    bench.write([*players, player("z")], limit=NODES)
    after = bench.play()
    assert (after[: len(before)], len(after)) == (before, 12)


def test_the_model_file_of_an_added_player_is_named_too(bench: Bench) -> None:
    model = bench.folder / "net.onnx"
    shutil.copy(ROOT / "models/tictactoe-td-net.onnx", model)
    new = PlayerEntry(name="e", model=str(model))
    bench.play([player("a"), player("b")], limit=NODES)
    with closing(Journal.open(bench.results / "test")) as journal:
        journal.add_players(extended_by(journal.schedule, [new]), {"e": identity(new)}, [new])
    model.unlink()
    assert rejected(bench, "players 'e'") == f"{model}: cannot be read: no such file or directory; {ELSE}"


def test_a_file_of_openings_that_has_changed_is_named(bench: Bench) -> None:
    path = bench.folder / "first.txt"
    path.write_text("a1\nb2\n", encoding="utf-8")
    bench.play([player("a"), player("b")], limit=NODES, openings={"file": "first.txt"})
    path.write_text("c3\nb2\n", encoding="utf-8")
    changed = "its openings have changed since the run began"
    assert rejected(bench, "openings.file") == f"{path}: {changed}; {ELSE}"
    bench.write([player("a"), player("b")], limit=NODES, openings={"file": "first.txt", "start": 1})
    assert rejected(bench, "openings").startswith("the run has others; use another")


@pytest.mark.parametrize("method", ["adaptive", "sprt"])
def test_fewer_games_than_planned_are_refused(bench: Bench, method: str) -> None:
    players = [player("a"), player("b")]
    games = bench.play(players, pairing={"method": method, "games": 20}, limit=NODES)
    with pytest.raises(UsageError, match=r"pairing\.games: the run has 20, the schedule fewer: 10; use another"):
        bench.play(players, pairing={"method": method, "games": 10}, limit=NODES)
    assert bench.games() == games
    assert len(bench.play(players, pairing={"method": method, "games": 24}, limit=NODES)) == 24


def test_a_plan_without_a_finished_game_may_change(bench: Bench) -> None:
    bench.write([player("a", "silent"), player("b")], limit={"nodes": 1, "stall_s": 60})
    run = Manager(bench)
    run.wait_for("Started", 1)
    run.process.kill()
    run.end()
    assert len(bench.play([player("c"), player("d")], limit=NODES)) == 2


def test_a_run_resumes_without_a_player_benched_by_hand(bench: Bench) -> None:
    program = bench.folder / "engine.py"
    program.write_text(Path(misbehaving("fine")[3]).read_text(encoding="utf-8"), encoding="utf-8")
    players = [player("a"), player("b"), {"name": "c", "command": [*misbehaving("fine")[:3], str(program), "fine"]}]
    bench.write(players, limit=NODES)
    with pytest.raises(UsageError, match=r"--bench: no game of the run is finished yet: leave 'c' out of the schedule"):
        manager.run(bench.path, results=bench.results, bench=["c"])
    before = bench.play(players, limit=NODES)
    program.unlink()
    with pytest.raises(UsageError, match="player 'c': "):
        bench.play([*players, player("d")], limit=NODES)
    with pytest.raises(UsageError, match="--bench: unknown player 'e'"):
        manager.run(bench.path, results=bench.results, bench=["e"])
    manager.run(bench.path, results=bench.results, bench=["c"])
    games = bench.games()
    assert games[: len(before)] == before
    assert Counter(name for game in games for name in (game.first, game.second)) == {"a": 6, "b": 6, "c": 4, "d": 4}


def test_a_readmitted_player_plays_its_given_up_games(bench: Bench) -> None:
    players = [player("a"), player("b", "crash", 2), player("c")]
    table = {"games_per_pair": 8, "bench_after": 3}
    bench.play(players, tournament=table, limit=NODES)
    assert status(bench.results / "test")["benched"].keys() == {"b"}
    with pytest.raises(UsageError, match=r"--readmit: 'c' is not benched in this run \(benched: 'b'\)"):
        manager.run(bench.path, results=bench.results, readmit=["c"])
    before = len(bench.games())
    manager.run(bench.path, results=bench.results, readmit=["b"])
    after = status(bench.results / "test")
    assert after["finished"] == before + 3, "three new failures bench it again, the old ones do not count"
    assert after["benched"].keys() == {"b"}


def test_a_repaired_readmitted_player_finishes(bench: Bench) -> None:
    program = bench.folder / "engine.py"
    program.write_text(Path(misbehaving("fine")[3]).read_text(encoding="utf-8"), encoding="utf-8")
    flag = bench.folder / "fault"
    flag.write_text("crash", encoding="utf-8")
    script = (
        f"import runpy, sys; sys.argv[1:] = [open({str(flag)!r}).read()]; runpy.run_path('engine.py', {{}}, '__main__')"
    )
    sick = {"name": "b", "command": [sys.executable, "-S", "-E", "-c", script]}
    table = {"games_per_pair": 8, "bench_after": 2}
    first = bench.play([player("a"), sick, player("c")], tournament=table, limit=NODES)
    assert sum(game.termination == "crash" for game in first) == 2
    flag.unlink()
    with pytest.raises(UsageError, match="player 'b'"):
        manager.run(bench.path, results=bench.results, readmit=["b"])
    flag.write_text("fine", encoding="utf-8")
    manager.run(bench.path, results=bench.results, readmit=["b"])
    after = status(bench.results / "test")
    assert (after["finished"], after["scheduled"], after["benched"], after["state"]) == (24, 24, {}, "finished")
    assert sum(game.termination == "crash" for game in bench.games()) == 2


def test_each_start_with_games_is_stored(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def meta() -> dict[str, Any]:
        with closing(Store.open(bench.results / "test")) as store:
            return store.meta

    commits = iter("abcdef")
    monkeypatch.setattr(start_record, "commit", lambda: next(commits))
    bench.play([player("a"), player("b")], limit=NODES)
    first = meta()
    bench.play([player("a"), player("b")], limit=NODES, tournament={"concurrency": 2})
    assert meta() == first, "nothing was left to play"
    bench.play([player("a"), player("b")], limit=NODES, tournament={"games_per_pair": 4})
    second = meta()
    assert [second["commit"], *(start["commit"] for start in second["starts"])] == ["a", "a", "b"]
    assert [start["schedule"]["tournament"].get("games_per_pair") for start in second["starts"]] == [None, 4]
    assert second["schedule"] == second["starts"][1]["schedule"]
    assert second["created"] == first["created"] == second["starts"][0]["at"] < second["starts"][1]["at"]
    bench.play([player("a"), player("b")], limit=NODES, tournament={"games_per_pair": 4}, rating={"draw_elo": 50.0})
    assert meta()["schedule"]["rating"] == {"draw_elo": 50.0}, "which changes no game"


def test_a_new_required_pair_is_played_or_refused(bench: Bench) -> None:
    players = [player(name) for name in "abcd"]
    pairing: Tables = {"method": "meeting-graph", "pairs": 3, "forbidden": [["a", "d"]]}
    bench.play(players, limit=NODES, pairing=pairing)
    wanted: Tables = {"method": "meeting-graph", "required": [["a", "d"]]}
    with pytest.raises(UsageError) as caught:
        bench.play(players, limit=NODES, pairing={**wanted, "pairs": 3})
    wrong = "pairing: 4 pairs are required, but only 3 asked for (the 3 pairs of the run are required, too)"
    assert str(caught.value) == f"{bench.path}: {wrong}"
    games = bench.play(players, limit=NODES, pairing={**wanted, "pairs": 4})
    assert {"a", "d"} in [{game.first, game.second} for game in games]
