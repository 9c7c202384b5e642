"""Whole runs: order, resuming, adding, determinism, interruption."""

from __future__ import annotations

import random
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from games import UsageError, WorkError
from tests.tournament.tournament_bench import Bench, Tables, example, misbehaving, player, programs_of
from tournament import manager
from tournament.endpoint import Endpoint, Program, make_endpoint
from tournament.events import Finished, Judged, Started, Voided
from tournament.lock import is_locked, run_lock
from tournament.process import MachineError
from tournament.reaper import Reaper
from tournament.schedule import Player, Schedule
from tournament.session import Session
from tournament.store import GameRecord, Journal, Store, status

UTTT = {"game": "uttt", "games_per_pair": 8, "concurrency": 2}
NODES = {"nodes": 1}
PLIES = {"plies": 2}
RANDOM = [example("r1"), example("r2"), example("r3")]


def played(games: list[GameRecord]) -> dict[str, tuple[object, ...]]:
    """What must be the same in two runs of one schedule, by id."""
    return {game.id: (game.first, game.second, game.moves, game.result) for game in games}


def test_run_plays_every_game_once_with_colours_reversed(bench: Bench) -> None:
    games = bench.play(RANDOM, tournament=UTTT, limit=NODES, openings=PLIES)
    assert [game.number for game in games] == list(range(1, 25))
    assert all(game.moves[:2] == game.opening and len(game.opening) == 2 for game in games)
    pairs = {(game.first, game.second, game.opening) for game in games}
    assert len(pairs) == 24
    assert {(second, first, opening) for first, second, opening in pairs} == pairs
    assert bench.play() == games, "a finished run has nothing left to play"


def test_events_tell_the_whole_story(bench: Bench) -> None:
    games = bench.play([player("a"), player("b")], limit=NODES)
    kinds = [type(event).__name__ for event in bench.events]
    assert kinds == ["Probing", "Began", "Predicted", "Started", "Finished", "Started", "Finished", "Ended"]
    kinds.remove("Probing")
    lines = (bench.results / "test" / "events.jsonl").read_text().splitlines()
    assert [f'"event":"{kind.lower()}","v":1' in line for kind, line in zip(kinds, lines, strict=True)] == [True] * 7
    assert [event.game for event in bench.events if isinstance(event, Finished)] == games
    with closing(Store.open(bench.results / "test")) as store:
        assert store.meta["seed"] == 1
        assert store.schedule.names == ("a", "b")
    assert (bench.results / "test" / "schedule.toml").read_text() == bench.path.read_text()


def test_same_seed_same_games_whatever_the_concurrency(bench: Bench, tmp_path: Path) -> None:
    one = bench.play(RANDOM, tournament={**UTTT, "concurrency": 1}, limit=NODES, openings=PLIES)
    bench.results = tmp_path / "again"
    many = bench.play(RANDOM, tournament={**UTTT, "concurrency": 5}, limit=NODES, openings=PLIES)
    assert played(one) == played(many)
    bench.results = tmp_path / "other"
    other = bench.play(RANDOM, tournament={**UTTT, "seed": 2}, limit=NODES, openings=PLIES)
    assert not set(played(one)) & set(played(other))
    assert {game.moves for game in one} != {game.moves for game in other}


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
    ({"players": [player("a"), player("b", "noise")]}, "players 'b': it is not the player of the run"),
    ({"players": [player("a"), player("c")]}, "players 'b': the run has this player, the schedule has not"),
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


def test_fresh_keeps_the_old_run_aside(bench: Bench) -> None:
    old = bench.play([player("a"), player("b")], limit=NODES)
    for number in (1, 2):
        manager.run(bench.path, results=bench.results, fresh=True)
        with closing(Store.open(bench.results / f"test.old-{number}")) as store:
            assert played(store.games()) == played(old)
    assert bench.games() != old, "they have other time stamps"


def test_second_manager_is_refused(bench: Bench) -> None:
    games = bench.play([player("a"), player("b")], limit=NODES)
    with run_lock(bench.results / "test"), pytest.raises(UsageError, match="another `tournament run`"):
        bench.play()
    assert bench.games() == games


def test_too_few_openings_are_used_again_with_a_warning(bench: Bench) -> None:
    games = bench.play(
        [player("a"), player("b")], tournament={"games_per_pair": 10}, limit=NODES, openings={"plies": 1}
    )
    openings = [game.opening for game in games]
    assert openings[:2] == openings[6:8]
    assert len(set(openings)) == 3
    warnings = [event.text for event in bench.events if hasattr(event, "text")]
    assert warnings == ["openings: only 3 distinct, 5 needed for each pair: they are used again in order"]


