"""`tournament run --processes N`: the same games as in one process, and a kill loses or leaves nothing."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiedler.support.cores import available
from fiedler.support.errors import UsageError, WorkError
from fiedler.tournament.game import PlannedGame
from fiedler.tournament.run import affinity, process_venue
from fiedler.tournament.run.events import Event, Finished, Joined, Voided, Warned
from fiedler.tournament.run.lease import Lease, Notice
from fiedler.tournament.run.live import Board
from fiedler.tournament.run.store import Store
from fiedler.tournament.run.table_messages import (
    Cleared,
    MessageReader,
    Probe,
    Probed,
    ProcessSetup,
    Shown,
    Watch,
    encoded,
)
from fiedler.tournament.schedule.schedule import LimitSection, PlayerEntry, Schedule, Tournament
from fiedler.tournament.schedule.validation import load
from tests.patience import PATIENCE, wait_until
from tests.tournament.manager_process import (
    COMMAND,
    NODES,
    PLIES,
    RANDOM,
    UTTT,
    Manager,
    children,
    played,
    wait_until_gone,
)
from tests.tournament.schedules import Bench, Tables, cores_of, listening, misbehaving, player, programs_of

FOUR = {"games_per_pair": 40, "concurrency": 4}


def tables_of(run: Manager, number: int) -> list[Path]:
    """Return the table processes of a manager, once there are `number` of them."""
    found: list[Path] = []

    def there() -> bool:
        found[:] = children(run.process, b"table_process")
        return len(found) == number

    wait_until(there)
    return found


def is_gone(process: Path) -> bool:
    """Return whether a process has ended; it may be a zombie."""
    try:
        return not (process / "cmdline").read_bytes()
    except OSError:
        return True


def voided(bench: Bench) -> list[str]:
    """Return the reasons of void games, from the file of events."""
    lines = (bench.results / "test" / "events.jsonl").read_text("utf-8").splitlines()
    return [event["why"] for event in map(json.loads, lines) if event["event"] == "voided"]


@pytest.mark.parametrize("processes", [2, 3])
def test_the_games_are_those_of_one_process(bench: Bench, tmp_path: Path, processes: int) -> None:
    table = {**UTTT, "concurrency": 3}
    bench.write(RANDOM, tournament=table, limit=NODES, openings=PLIES)
    one = bench.play()
    bench.results, bench.processes = tmp_path / "several", processes
    several = bench.play()
    assert played(several) == played(one)
    assert [game.opening for game in several] == [game.opening for game in one]
    assert not programs_of(bench)
    assert sum(isinstance(event, Finished) for event in bench.events) == 2 * len(one)


def test_every_process_reaches_local_players_and_addresses(bench: Bench) -> None:
    bench.processes = 2
    with listening([*misbehaving("fine"), "--tcp"]) as one, listening([*misbehaving("fine"), "--tcp"]) as other:
        far = [{"name": "far", "address": one}, {"name": "away", "address": other}]
        players = [*far, {"name": "ours", "player": "random"}]
        games = bench.play(players, tournament={"concurrency": 2}, limit={"nodes": 1, "startup_s": 60})
    assert {game.termination for game in games} == {"rules"}


def test_a_killed_table_process_voids_its_games_only(bench: Bench) -> None:
    bench.write([player("a", "held"), player("b")], tournament=FOUR, limit=NODES)
    run = Manager(bench, "--processes", "2")
    run.wait_for("Started", 4)
    wait_until((bench.folder / "holding").exists)
    one, _ = tables_of(run, 2)
    os.kill(int(one.name), signal.SIGKILL)
    run.wait_for("Void game", 2)
    (bench.folder / "released").touch()
    assert run.end() == (0, "")
    assert voided(bench) == ["the table process was killed by SIGKILL"] * 2
    games = bench.games()
    assert len(games) == len({game.id for game in games}) == 40
    with closing(Store.open(bench.results / "test")) as store:
        assert (store.counts.void, store.counts.begun, store.state) == (2, 0, "finished")
    bench.results = bench.folder / "undisturbed"
    assert played(bench.play()) == played(games)
    wait_until_gone(bench)


def kill_tables(bench: Bench, games_per_pair: int, kills: int) -> None:
    """Kill table processes at random moments of a run, and compare its games with those of an undisturbed one."""
    rng = random.Random(kills)
    bench.write(RANDOM, tournament={**UTTT, "games_per_pair": games_per_pair}, limit=NODES, openings=PLIES)
    run = Manager(bench, "--concurrency", "4", "--processes", "3")
    for _ in range(kills):
        run.wait_for("Finished", rng.randint(1, 6))
        time.sleep(rng.random() * 0.03)
        for process in children(run.process, b"table_process")[:1]:
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(int(process.name), signal.SIGKILL)
    run.wait_for("Finished tournament", 1)
    assert run.end() == (0, "")
    killed = bench.games()
    with closing(Store.open(bench.results / "test")) as store:
        assert (store.counts.begun, store.state) == (0, "finished")
        assert store.counts.void == len(voided(bench))
    wait_until_gone(bench)
    bench.results = bench.folder / "undisturbed"
    assert played(bench.play()) == played(killed)


def test_kills_of_table_processes_change_nothing(bench: Bench) -> None:
    kill_tables(bench, 24, 4)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_many_kills_of_table_processes(bench: Bench) -> None:
    kill_tables(bench, 500, 100)


def test_a_killed_manager_leaves_no_process_behind(bench: Bench) -> None:
    """Not even a table process that is stopped and reads nothing."""
    bench.write([player("a", "held"), player("b")], tournament=FOUR, limit=NODES)
    run = Manager(bench, "--processes", "3")
    run.wait_for("Started", 4)
    tables = tables_of(run, 3)
    os.kill(int(tables[0].name), signal.SIGSTOP)
    run.process.kill()
    run.end()
    wait_until_gone(bench)
    wait_until(lambda: all(map(is_gone, tables)), "table processes outlived their manager")
    (bench.folder / "released").touch()
    assert len(bench.play()) == 40


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_resumes_with_other_processes(bench: Bench, number: signal.Signals) -> None:
    bench.write([player("a", "held", 3), player("b")], tournament=FOUR, limit=NODES)
    run = Manager(bench, "--processes", "2")
    run.wait_for("Finished", 3)
    wait_until((bench.folder / "holding").exists)
    tables = tables_of(run, 2)
    run.process.send_signal(number)
    code, errors = run.end()
    assert code == 130
    assert "Traceback" not in errors
    assert all(map(is_gone, tables))
    wait_until_gone(bench)
    before = bench.games()
    assert 3 <= len(before) < 40
    assert set(voided(bench)) == {"interrupted"}
    (bench.folder / "released").touch()
    after = bench.play()
    assert len(after) == 40
    assert not {game.id: game for game in before}.items() - {game.id: game for game in after}.items()


def test_running_games_may_finish_in_processes(bench: Bench) -> None:
    bench.write([player("a", "held"), player("b")], tournament=FOUR, limit=NODES)
    run = Manager(bench, "--processes", "2", "--on-interrupt", "finish")
    run.wait_for("Started", 4)
    run.process.send_signal(signal.SIGINT)
    run.wait_for("warning: stopping once 4 games", 1)
    (bench.folder / "released").touch()
    assert run.end()[0] == 130
    assert len(bench.games()) == 4
    assert voided(bench) == []


def test_all_processes_log_to_one_file(bench: Bench) -> None:
    bench.write([player("a", "held"), player("b")], tournament=FOUR, limit={"nodes": 7})
    log = bench.folder / "log"
    run = Manager(bench, "--processes", "2", "--log", str(log))
    run.wait_for("Started", 4)
    (bench.folder / "released").touch()
    assert run.end()[0] == 0
    lines = [re.fullmatch(r"[0-9]+\.[0-9]{3} ([ab]#([12])\.[0-9]+) [<>!] .*", line) for line in _lines(log)]
    assert None not in lines
    assert {found[2] for found in lines if found} == {"1", "2"}
    assert sum(line.endswith("> go nodes 7") for line in _lines(log)) == sum(len(game.moves) for game in bench.games())


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def test_a_notice_about_a_player_is_reported_once(bench: Bench) -> None:
    """It plays in several processes."""
    bench.processes = 2
    table = {"games_per_pair": 12, "concurrency": 2, "bench_after": 0}
    games = bench.play([player("bad", "newgame-crash", 2), player("good")], limit={"nodes": 1}, tournament=table)
    assert {game.termination for game in games} == {"rules"}
    warnings = [event.text for event in bench.events if isinstance(event, Warned)]
    assert warnings == ["bad exited with status 4 between two games, and is restarted; later ones are not reported"]


def test_a_missing_player_joins_from_a_process(bench: Bench) -> None:
    def come(event: Event) -> None:
        if isinstance(event, Finished):
            (bench.folder / "come").touch()

    bench.subscribers, bench.processes = [come], 2
    players = [player("late", "absent", required=False), player("a"), player("b")]
    games = bench.play(players, limit={"nodes": 1}, tournament={"concurrency": 2})
    assert len(games) == 6
    assert [event.player for event in bench.events if isinstance(event, Joined)] == ["late"]


@pytest.mark.skipif(len(available()) < 2, reason="one core cannot be divided")
def test_shares_of_cores_are_those_of_one_process(bench: Bench) -> None:
    last: dict[int, frozenset[int]] = {}
    """Of each program; one that has just started has all cores for an instant."""

    def look(event: Event) -> None:
        if isinstance(event, Finished):
            last.update(cores_of(bench))

    bench.subscribers, bench.processes = [look], 2
    table = {"games_per_pair": 8, "concurrency": 2, "pin": True}
    assert len(bench.play([player("a"), player("b")], tournament=table, limit=NODES)) == 8
    found = sorted(map(sorted, set(last.values())))
    assert found == sorted(sorted(share or ()) for share in affinity.shares(load(bench.path), 2))


UNUSABLE: list[Tables] = [player("bad", "exit"), {"name": "bad", "command": ["./none"]}]


@pytest.mark.parametrize("bad", UNUSABLE, ids=["exits", "missing"])
def test_unusable_players_are_named_as_in_one_process(bench: Bench, bad: Tables) -> None:
    messages = []
    for bench.processes in (1, 2):
        with pytest.raises(UsageError) as caught:
            bench.play([player("good"), bad], tournament={"concurrency": 2})
        messages.append(str(caught.value))
        assert list(bench.results.iterdir()) == []
    assert messages[0] == messages[1]


@pytest.mark.parametrize(
    ("program", "end"),
    [
        (
            [sys.executable, "-c", "import sys; sys.exit('no room')"],
            "exited with status 1, saying: no room",
        ),
        (["./none"], "cannot start './none': no such file or directory"),
    ],
)
def test_a_table_process_that_does_not_start_is_one_line(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, program: list[str], end: str
) -> None:
    monkeypatch.setattr(process_venue, "COMMAND", program)
    bench.processes = 2
    with pytest.raises(WorkError, match=f"^(the table process )?{re.escape(end)}$"):
        bench.play([player("a"), player("b")], tournament={"concurrency": 2})
    assert list(bench.results.iterdir()) == []


def test_a_table_process_that_always_dies_ends_the_run_with_its_last_table(bench: Bench) -> None:
    """Its player kills it, with all processes of its parent's group."""
    killer = "import os, signal, sys\nfor line in sys.stdin:\n"
    killer += " word = line.split()[0]\n word == 'go' and os.kill(os.getppid(), signal.SIGKILL)\n"
    killer += " print({'ugi': 'ugiok', 'isready': 'readyok'}.get(word, ''), flush=True)"
    bench.processes = 2
    table = {"games_per_pair": 4, "concurrency": 2}
    with pytest.raises(WorkError, match=r"^the table process was killed by SIGKILL \(3 void games in a row\)$"):
        bench.play([{"name": "a", "command": [sys.executable, "-c", killer]}, player("b")], tournament=table)
    assert bench.games() == []
    assert sum(isinstance(event, Voided) for event in bench.events) == 6
    closed = [event.text for event in bench.events if isinstance(event, Warned)]
    assert len(closed) == 1
    assert re.fullmatch(r"no more games at table [12]: the table process was killed by SIGKILL \(3 .*\)", closed[0])


