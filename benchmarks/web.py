"""The pages of a run with many viewers: processor time and memory of the server, and the delay of events.

    python -m benchmarks.web                    # 1,000 viewers of 16 boards
    python -m benchmarks.web --viewers 100 --seconds 10

A manager plays tic-tac-toe at 16 tables with players that take 0.2 s a move. The viewers are sockets of this process,
which gives way to the games as the server does. The delay of an event is the time from its `at`, which the manager
notes before it writes the event to `events.jsonl`, to the arrival of its message at a viewer.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import click
import uvloop

from fiedler.support.address import parse_address
from fiedler.support.priority import give_way

ROOT = Path(__file__).parents[1]
PLAYER = ROOT / "tests" / "players" / "misbehave.py"
MOVE_S = 0.2
TABLES = 16
SETTLE_S = 3.0
"""Seconds between the arrival of the last viewer and the measurement."""
NUMBER = re.compile(rb"^id: \w+-(\d+)\nevent: changes", re.MULTILINE)


def schedule() -> str:
    """Return a schedule with one pair for each table."""
    command = json.dumps([sys.executable, "-S", "-E", str(PLAYER), "slow", str(MOVE_S)])
    players = "".join(f'[[players]]\nname = "p{number}"\ncommand = {command}\n' for number in range(2 * TABLES))
    head = f'[tournament]\nname = "load"\ngame = "tictactoe"\ngames_per_pair = 20\nconcurrency = {TABLES}\n'
    return f'{head}[limit]\nmovetime_ms = 20000\nstartup_s = 60\n[pairing]\nmethod = "round-robin"\n{players}'


class OneViewer(asyncio.Protocol):
    """A socket that reads a stream, and notes when the number of an event arrives."""

    def __init__(self, arrivals: list[tuple[int, float]]) -> None:
        self._arrivals = arrivals
        self.bytes = 0
        self.is_open = True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream."""
        cast("asyncio.Transport", transport).write(b"GET /api/runs/load/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")

    def data_received(self, data: bytes) -> None:
        """Count, and note."""
        self.bytes += len(data)
        if found := NUMBER.findall(data):
            self._arrivals.append((int(found[-1]), time.time()))

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        """Note the end."""
        self.is_open = False


def spent(process: int) -> float:
    """Return the processor seconds of a process."""
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(process: int) -> float:
    """Return the resident memory of a process, in MB."""
    status = Path(f"/proc/{process}/status").read_text("utf-8")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1000


def delays(log: Path, arrivals: list[tuple[int, float]]) -> list[float]:
    """Return the delays of events in seconds, sorted."""
    at = {}
    with log.open("rb") as lines:
        for line in lines:
            event = json.loads(line)
            at[event["seq"]] = datetime.fromisoformat(event["at"]).timestamp()
    return sorted(when - at[number] for number, when in arrivals if number in at)


async def measure(url: str, server: int, log: Path, viewers: int, seconds: float) -> dict[str, object]:
    """Return the measures."""
    where = parse_address(urlsplit(url).netloc)
    loop = asyncio.get_running_loop()
    arrivals: list[tuple[int, float]] = []
    alone, empty = memory(server), spent(server)
    began = time.monotonic()
    found = []
    for _ in range(viewers):
        _, one = await loop.create_connection(lambda: OneViewer(arrivals), where.host, where.port)
        found.append(one)
    arrived = time.monotonic() - began, spent(server) - empty
    await asyncio.sleep(SETTLE_S)
    arrivals.clear()
    sent, used, began = sum(one.bytes for one in found), spent(server), time.monotonic()
    await asyncio.sleep(seconds)
    took = time.monotonic() - began
    cores = (spent(server) - used) / took
    late = delays(log, arrivals)
    return {
        "viewers": sum(one.is_open for one in found),
        "arrival of all, s": round(arrived[0], 2),
        "arrival of all, processor s": round(arrived[1], 2),
        "cores": round(cores, 3),
        "MB": round(memory(server), 1),
        "MB without viewers": round(alone, 1),
        "kB/s a viewer": round((sum(one.bytes for one in found) - sent) / took / viewers / 1000, 2),
        "delay ms, median": round(1000 * late[len(late) // 2], 1),
        "delay ms, 99 %": round(1000 * late[int(0.99 * len(late))], 1),
        "arrivals": len(late),
    }


def measured(viewers: int, seconds: float) -> dict[str, object]:
    """Play, serve, watch; return the measures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "load.toml").write_text(schedule(), "utf-8")
        (folder / "results").mkdir()
        log = folder / "results/load/events.jsonl"
        start = [sys.executable, "-c", "from fiedler.tournament.cli import main; main()", "run", "load.toml", "--quiet"]
        pages = [sys.executable, "-m", "fiedler.web", str(folder / "results"), "--port", "0"]
        pipe = subprocess.PIPE
        with (
            subprocess.Popen(start, cwd=folder, stderr=pipe) as manager,
            subprocess.Popen(pages, cwd=ROOT, stderr=pipe, text=True) as server,
        ):
            try:
                assert server.stderr is not None
                url = server.stderr.readline().split()[-1]
                while not log.exists():
                    time.sleep(0.1)
                with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                    return runner.run(measure(url, server.pid, log, viewers, seconds))
            finally:
                server.terminate()
                manager.terminate()


@click.command()
@click.option("--viewers", default=1000, show_default=True)
@click.option("--seconds", default=30.0, show_default=True)
def web(viewers: int, seconds: float) -> None:
    """Measure, and print one JSON object."""
    give_way()
    print(json.dumps(measured(viewers, seconds), indent=1))


if __name__ == "__main__":
    web()
