"""Random kills and freezes of the processes of three nodes: every game once, and the games of an undisturbed run."""

from __future__ import annotations

import json
import os
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fiedler.tournament.cluster.cluster import is_installed
from fiedler.tournament.report.writing import write_report
from fiedler.tournament.run.store import Store
from tests.patience import PATIENCE, wait_until
from tests.tournament.cluster.ray_processes import hit, node_processes, processes
from tests.tournament.manager_process import Manager, played
from tests.tournament.schedules import Bench, Tables, player

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not is_installed(), reason="needs the extra `cluster`: Ray"),
    pytest.mark.timeout(3600),
]
FAULTS = int(os.environ.get("CLUSTER_FAULTS", "100"))
"""The number of faults."""
GAMES = 3 * FAULTS
"""The games of the run: each fault waits for one, and the last faults have some after them."""
MOVE_S = 0.1
"""The time of a move: a game is under way while a fault finds its process."""
NODES = 4
RAYLETS = (FAULTS - 2, FAULTS - 1)
"""The faults that hit a raylet, whose node never comes back: the last ones."""
FIRST = """
import os, fiedler.tournament.cluster.presence as presence
os.environ["TMPDIR"] = {folder!r}
presence.RETRY_S = 1.0
"""
"""A manager that asks a lost node again after a second."""


@pytest.fixture
def bench() -> Iterator[Bench]:
    """A folder with a short path, for Ray's sockets."""
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp") as folder:
        yield Bench(Path(folder))


def test_every_game_is_played_once_whatever_happens_to_the_nodes(bench: Bench) -> None:
    """A fault comes after the next game that ends: the node of the one before may still be silent, or start."""
    rest: dict[str, Tables] = {
        "tournament": {"games_per_pair": 2 * -(-GAMES // 6)},
        "openings": {"plies": 3},
        "limit": {"nodes": 1, "startup_s": PATIENCE, "stall_s": PATIENCE},
    }
    cluster = {"tables": 1, "lost_s": 5, "wait_s": 10}
    bench.write([player(name, "slow", MOVE_S) for name in "abc"], cluster=cluster, **rest)
    first = FIRST.format(folder=str(bench.folder))
    began = time.monotonic()
    run = Manager(bench, "--cluster", f"local:{NODES}", "--progress", "all", first=first)
    hits = disturb(run, random.Random(1))
    disturbed_s = time.monotonic() - began
    output, errors = run.process.communicate(timeout=20 * PATIENCE)
    assert run.process.returncode == 0, errors
    assert "Traceback" not in errors
    assert "raylet" not in output + errors, "Ray has printed something"
    wait_until(lambda: not processes(str(bench.folder).encode()))
    folder, home = bench.results / "test", Bench(bench.folder / "home")
    home.folder.mkdir()
    undisturbed = home.play([player(name) for name in "abc"], **rest)
    write_report(home.results / "test")
    assert games_of(folder) == played(undisturbed)
    assert ranking(folder) == ranking(home.results / "test")
    finished = [event["game"]["id"] for event in events(folder) if event["event"] == "finished"]
    assert len(finished) == len({*finished}) == len(undisturbed) >= GAMES
    void = sum(event["event"] == "voided" for event in events(folder))
    print(f"{FAULTS} faults in {disturbed_s:.0f} s: {dict(hits)}; {void} games void")


def test_an_interrupt_while_nodes_start_is_quiet(bench: Bench) -> None:
    """The thread that starts them asks Ray how many there are, and Ray would begin anew if it had just ended."""
    bench.write([player("a", "slow", MOVE_S), player("b")], tournament={"games_per_pair": 1000}, limit={"nodes": 1})
    first = f"import os; os.environ['TMPDIR'] = {str(bench.folder)!r}"
    run = Manager(bench, "--cluster", "local:4", "--progress", "all", first=first)
    run.wait_for("Started game", 1)
    run.process.terminate()
    _, errors = run.end()
    assert [line.split(" ")[0] for line in errors.splitlines()] == ["Starting", "interrupted;", "resume"]
    wait_until(lambda: not processes(str(bench.folder).encode()))


def disturb(run: Manager, source: random.Random) -> Counter[str]:
    """Hit processes of the nodes while games are played; return how often each kind was hit in which way.

    At most two of them are frozen at the same time.
    """
    hits: Counter[str] = Counter()
    frozen: list[int] = []
    for fault in range(FAULTS):
        assert run.comes_to("Finished game", 1), f"the run has ended after {fault} faults"
        kind = "raylets" if fault in RAYLETS else source.choice(("actors", "tables"))
        number = source.choice(found(run, kind))
        how = source.choice((signal.SIGKILL, signal.SIGSTOP))
        hit(number, how)
        hits[f"{how.name} {kind}"] += 1
        if how == signal.SIGSTOP:
            frozen.append(number)
        if len(frozen) > 2:
            hit(frozen.pop(0), signal.SIGCONT)
    for number in frozen:
        hit(number, signal.SIGCONT)
    return hits


def found(run: Manager, kind: str) -> list[int]:
    """Return the processes of a kind, once there are some."""
    numbers: list[int] = []

    def look() -> bool:
        numbers[:] = getattr(node_processes(run.process.pid), kind)
        return bool(numbers)

    wait_until(look)
    return numbers


def games_of(folder: Path) -> dict[str, tuple[object, ...]]:
    with Store.open(folder) as store:
        return played(store.games())


def ranking(folder: Path) -> Any:
    return json.loads((folder / "ranking.json").read_text("utf-8"))["players"]


def events(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "events.jsonl").read_text("utf-8").splitlines()]