@pytest.mark.parametrize("dry", [True, False])
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--processes", "3"], "error: --processes: expected at most 2, for 2 games at the same time, got 3\n"),
        (["--processes", "2", "--concurrency", "1"], "expected at most 1, for 1 game at the same time, got 2\n"),
        (["--processes", "0"], "'--processes': 0 is not in the range x>=1"),
    ],
)
def test_too_many_processes_are_refused(bench: Bench, words: list[str], message: str, *, dry: bool) -> None:
    bench.write([player("a"), player("b")], tournament={"concurrency": 2})
    arguments = ["run", str(bench.path), "--results", str(bench.results), *words, *["--dry-run"] * dry]
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    assert message in done.stderr
    assert not bench.results.exists()


GAME = PlannedGame("0" * 16, 7, "a ä", "b", ("a1", "b2"), 2, 3)
MESSAGES = [
    ProcessSetup(
        Schedule(
            tournament=Tournament(name="n", game="uttt", seed=2**62),
            limit=LimitSection(nodes=1),
            players=(
                PlayerEntry(name="a ä", command=("x", "y z"), options={"k": 0.5, "flag": True, "n": 3, "s": "t"}),
            ),
        ),
        {1: frozenset({0, 3}), 3: None},
        4,
        "/tmp/log",
        1.5,
        2,
    ),
    Probe(("a ä", "b")),
    Lease(GAME, 2, 3, 4),
    Probed({"b": "is not there"}),
    Cleared(3, (Notice("b", "stray", "said 'x'"),)),
    Watch(0.25),
    Shown((Board(7, GAME.id, "a ä", "b", ("a1",), ("a1", "b2"), (1000, 900), 0, -25, 3, None),)),
]


@given(st.lists(st.sampled_from(MESSAGES), max_size=5), st.lists(st.integers(0, 400), max_size=9))
def test_messages_arrive_whole(messages: list[msgspec.Struct], cuts: list[int]) -> None:
    kinds = ProcessSetup | Probe | Lease | Probed | Cleared | Watch | Shown
    reader = MessageReader(msgspec.msgpack.Decoder[msgspec.Struct](kinds))
    stream = b"".join(map(encoded, messages))
    places = [0, *sorted(cuts), len(stream)]
    portions = [stream[begin:end] for begin, end in itertools.pairwise(places)]
    assert [message for portion in portions for message in reader.receive(portion)] == messages
