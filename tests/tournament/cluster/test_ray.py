"""Ray itself: two nodes on this machine play the games of a run without them, and leave nothing behind."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from fiedler.support.interrupt import INTERRUPTED
from fiedler.tournament.cli import tournament
from fiedler.tournament.cluster.cluster import is_installed
from fiedler.tournament.commands.nodes import nodes
from fiedler.tournament.run.store import Store
from tests.folders import ROOT
from tests.patience import PATIENCE, wait_until
from tests.tournament.cluster.ray_processes import processes
from tests.tournament.manager_process import MAIN, PLIES, RANDOM, UTTT, Manager, played
from tests.tournament.schedules import Bench, player

pytestmark = pytest.mark.skipif(not is_installed(), reason="needs the extra `cluster`: Ray")
SCHEDULE = ROOT / "configs" / "cluster.toml"


def games_of(folder: Path) -> dict[str, tuple[object, ...]]:
    with Store.open(folder) as store:
        return played(store.games())


@pytest.fixture
def short() -> Iterator[str]:
    """A folder with a short path of its own, for Ray's sockets."""
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp") as folder:
        yield folder


def test_two_nodes_play_the_shipped_schedule_and_leave_nothing(tmp_path: Path, short: str) -> None:
    """A node is killed on the way: its game is void, and is played again elsewhere."""
    bench = Bench(tmp_path)
    bench.path = SCHEDULE
    run = Manager(bench, "--cluster", "local:2", first=f"import os; os.environ['TMPDIR'] = {short!r}")
    run.wait_for("Finished game", 3)
    (raylet,) = processes(b"raylet/raylet", b"--node_ip_address=127.0.0.3", short.encode())
    os.kill(raylet, signal.SIGKILL)
    code, errors = run.end()
    assert code == 0, errors
    folder = bench.results / "uttt-cluster"
    nodes = json.loads((folder / "nodes.json").read_text("utf-8"))["nodes"]
    assert sum(node["games"] for node in nodes) == len(games_of(folder)) == 24
    wait_until(lambda: not processes(short.encode()))
    here = tmp_path / "here"
    subprocess.run([sys.executable, "-c", MAIN, "run", str(SCHEDULE), "--results", str(here), "--quiet"], check=True)
    assert games_of(folder) == games_of(here / "uttt-cluster")


AT_ONCE = "from fiedler.tournament.commands import place_options; place_options.PATIENCE_S = 0.001"


