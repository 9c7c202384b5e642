"""Games at the nodes of a cluster: their pace, their cost to the manager, and the time from a fault to the next game.

    python -m benchmarks.cluster pace                   # games a second at 1, 2, 4 and 8 nodes, beside linear
    python -m benchmarks.cluster faults                 # a killed actor, table process, raylet; a frozen actor
    python -m benchmarks.cluster manager                # a killed manager, and the same command again
    python -m benchmarks.cluster pace --quick           # fewer nodes and games; so with the others

The nodes are those of `--cluster local:N`, with one table each. The players only wait: WAIT_MS a move at tic-tac-toe.
The pace and the costs count from the moment at which all nodes play. CPU is that of the manager's process alone, with
its heartbeats; the bytes are those of its TCP connections to Ray, in both directions, as `ss` counts them. The first
line of each command has the load of the machine.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from tests.tournament.cluster.ray_processes import hit, node_of, node_processes

NODES = (1, 2, 4, 8)
WAIT_MS = 100.0
PATIENCE_S = 300.0
"""Most seconds until nodes play, or a game begins again."""
LOOK_S = 0.01
LOST_S = 10
GAMES = 2000
"""The games of a run, which is stopped before its end."""
RUN = [sys.executable, "-c", "from fiedler.tournament.cli import main; main()", "run"]
PLAYER = r"""
import sys, time
squares = [column + row for row in "123" for column in "abc"]
taken = []
for line in sys.stdin:
    words = line.split()
    answer = ""
    if words == ["ugi"]:
        answer = "id name waits\nugiok\n"
    elif words == ["isready"]:
        answer = "readyok\n"
    elif words[:1] == ["position"]:
        taken = words[3:]
    elif words[:1] == ["go"]:
        time.sleep(float(sys.argv[1]) / 1000)
        answer = "bestmove " + next(square for square in squares if square not in taken) + "\n"
    if answer:
        sys.stdout.write(answer)
        sys.stdout.flush()
"""
SCHEDULE = """
[tournament]
name = "nodes"
game = "tictactoe"
games_per_pair = {games}
seed = 1

[limit]
nodes = 1
startup_s = 300
stall_s = 300

[pairing]
method = "round-robin"

[openings]
plies = 2

[cluster]
tables = 1
wait_s = 3600
lost_s = {lost}

[[players]]
name = "a"
command = {command}

[[players]]
name = "b"
command = {command}
"""


class ClusterRun:
    """A run at nodes on this machine; `start` may be called again after a kill."""

    def __init__(self, folder: Path, nodes: int, games: int, wait_ms: float) -> None:
        """Prepare a run of `games` games."""
        self._folder = folder
        self._nodes = nodes
        player = folder / "waits.py"
        player.write_text(PLAYER, "utf-8")
        command = json.dumps([sys.executable, "-S", "-E", str(player), str(wait_ms)])
        (folder / "nodes.toml").write_text(SCHEDULE.format(games=games, command=command, lost=LOST_S), "utf-8")
        self._events = folder / "nodes" / "events.jsonl"
        self._read = 0
        self._rest = b""

    def start(self) -> None:
        """Start its manager."""
        command = [*RUN, str(self._folder / "nodes.toml"), "--results", str(self._folder), "--quiet"]
        self.manager = subprocess.Popen([*command, "--cluster", f"local:{self._nodes}"])

    def end(self) -> None:
        """Stop its manager, with everything that it started."""
        self.manager.terminate()
        self.manager.wait()

    def events(self) -> list[dict[str, Any]]:
        """Return the events that are new."""
        if not self._events.exists():
            return []
        with self._events.open("rb") as file:
            file.seek(self._read)
            data = file.read()
        self._read += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def await_event(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait for an event, and return it."""
        for _ in self._patiently():
            for event in self.events():
                if wanted(event):
                    return event
        raise AssertionError

    def await_nodes(self) -> None:
        """Wait until all nodes play."""
        for _ in self._patiently():
            if sum(node["state"] == "playing" for node in self.nodes()) == self._nodes:
                return

    def nodes(self) -> list[dict[str, Any]]:
        """Return the nodes as the run knows them."""
        path = self._folder / "nodes" / "nodes.json"
        return list(json.loads(path.read_bytes())["nodes"]) if path.exists() else []

    def _patiently(self) -> Iterator[None]:
        ends = time.monotonic() + PATIENCE_S
        while time.monotonic() < ends:
            if self.manager.poll() is not None:
                raise click.ClickException(f"the run has ended with status {self.manager.returncode}")
            yield
            time.sleep(LOOK_S)
        raise click.ClickException(f"nothing within {PATIENCE_S:g} s")


@contextmanager
def running(nodes: int, games: int, wait_ms: float) -> Iterator[ClusterRun]:
    """Yield a run whose manager has started; it ends with the block."""
    with tempfile.TemporaryDirectory(prefix="cl", dir="/tmp") as folder:  # Ray needs a short path
        run = ClusterRun(Path(folder), nodes, games, wait_ms)
        run.start()
        try:
            yield run
        finally:
            run.end()