def test_openings_come_from_a_file(bench: Bench) -> None:
    (bench.folder / "lines.txt").write_text("b2 a1\nb2 b1\n")
    openings = {"file": "lines.txt"}
    games = bench.play([player("a"), player("b")], tournament={"games_per_pair": 4}, limit=NODES, openings=openings)
    assert {game.opening for game in games} == {("b2", "a1"), ("b2", "b1")}


def test_adjudicated_games_are_results(bench: Bench) -> None:
    rules = {"max_plies": 20, "resign_score": 400, "resign_moves": 1}
    local = [{"name": name, "player": "mcts", "options": {"simulations": 50}} for name in "ab"]
    games = bench.play(local, tournament={"game": "uttt"}, limit=NODES, adjudication=rules)
    assert {game.termination for game in games} == {"adjudication"}
    assert all(len(game.moves) <= 20 for game in games)
    with pytest.raises(UsageError, match=r"adjudication.max_plies: the run has 20, the schedule 30"):
        bench.play(local, tournament={"game": "uttt"}, limit=NODES, adjudication={**rules, "max_plies": 30})


def test_balanced_openings_are_judged_before_the_first_game_and_stay(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournament.openings.TELLING_PAUSE_S", 0.0)
    openings: Tables = {"plies": 3, "balance": "negamax depth=9 hash_mb=1"}
    players = [player("a"), player("b")]
    games = bench.play(players, tournament={"games_per_pair": 4}, limit=NODES, openings=openings)
    kinds = [type(event).__name__ for event in bench.events]
    assert kinds[0] == "Judged"
    assert "Judged" not in kinds[kinds.index("Began") :]
    judged = [event for event in bench.events if isinstance(event, Judged)]
    assert judged[-1].judged >= judged[-1].kept == 2
    monkeypatch.setattr("tournament.openings.Judge", None)
    assert bench.play() == games
    changed = {**openings, "tolerance": 0.2}
    with pytest.raises(UsageError, match=r"openings.tolerance: the run has 0.1, the schedule 0.2"):
        bench.play(players, tournament={"games_per_pair": 4}, limit=NODES, openings=changed)


def children(process: subprocess.Popen[str], word: bytes) -> list[Path]:
    """The processes that a process has started, and that have this word in their command lines."""
    threads = Path(f"/proc/{process.pid}/task").glob("*/children")
    found = [Path("/proc") / number for file in threads for number in file.read_text().split()]
    return [folder for folder in found if word in (folder / "cmdline").read_bytes()]


def test_judging_can_be_interrupted(bench: Bench) -> None:
    forever: Tables = {"plies": 6, "balance": "negamax depth=60 hash_mb=1"}
    bench.write([player("a"), player("b")], tournament={"game": "gomoku15"}, limit=NODES, openings=forever)
    run = Manager(bench)
    deadline = time.monotonic() + 20
    while not (judges := children(run.process, b"--stdio")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(0.5)
    run.process.send_signal(signal.SIGINT)
    code, errors = run.end()
    assert code == 130, errors
    assert not any(judge.exists() for judge in judges)
    assert not (bench.results / "test").exists()


class Exhausted(Program):
    """A program whose starts fail for want of the machine, every other time or always."""

    always = False
    attempts = 0

    def idle(self) -> Session | None:
        return None

    async def acquire(self, *, fresh: bool = False) -> Session:
        type(self).attempts += 1
        if self.attempts > 1 and (self.always or self.attempts % 2 == 0):
            raise MachineError("this machine cannot start 'b' now: too many open files")
        return await super().acquire(fresh=fresh)


@pytest.mark.parametrize("always", [False, True])
def test_what_is_the_machines_fault_is_void_and_played_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, always: bool
) -> None:
    monkeypatch.setattr(Exhausted, "always", always)
    monkeypatch.setattr(Exhausted, "attempts", 0)
    monkeypatch.setattr("tournament.runner.VOID_PAUSE_S", 0.01)

    def flaky(entry: Player, schedule: Schedule, reaper: Reaper) -> Endpoint:
        if entry.name == "b":
            return Exhausted(entry, 5.0, reaper, schedule.folder)
        return make_endpoint(entry, schedule, reaper)

    monkeypatch.setattr(manager, "make_endpoint", flaky)
    if always:
        with pytest.raises(WorkError, match=r"too many open files \(3 void games in a row\)"):
            bench.play([player("a"), player("b")], limit=NODES)
    else:
        games = bench.play([player("a"), player("b")], limit=NODES)
        assert [game.termination for game in games] == ["rules", "rules"]
    voided = [event.game.id for event in bench.events if isinstance(event, Voided)]
    started = [event.game.id for event in bench.events if isinstance(event, Started)]
    assert len(voided) == (3 if always else 2)
    assert set(voided) <= set(started)
    with closing(Store.open(bench.results / "test")) as store:
        assert store.counts.void == len(voided)
        assert store.counts.begun == 0


COMMAND = [sys.executable, "-c", "from tournament.cli import main; main()"]


class Manager:
    """`tournament run` as a process of its own."""

    def __init__(self, bench: Bench, *options: str) -> None:
        arguments = [*COMMAND, "run", str(bench.path), "--results", str(bench.results), *options]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(arguments, stdout=pipe, stderr=pipe, text=True, start_new_session=True)

    def wait_for(self, line: str, count: int) -> None:
        assert self.process.stdout is not None
        for text in self.process.stdout:
            count -= text.startswith(line)
            if not count:
                return
        raise AssertionError(f"the run ended early: {self.end()}")

    def end(self) -> tuple[int, str]:
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


def wait_until_gone(bench: Bench) -> None:
    deadline = time.monotonic() + 5
    while programs_of(bench):
        assert time.monotonic() < deadline, "players outlived their manager"
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_run_goes_on(bench: Bench, number: signal.Signals) -> None:
    bench.write(RANDOM, tournament={**UTTT, "games_per_pair": 40}, limit=NODES, openings=PLIES)
    run = Manager(bench)
    run.wait_for("Finished", 3)
    run.process.send_signal(number)
    code, errors = run.end()
    assert code == 130
    assert f"go on with: tournament run {bench.path} --results {bench.results}" in errors
    assert "Traceback" not in errors
    wait_until_gone(bench)
    before = bench.games()
    assert 3 <= len(before) < 120
    with closing(Store.open(bench.results / "test")) as store:
        assert store.state == "interrupted"
        assert store.counts.begun == 0
        assert 0 < store.counts.void <= 2
    after = bench.play()
    assert len(after) == 120
    assert not {game.id: game for game in before}.items() - {game.id: game for game in after}.items()


def test_interruption_is_130_whatever_became_of_the_schedule(bench: Bench) -> None:
    bench.write([player("a", "silent"), player("b")], limit={"nodes": 1, "stall_s": 60})
    run = Manager(bench)
    run.wait_for("Started", 1)
    bench.path.write_text("[")
    run.process.send_signal(signal.SIGINT)
    assert run.end() == (130, "")


def kill_again_and_again(bench: Bench, kills: int, rng: random.Random) -> None:
    kept: Mapping[str, GameRecord] = {}
    for _ in range(kills):
        run = Manager(bench)
        run.wait_for("Finished", rng.randint(1, 6))
        time.sleep(rng.random() * 0.03)
        run.process.kill()
        assert run.end()[0] == -signal.SIGKILL
        now = {game.id: game for game in bench.games()}
        assert kept.items() <= now.items(), "a finished game was lost or changed"
        kept = now
        wait_until_gone(bench)
    finished = bench.play()
    with closing(Store.open(bench.results / "test")) as store:
        assert store.scheduled == len(finished) == len({game.id for game in finished})
        assert store.counts.begun == 0
    assert kept.items() <= {game.id: game for game in finished}.items()


def test_kill_loses_nothing_and_plays_nothing_twice(bench: Bench, tmp_path: Path) -> None:
    bench.write(RANDOM, tournament={**UTTT, "games_per_pair": 30}, limit=NODES, openings=PLIES)
    kill_again_and_again(bench, 4, random.Random(1))
    killed = bench.games()
    bench.results = tmp_path / "undisturbed"
    assert played(bench.play()) == played(killed)


SIX = [example(f"r{number}") for number in range(6)]
IN_STEPS: dict[str, Tables] = {
    "swiss": {"method": "swiss", "rounds": 4},
    "adaptive": {"method": "adaptive", "batches": 3},
}


def planned(bench: Bench) -> list[object]:
    """What a run has planned, step by step."""
    with closing(Store.open(bench.results / "test")) as store:
        return [store.steps, store.pairs, store.openings, store.planned(), store.meta["over"]]


def kill_and_compare(bench: Bench, method: str, games_per_pair: int, kills: int) -> None:
    pairing = {**IN_STEPS[method], **({"games": 9 * games_per_pair} if method == "adaptive" else {})}
    table = {**UTTT, "games_per_pair": games_per_pair}
    bench.write(SIX, tournament=table, limit=NODES, openings=PLIES, pairing=pairing)
    kill_again_and_again(bench, kills, random.Random(3))
    killed, plan_of_killed = played(bench.games()), planned(bench)
    bench.results = bench.folder / "undisturbed"
    assert played(bench.play()) == killed
    assert planned(bench) == plan_of_killed
    with closing(Store.open(bench.results / "test")) as store:
        assert len(store.steps) >= 3


@pytest.mark.timeout(300)
@pytest.mark.parametrize("method", IN_STEPS)
def test_kills_change_nothing_in_a_run_that_plans_in_steps(bench: Bench, method: str) -> None:
    kill_and_compare(bench, method, 4, 2)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_many_kills(bench: Bench) -> None:
    bench.write(RANDOM, tournament={**UTTT, "games_per_pair": 500}, limit=NODES, openings=PLIES)
    kill_again_and_again(bench, 100, random.Random(2))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("method", IN_STEPS)
def test_many_kills_of_a_run_that_plans_in_steps(bench: Bench, method: str) -> None:
    kill_and_compare(bench, method, 120, 100)


def limit_files(size: int) -> None:
    """Let no file that this process writes grow beyond so many bytes: what a full disk looks like to SQLite."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("size", [10_000, 100_000, 150_000])
def test_full_disk_is_one_line_and_loses_nothing(bench: Bench, size: int) -> None:
    bench.write([player("a"), player("b")], tournament={"games_per_pair": 200, "concurrency": 2}, limit=NODES)
    words = [*COMMAND, "run", str(bench.path), "--results", str(bench.results), "--quiet"]
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=60, check=False, preexec_fn=partial(limit_files, size)
    )
    assert done.returncode == 1, done.stderr
    assert re.fullmatch(rf"error: {re.escape(str(bench.results))}\S*: .*cannot be written: .*\n", done.stderr)
    wait_until_gone(bench)
    begun = (bench.results / "test" / "events.jsonl").exists()
    kept = {game.id: game for game in bench.games()} if begun else {}
    assert len(kept) < 200
    assert kept or size < 150_000, "the largest size is there to have finished games"
    finished = {game.id: game for game in bench.play()}
    assert len(finished) == 200
    assert kept.items() <= finished.items()


def test_database_that_is_full_rolls_back_and_says_so(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Journal.open

    def small(folder: Path) -> Journal:
        journal = opened(folder)
        journal._database.execute("PRAGMA max_page_count = 20")
        return journal

    monkeypatch.setattr(Journal, "open", small)
    players, table = [player("a"), player("b")], {"games_per_pair": 300}
    with pytest.raises(WorkError, match="cannot be written: database or disk is full"):
        bench.play(players, tournament=table, limit=NODES)
    monkeypatch.undo()
    kept = {game.id: game for game in bench.games()}
    finished = {game.id: game for game in bench.play()}
    assert 0 < len(kept) < len(finished) == 300
    assert kept.items() <= finished.items()


def test_kill_before_the_plan_is_written_leaves_nothing_in_the_way(bench: Bench) -> None:
    """A manager that is killed while it probes leaves a folder without a plan."""
    slow = {"name": "b", "command": ["sleep", "60"]}
    bench.write([player("a"), slow], limit=NODES)
    run = Manager(bench)
    deadline = time.monotonic() + 10
    while not programs_of(bench):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    time.sleep(0.1)  # a player is orphaned by a kill between its start and the next turn of the event loop
    run.process.kill()
    run.end()
    wait_until_gone(bench)
    assert len(bench.play([player("a"), player("b")], limit=NODES)) == 2


def test_plan_without_a_finished_game_may_be_changed(bench: Bench) -> None:
    bench.write([player("a", "silent"), player("b")], limit={"nodes": 1, "stall_s": 60})
    run = Manager(bench)
    run.wait_for("Started", 1)
    run.process.kill()
    run.end()
    assert len(bench.play([player("c"), player("d")], limit=NODES)) == 2


def test_hung_player_is_left_behind_at_once_on_interruption(bench: Bench) -> None:
    bench.write([player("a", "silent"), player("b")], limit={"nodes": 1, "stall_s": 60})
    run = Manager(bench)
    run.wait_for("Started", 1)
    started = time.monotonic()
    run.process.send_signal(signal.SIGINT)
    assert run.end()[0] == 130
    assert time.monotonic() - started < 3
    wait_until_gone(bench)


SLOW_GAMES: Tables = {"tournament": {"games_per_pair": 40, "concurrency": 2}, "limit": {"movetime_ms": 1000}}


def test_interrupted_run_may_finish_its_running_games(bench: Bench) -> None:
    bench.write([player("a", "slow", 0.1), player("b"), player("c")], **SLOW_GAMES)
    run = Manager(bench, "--on-interrupt", "finish")
    run.wait_for("Finished", 2)
    run.process.send_signal(signal.SIGINT)
    run.wait_for("warning: stopping once", 1)
    code, errors = run.end()
    assert code == 130
    assert f"go on with: tournament run {bench.path}" in errors
    events = (bench.results / "test" / "events.jsonl").read_text()
    warned = events.index("stopping once 2 games have ended; a second interrupt makes them void")
    assert '"event":"started"' not in events[warned:]
    assert events[warned:].count('"event":"finished"') == 2
    with closing(Store.open(bench.results / "test")) as store:
        assert (store.counts.void, store.counts.begun, store.state) == (0, 0, "interrupted")
    wait_until_gone(bench)


def test_second_interrupt_makes_running_games_void(bench: Bench) -> None:
    bench.write([player("a", "silent"), player("b")], limit={"nodes": 1, "stall_s": 60})
    run = Manager(bench, "--on-interrupt", "finish")
    run.wait_for("Started", 1)
    run.process.send_signal(signal.SIGINT)
    run.wait_for("warning: stopping once 1 game", 1)
    assert run.process.poll() is None
    run.process.send_signal(signal.SIGINT)
    assert run.end()[0] == 130
    with closing(Store.open(bench.results / "test")) as store:
        assert (store.counts.void, store.counts.finished) == (1, 0)


def test_finishing_ends_a_run_that_plans_in_steps(bench: Bench) -> None:
    players = [player("a", "slow", 0.05), *(player(name) for name in "bcde")]
    bench.write(players, tournament={"concurrency": 3}, limit=NODES, pairing={"method": "swiss"})
    run = Manager(bench, "--on-interrupt", "finish")
    run.wait_for("Finished", 1)
    run.process.send_signal(signal.SIGTERM)
    assert run.end()[0] == 130
    assert len(bench.games()) < 12
    assert len(bench.play()) == 12


def test_readmitted_player_plays_what_was_given_up(bench: Bench) -> None:
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


def test_readmitted_player_that_is_well_again_finishes(bench: Bench) -> None:
    program = bench.folder / "engine.py"
    program.write_text(Path(misbehaving("fine")[3]).read_text())
    flag = bench.folder / "fault"
    flag.write_text("crash")
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
    flag.write_text("fine")
    manager.run(bench.path, results=bench.results, readmit=["b"])
    after = status(bench.results / "test")
    assert (after["finished"], after["scheduled"], after["benched"], after["state"]) == (24, 24, {}, "finished")
    assert sum(game.termination == "crash" for game in bench.games()) == 2


def test_decided_game_is_kept_while_its_loser_is_being_stopped(bench: Bench) -> None:
    bench.write([player("a", "silent"), player("b")], limit={"movetime_ms": 50})
    run = Manager(bench)
    run.wait_for("Finished", 1)
    run.process.send_signal(signal.SIGINT)
    assert run.end()[0] == 130
    assert len(bench.games()) == 1
    with closing(Store.open(bench.results / "test")) as store:
        assert store.counts.void == 0


def test_report_can_be_interrupted(bench: Bench) -> None:
    bench.write([player("a"), player("b")], limit=NODES)
    run = Manager(bench)
    run.wait_for("Finished", 2)
    deadline = time.monotonic() + 10
    while is_locked(bench.results / "test"):
        assert time.monotonic() < deadline
        time.sleep(0.001)
    run.process.terminate()
    code, errors = run.end()
    assert (code, errors.strip()) == (130, "error: interrupted")


def test_nohup_ignores_the_hangup(bench: Bench) -> None:
    bench.write([player("a", "slow", 0.05), player("b")], limit={"movetime_ms": 1000})
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    run = Manager(bench)
    signal.signal(signal.SIGHUP, before)
    run.wait_for("Started", 1)
    run.process.send_signal(signal.SIGHUP)
    assert run.end() == (0, "")


def test_every_start_is_kept_and_no_other_manager(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def meta() -> dict[str, Any]:
        with closing(Store.open(bench.results / "test")) as store:
            return store.meta

    commits = iter("abcdef")
    monkeypatch.setattr(manager, "_commit", lambda: next(commits))
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


def test_new_required_pair_is_played_or_refused(bench: Bench) -> None:
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


def test_command_runs_in_the_folder_of_the_schedule(bench: Bench) -> None:
    (bench.folder / "engine.py").write_text(Path(misbehaving("fine")[3]).read_text())
    local = {"name": "local", "command": ["python3", "engine.py", "fine"]}
    assert [game.termination for game in bench.play([local, player("b")], limit=NODES)] == ["rules", "rules"]