def test_a_terminal_shows_which_node_starts(tmp_path: Path, short: str) -> None:
    """Other commands know of the run by then; an interrupt there leaves nothing."""
    ours, theirs = pty.openpty()
    first = f"{AT_ONCE}\nimport os; os.environ['TMPDIR'] = {short!r}\n"
    words = ["run", str(SCHEDULE), "--results", str(tmp_path), "--cluster", "local:2"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        [sys.executable, "-c", first + MAIN, *words], stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    shown = b""
    with suppress(OSError):
        while b"starting node 1 of 2" not in shown and (chunk := os.read(ours, 1 << 16)):
            shown += chunk
    process.send_signal(signal.SIGSTOP)  # else the node may join before the commands have ended
    at_work = CliRunner().invoke(nodes, ["uttt-cluster", "--results", str(tmp_path)])
    assert at_work.output == "no node of local:2 has joined yet; they are starting\n", shown.decode()
    again = CliRunner().invoke(tournament, words)
    assert str(again.exception).endswith("/uttt-cluster: another `tournament run` is at work on this run")
    for number in (signal.SIGINT, signal.SIGCONT):
        process.send_signal(number)
    with suppress(OSError):
        while os.read(ours, 1 << 16):
            pass
    os.close(ours)
    assert process.wait(PATIENCE) == INTERRUPTED, shown.decode()
    assert b"Starting 2 nodes here; the run begins with the first" in shown
    assert b"starting the head of the cluster" in shown
    assert not list(tmp_path.iterdir())
    wait_until(lambda: not processes(short.encode()))


SOON = "import os, fiedler.tournament.cluster.cluster as cluster; cluster.HEAD_S = cluster.LEAVE_S = 2.0"
"""A manager that soon gives up a head."""
HOST = """
import os, sys, time
os.environ["TMPDIR"] = {folder!r}
from fiedler.tournament.cluster import cluster
from fiedler.tournament.cluster.address import ClusterAddress
cluster.available = lambda: range(4)
hosted = cluster.Cluster(ClusterAddress(local=2)).open(print)
while len(hosted.places()) < 2:
    time.sleep(0.1)
print(hosted._head, flush=True)
sys.stdin.read()
hosted.close()
"""
"""A cluster of two nodes with two cores each, until the end of its input."""


@contextmanager
def hosted(folder: str) -> Iterator[str]:
    """Have a cluster run, and give the address of its head."""
    pipe = subprocess.PIPE
    host = subprocess.Popen([sys.executable, "-c", HOST.format(folder=folder)], stdin=pipe, stdout=pipe, text=True)
    assert host.stdout is not None
    yield host.stdout.readline().strip()
    host.communicate()
    assert host.returncode == 0
    wait_until(lambda: not processes(folder.encode()))


def test_two_runs_share_a_cluster(tmp_path: Path, short: str) -> None:
    benches = [Bench(tmp_path / name) for name in ("one", "other")]
    for seed, bench in enumerate(benches):
        bench.folder.mkdir()
        cluster = {"tables": 1, "wait_s": PATIENCE, "lost_s": PATIENCE / 2}
        limit = {"nodes": 1, "startup_s": PATIENCE, "stall_s": PATIENCE}
        bench.write(RANDOM, tournament={**UTTT, "seed": seed}, openings=PLIES, limit=limit, cluster=cluster)
    with hosted(short) as head:
        for run in [Manager(bench, "--cluster", head) for bench in benches]:
            code, errors = run.end()
            assert (code, errors.splitlines()) == (0, [f"Connecting to {head}"])
    for bench in benches:
        folder = bench.results / "test"
        nodes = json.loads((folder / "nodes.json").read_text("utf-8"))["nodes"]
        assert sum(node["games"] for node in nodes) == len(games_of(folder)) == 24
        bench.results = bench.folder / "home"
        assert played(bench.play()) == games_of(folder)


@pytest.mark.soak
def test_a_frozen_head_elsewhere_keeps_no_run(tmp_path: Path, short: str) -> None:
    """Python itself crashes at its end while a thread of Ray waits for that head."""
    bench = Bench(tmp_path)
    players = [player("a", "slow", 0.1), player("b")]
    bench.write(players, tournament={"games_per_pair": 10_000}, limit={"nodes": 1, "startup_s": PATIENCE})
    with hosted(short) as head:
        run = Manager(bench, "--cluster", head, first=SOON)
        run.wait_for("Finished game", 1)
        (server,) = processes(b"gcs_server", short.encode())
        os.kill(server, signal.SIGSTOP)
        code, errors = run.end()
        os.kill(server, signal.SIGCONT)
    why = f"the head at {head} has not answered for 2 s; start it, then the same command resumes the run"
    assert (code, errors.splitlines()[-1]) == (1, f"error: --cluster {head}: {why}")


@pytest.mark.parametrize("how", [pytest.param(signal.SIGKILL, marks=pytest.mark.soak), signal.SIGSTOP])
def test_a_head_without_an_answer_ends_the_run_with_one_line(tmp_path: Path, short: str, how: signal.Signals) -> None:
    """Ray itself ends the process a minute after the death of the head, and waits for a frozen one without end."""
    bench = Bench(tmp_path)
    players = [player("a", "slow", 0.1), player("b")]
    bench.write(players, tournament={"games_per_pair": 10_000}, limit={"nodes": 1, "startup_s": PATIENCE})
    run = Manager(bench, "--cluster", "local:1", first=f"{SOON}; os.environ['TMPDIR'] = {short!r}")
    run.wait_for("Finished game", 1)
    (head,) = processes(b"gcs_server", short.encode())
    os.kill(head, how)
    code, errors = run.end()
    last = errors.splitlines()[-1]
    assert last.startswith("error: --cluster local:1: the head at 127.0.0.2:")
    assert last.endswith("has not answered for 2 s; the same command resumes the run")
    assert code == 1
    assert games_of(bench.results / "test")
    wait_until(lambda: not processes(short.encode()))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ["--cluster", "local:0"],
            "HOST:PORT, auto, or local:N with N from 1 to 64, got 'local:0'",
        ),
        (["--cluster", "127.0.0.1:9"], "--cluster 127.0.0.1:9: no cluster of Ray answers at 127.0.0.1:9"),
        (["--cluster", "local:1", "--processes", "2"], "--processes: not with --cluster"),
        (["--cluster", "local:1", "--log", "x.log"], "--log: not with --cluster"),
    ],
)
def test_a_wrong_cluster_is_one_line(tmp_path: Path, words: list[str], expected: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MAIN, "run", str(SCHEDULE), "--results", str(tmp_path), *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 2
    assert expected in done.stderr.splitlines()[-1]
