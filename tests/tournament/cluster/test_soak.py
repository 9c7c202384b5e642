"""Random kills and freezes of the processes of three nodes: every game once, and the games of an undisturbed run."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE, wait_until
from tests.tournament.cluster.ray_processes import hit, node_processes, processes
from tests.tournament.manager_process import MAIN, Manager, played
from tests.tournament.schedules import Bench, player
from tournament.cluster.cluster import is_installed
from tournament.run.store import Store

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not is_installed(), reason="needs the extra `cluster`: Ray"),
    pytest.mark.timeout(3600),
]
FAULTS = int(os.environ.get("CLUSTER_FAULTS", "100"))
"""The number of faults."""
GAMES_BETWEEN = 6
"""The games that end between two faults."""
MOVE_S = 0.1
"""The time of a move: a game is under way while a fault finds its process."""
NODES = 3
SHARES = {"actors": 4, "tables": 4, "raylets": 1}
"""How often a process of each kind is hit, beside the others."""


@pytest.fixture
def bench() -> Iterator[Bench]:
    """A folder with a short path, for Ray's sockets."""
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp") as folder:
        yield Bench(Path(folder))


def test_every_game_is_played_once_whatever_happens_to_the_nodes(bench: Bench) -> None:
    players = [player(name, "slow", MOVE_S) for name in "abc"]
    games = max(2, 2 * -(-GAMES_BETWEEN * (FAULTS + 3) // 6))
    bench.write(
        players,
        tournament={"games_per_pair": games},
        openings={"plies": 3},
        limit={"nodes": 1, "startup_s": PATIENCE, "stall_s": PATIENCE},
        cluster={"tables": 1, "lost_s": 5, "wait_s": 10},
    )
    first = f"import os; os.environ['TMPDIR'] = {str(bench.folder)!r}"
    run = Manager(bench, "--cluster", f"local:{NODES}", "--progress", "all", first=first)
    hits = disturb(run, random.Random(1))
    output, errors = run.process.communicate(timeout=20 * PATIENCE)
    assert run.process.returncode == 0, errors
    assert "Traceback" not in errors
    assert "raylet" not in output + errors, "Ray has printed something"
    wait_until(lambda: not processes(str(bench.folder).encode()))
    folder, home = bench.results / "test", bench.folder / "home"
    command = [sys.executable, "-c", MAIN, "run", str(bench.path), "--results", str(home), "--quiet"]
    subprocess.run(command, check=True, timeout=20 * PATIENCE)
    assert games_of(folder) == games_of(home / "test")
    assert ranking(folder) == ranking(home / "test")
    finished = [event["game"]["id"] for event in events(folder) if event["event"] == "finished"]
    assert len(finished) == len({*finished}) == 3 * games
    print(
        f"{sum(hits.values())} faults: {dict(hits)}; {sum(event['event'] == 'voided' for event in events(folder))} void"
    )


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
    """Hit the processes of the nodes while games are played; return how often each kind was hit.

    The last raylet stays: a node does not come back without it.
    """
    hits: Counter[str] = Counter()
    frozen: list[int] = []
    for _ in range(FAULTS):
        if not run.comes_to("Finished game", GAMES_BETWEEN):
            break
        found = node_processes(run.process.pid)
        kinds = [kind for kind in SHARES if len(getattr(found, kind)) > (kind == "raylets")]
        if not kinds:
            continue
        kind = source.choices(kinds, [SHARES[kind] for kind in kinds])[0]
        number = source.choice(getattr(found, kind))
        how = source.choice((signal.SIGKILL, signal.SIGSTOP))
        hit(number, how)
        hits[f"{how.name} {kind}"] += 1
        if how == signal.SIGSTOP:
            frozen.append(number)
        if len(frozen) > 1:
            hit(frozen.pop(0), signal.SIGCONT)
    for number in frozen:
        hit(number, signal.SIGCONT)
    return hits


def games_of(folder: Path) -> dict[str, tuple[object, ...]]:
    with Store.open(folder) as store:
        return played(store.games())


def ranking(folder: Path) -> Any:
    return json.loads((folder / "ranking.json").read_text("utf-8"))["players"]


def events(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "events.jsonl").read_text("utf-8").splitlines()]