def cpu_s(process: int) -> float:
    """Return the CPU seconds of a process so far."""
    words = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def wire_bytes(process: int) -> int:
    """Return the bytes of the open TCP connections of a process so far, sent and received."""
    lines = subprocess.run(["ss", "-tinpOH"], capture_output=True, text=True, check=True).stdout.splitlines()
    own = [line for line in lines if f"pid={process}," in line]
    return sum(int(count) for line in own for count in re.findall(r"bytes_(?:acked|received):(\d+)", line))


def pace(nodes: int, games: int, wait_ms: float) -> dict[str, float]:
    """Return the pace of `nodes` nodes over `games` games each, and what a game costs the manager."""
    with running(nodes, GAMES, wait_ms) as run:
        run.await_nodes()
        run.events()
        number = run.manager.pid
        began, cpu, wire = time.monotonic(), cpu_s(number), wire_bytes(number)
        left = games * nodes

        def is_last(event: dict[str, Any]) -> bool:
            nonlocal left
            left -= event["event"] == "finished"
            return not left

        run.await_event(is_last)
        seconds, played = time.monotonic() - began, games * nodes
        return {
            "nodes": nodes,
            "games": played,
            "games_per_s": played / seconds,
            "cpu_ms": 1000 * (cpu_s(number) - cpu) / played,
            "bytes": (wire_bytes(number) - wire) / played,
        }


def silent_for(run: ClusterRun, kind: str, with_signal: signal.Signals) -> tuple[float, float]:
    """Hit a process of a node; return the seconds until its game is void, and until it begins at another node."""
    run.await_nodes()
    victim = _playing(run, kind)
    run.events()
    began = time.monotonic()
    hit(victim, with_signal)
    void = run.await_event(lambda event: event["event"] == "voided")
    lost = time.monotonic() - began
    run.await_event(lambda event: event["event"] == "started" and event["game"]["id"] == void["game"]["id"])
    again = time.monotonic() - began
    hit(victim, signal.SIGKILL)
    return lost, again


def _playing(run: ClusterRun, kind: str) -> int:
    """Return the process of this kind of the first node."""
    address = run.nodes()[0]["address"]
    found: list[int] = getattr(node_processes(run.manager.pid), kind)
    return next(one for one in found if node_of(one) == address)


def restarted(run: ClusterRun) -> tuple[float, int]:
    """Kill the manager and start it again; return the seconds to the next result, and the results that came twice."""
    run.await_nodes()
    seen: list[str] = []

    def is_new(event: dict[str, Any]) -> bool:
        if is_result := bool(event["event"] == "finished"):
            seen.append(event["game"]["id"])
        return is_result

    for _ in range(5):
        run.await_event(is_new)
    run.manager.kill()
    run.manager.wait()
    before = {event["game"]["id"] for event in run.events() if event["event"] == "finished"} | {*seen}
    seen.clear()
    began = time.monotonic()
    run.start()
    run.await_event(is_new)
    seconds = time.monotonic() - began
    for _ in range(5):
        run.await_event(is_new)
    return seconds, len(seen) - len({*seen} - before)


@click.group()
def main() -> None:
    """Measure games at the nodes of a cluster."""
    click.echo(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


quick = click.option("--quick", is_flag=True, help="Fewer nodes and games.")


@main.command("pace")
@click.option("--wait-ms", default=WAIT_MS, help="The time of a move.", show_default=True)
@quick
def pace_command(wait_ms: float, *, quick: bool) -> None:
    """Measure games a second at 1, 2, 4 and 8 nodes, and what a game costs the manager."""
    _row("nodes", "games", "games/s", "of linear", "manager's CPU, ms a game", "bytes a game")
    one = 0.0
    for nodes in NODES[:2] if quick else NODES:
        found = pace(nodes, 20 if quick else 100, wait_ms)
        one = one or found["games_per_s"]
        _row(
            str(nodes),
            f"{found['games']:.0f}",
            f"{found['games_per_s']:.2f}",
            f"{found['games_per_s'] / one / nodes:.3f}",
            f"{found['cpu_ms']:.1f}",
            f"{found['bytes']:.0f}",
        )


FAULTS: Sequence[tuple[str, str, signal.Signals]] = (
    ("killed actor", "actors", signal.SIGKILL),
    ("killed table process", "tables", signal.SIGKILL),
    ("killed raylet", "raylets", signal.SIGKILL),
    ("frozen actor", "actors", signal.SIGSTOP),
)


@main.command("faults")
@quick
def faults_command(*, quick: bool) -> None:
    """Measure the seconds from a fault of a node to the first of its games elsewhere."""
    _row("fault", "game void after, s", "begins elsewhere after, s")
    for name, kind, with_signal in FAULTS[:1] if quick else FAULTS:
        with running(2, GAMES, WAIT_MS) as run:
            lost, again = silent_for(run, kind, with_signal)
        _row(name, f"{lost:.2f}", f"{again:.2f}")


@main.command("manager")
@quick
def manager_command(*, quick: bool) -> None:
    """Measure the seconds from a new start after a kill of the manager to the next result."""
    _row("nodes", "next result after, s", "results twice")
    for nodes in NODES[:1] if quick else NODES[:2]:
        with running(nodes, GAMES, WAIT_MS) as run:
            seconds, twice = restarted(run)
        _row(str(nodes), f"{seconds:.1f}", str(twice))


def _row(*cells: str) -> None:
    click.echo(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
