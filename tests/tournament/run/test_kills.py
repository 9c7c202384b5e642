"""Kills at any moment and full disks: nothing is lost, nothing is played twice."""

from __future__ import annotations

import random
import re
import resource
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fiedler.support.errors import WorkError
from fiedler.tournament.game import GameRecord
from fiedler.tournament.run.journal import Attempt, Journal
from fiedler.tournament.run.store import Store
from tests.patience import PATIENCE, wait_until
from tests.tournament.manager_process import (
    COMMAND,
    NODES,
    PLIES,
    RANDOM,
    UTTT,
    Manager,
    played,
    wait_until_gone,
    waiting_after,
)
from tests.tournament.schedules import Bench, Tables, example, player


def kill_again_and_again(bench: Bench, kills: int, rng: random.Random) -> None:
    kept: Mapping[str, GameRecord] = {}
    for _ in range(kills):
        count = rng.randint(1, 6)
        run = Manager(bench, first=waiting_after(count + 6))
        run.wait_for("Finished", count)
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


def test_a_kill_loses_nothing_and_plays_nothing_twice(bench: Bench, tmp_path: Path) -> None:
    bench.write(RANDOM, tournament={**UTTT, "games_per_pair": 16}, limit=NODES, openings=PLIES)
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
    """Return the plan of a run, step by step."""
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


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_many_kills_lose_nothing(bench: Bench) -> None:
    bench.write(RANDOM, tournament={**UTTT, "games_per_pair": 500}, limit=NODES, openings=PLIES)
    kill_again_and_again(bench, 100, random.Random(2))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("method", IN_STEPS)
def test_many_kills_change_nothing_in_a_run_that_plans_in_steps(bench: Bench, method: str) -> None:
    kill_and_compare(bench, method, 120, 100)


def limit_files(size: int) -> None:
    """Limit the files of this process to `size` bytes: for SQLite a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("size", [10_000, 100_000, 200_000])
def test_a_full_disk_is_one_line_and_loses_nothing(bench: Bench, size: int) -> None:
    bench.write([player("a"), player("b")], tournament={"games_per_pair": 200, "concurrency": 2}, limit=NODES)
    words = [*COMMAND, "run", str(bench.path), "--results", str(bench.results), "--quiet"]
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=PATIENCE, check=False, preexec_fn=partial(limit_files, size)
    )
    assert done.returncode == 1, done.stderr
    assert re.fullmatch(rf"error: {re.escape(str(bench.results))}\S*: .*cannot be written: .*\n", done.stderr)
    wait_until_gone(bench)
    begun = (bench.results / "test" / "events.jsonl").exists()
    kept = {game.id: game for game in bench.games()} if begun else {}
    assert len(kept) < 200
    assert kept or size < 200_000, "the largest size is there to have finished games"
    finished = {game.id: game for game in bench.play()}
    assert len(finished) == 200
    assert kept.items() <= finished.items()


def test_a_full_database_rolls_back_with_one_line(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is full once it holds the first results; their number at once depends on the machine."""
    write = Journal.write

    def fill(journal: Journal, begun: Any, void: Any, finished: Any, *credits_ms: Any) -> set[Attempt]:
        late = write(journal, begun, void, finished, *credits_ms)
        if finished:
            journal._database.execute("PRAGMA max_page_count = 1")  # SQLite takes it for the pages there are
        return late

    monkeypatch.setattr(Journal, "write", fill)
    players, table = [player("a"), player("b")], {"games_per_pair": 300}
    with pytest.raises(WorkError, match="cannot be written: database or disk is full"):
        bench.play(players, tournament=table, limit=NODES)
    monkeypatch.undo()
    kept = {game.id: game for game in bench.games()}
    finished = {game.id: game for game in bench.play()}
    assert 0 < len(kept) < len(finished) == 300
    assert kept.items() <= finished.items()


NOTING = """
from fiedler.support.reaper import Reaper
watch = Reaper.watch
def noted(self, *words):
    watch(self, *words)
    with open({path!r}, "a", encoding="utf-8") as file:
        file.write("x")
Reaper.watch = noted
"""
"""Notes each program that will end with its manager."""


def test_a_kill_before_the_plan_is_written_leaves_a_usable_folder(bench: Bench) -> None:
    """A manager that is killed while it probes leaves a folder without a plan."""
    slow = {"name": "b", "command": ["sleep", "60"]}
    bench.write([player("a"), slow], limit=NODES)
    watched = bench.folder / "watched"
    run = Manager(bench, first=NOTING.format(path=str(watched)))  # a kill between start and watch orphans a player
    wait_until(lambda: watched.exists() and len(watched.read_text("utf-8")) == 2)
    run.process.kill()
    run.end()
    wait_until_gone(bench)
    assert len(bench.play([player("a"), player("b")], limit=NODES)) == 2
