"""A server under load: 200 sessions, many connects, searches that stop, and the end by SIGTERM.

    python -m benchmarks.server_load                  # the table of benchmarks/README.md, some minutes
    python -m benchmarks.server_load --json           # for scripts: one JSON object

A real `engine serve` on loopback. Half of the sessions are idle, two search without end, ten are hostile (garbage, an
endless line, a slow reader, connecting and disconnecting; each a process of its own), and the others send `isready`
about once a second. The clients share the cores of this machine with the server.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles

import click
import uvloop
from msgspec import Struct, structs

from benchmarks.neighbours import ENGINE, PATIENCE, RESET, Honest, hostile

KINDS = ("garbage", "endless line", "slow reader", "connect and drop")
SEARCHES = 2
CROWD = 20
"""Connections at a time, of those that only come and go."""
WARM = 2_000
"""Connects before the first look at the memory."""
THINKING_SECONDS = 0.05
"""The time of a search before it is stopped."""


class Load(Struct, frozen=True):
    """The figures of one run."""

    answers: int
    """Answers to `isready` among hostile clients."""
    quiet_p50_ms: float
    """Before the hostile clients came."""
    quiet_p99_ms: float
    p50_ms: float
    p99_ms: float
    max_ms: float
    stops: int
    stop_p50_ms: float
    """From `stop` to `bestmove`, on the otherwise idle server."""
    stop_p99_ms: float
    gone_ms: float
    """The longest time from the disconnection of a client to the end of its search."""
    connects: int
    grown_mb: float
    """Memory after all connects less that after the first WARM, in MiB."""
    end_s: float
    """From SIGTERM, with 200 sessions and two searches, to the end of the process."""
    code: int
    """Its exit code."""
    load: float
    """The load of the machine at the end, over a minute."""


class Process:
    """`engine serve` with a page of metrics."""

    def __init__(self, game: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._metrics = f"http://127.0.0.1:{free.getsockname()[1]}/metrics"
        command = [ENGINE, "serve", "--game", game, "--player", "mcts", "--set", "hash_mb=4"]
        place = self._metrics.split("/")[2]
        self.process = subprocess.Popen([*command, "--metrics", place], stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        self.process.stderr.readline()
        found = re.search(r"listening on .*:(\d+)", self.process.stderr.readline())
        if found is None:
            raise RuntimeError("the server does not listen")
        self.port = int(found[1])

    def metric(self, name: str) -> float:
        """Return a metric without labels."""
        with urllib.request.urlopen(self._metrics, timeout=PATIENCE) as page:  # noqa: S310
            found = re.search(rf"^{name} (\S+)$", page.read().decode(), re.MULTILINE)
        assert found is not None
        return float(found[1])

    def memory_mb(self) -> float:
        """Return the resident memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) / 1024

    def end(self) -> tuple[float, int]:
        """Send SIGTERM; return the seconds to the end and the exit code."""
        began = time.perf_counter()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        return time.perf_counter() - began, code


@contextmanager
def serving(game: str) -> Iterator[Process]:
    """Start a server, and kill it if it has not ended."""
    server = Process(game)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()
        if server.process.stderr is not None:
            server.process.stderr.close()


async def latencies(port: int, sessions: int, count: int, seconds: float) -> list[float]:
    """Return the waits for `readyok`, in ms: half of the sessions idle, two searching, `count` hostile."""
    clients = [await Honest.come(port) for _ in range(sessions - count)]
    for one in clients[:SEARCHES]:
        await one.search()
    asking = clients[sessions // 2 + SEARCHES :]
    with hostile([KINDS[at % len(KINDS)] for at in range(count)], port):
        await asyncio.sleep(1.0)
        until = time.monotonic() + seconds
        drawn = random.Random(1)
        waited = await asyncio.gather(*(one.measure(until, drawn) for one in asking))
    return [one for some in waited for one in some]


async def stop_latencies(port: int, count: int) -> list[float]:
    """Return the time from `stop` to `bestmove` of searches one after another, in ms."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"ugi\n")
    waited = []
    for _ in range(count):
        writer.write(b"go infinite\n")
        await asyncio.sleep(THINKING_SECONDS)
        began = time.perf_counter()
        writer.write(b"stop\n")
        async with asyncio.timeout(PATIENCE):
            while not (await reader.readline()).startswith(b"bestmove"):
                pass
        waited.append(1000 * (time.perf_counter() - began))
    writer.close()
    return waited


def gone_latency(server: Process) -> float:
    """Return the time from a disconnection to the end of the client's search, in ms."""
    before = server.metric("fiedler_searches_total")
    with socket.create_connection(("127.0.0.1", server.port)) as link:
        link.sendall(b"ugi\ngo infinite\nisready\n")
        while b"readyok" not in link.recv(65536):
            pass
        time.sleep(THINKING_SECONDS)
    began = time.perf_counter()
    while server.metric("fiedler_searches_total") == before:
        if time.perf_counter() > began + PATIENCE:
            raise RuntimeError("the search of a client that has gone does not stop")
    return 1000 * (time.perf_counter() - began)


async def come_and_go(port: int, count: int) -> None:
    """Connect `count` times: greet and leave, or leave like a killed process in the middle of a word."""
    places = asyncio.Semaphore(CROWD)

    async def one(number: int) -> None:
        async with places, asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            if number % 2:
                writer.write(b"ugi\n")
                while (line := await reader.readline()) and line != b"ugiok\n":
                    pass
            else:
                link = writer.get_extra_info("socket")
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                writer.write(b"ugi\nisrea")
                writer.transport.abort()
            writer.close()

    for start in range(0, count, 1000):
        await asyncio.gather(*(one(number) for number in range(start, min(start + 1000, count))))


async def crowded(port: int, sessions: int) -> list[Honest]:
    """Return that many clients, of whom SEARCHES search."""
    clients = [await Honest.come(port) for _ in range(sessions)]
    for one in clients[:SEARCHES]:
        await one.search()
    return clients


async def ended(server: Process, sessions: int) -> tuple[float, int]:
    """End a server full of sessions; return the seconds and the exit code."""
    clients = await crowded(server.port, sessions)
    end = await asyncio.to_thread(server.end)
    del clients
    return end


def measure(game: str, sessions: int, count: int, seconds: float, stops: int, connects: int) -> Load:
    """Measure one server after another."""
    with serving(game) as server:
        quiet = uvloop.run(latencies(server.port, sessions, 0, seconds / 2))
    with serving(game) as server:
        waited = uvloop.run(latencies(server.port, sessions, count, seconds))
    with serving(game) as server:
        stopped = uvloop.run(stop_latencies(server.port, stops))
        gone = max(gone_latency(server) for _ in range(10))
        uvloop.run(come_and_go(server.port, WARM))
        before = server.memory_mb()
        uvloop.run(come_and_go(server.port, connects))
        grown = server.memory_mb() - before
        end_s, code = uvloop.run(ended(server, sessions))
    cuts, last = quantiles(waited, n=100), quantiles(stopped, n=100)[98]
    latency = (len(waited), median(quiet), quantiles(quiet, n=100)[98], median(waited), cuts[98], max(waited))
    return Load(*latency, stops, median(stopped), last, gone, connects, grown, end_s, code, os.getloadavg()[0])


@click.command()
@click.option("--game", default="gomoku15", show_default=True, help="The game of the server.")
@click.option("--sessions", type=click.IntRange(20, 250), default=200, show_default=True, help="All of them.")
@click.option("--hostile", "count", type=click.IntRange(0, 100), default=10, show_default=True)
@click.option("--seconds", type=click.FloatRange(1.0, 600.0), default=20.0, show_default=True, help="Of the questions.")
@click.option("--stops", type=click.IntRange(2, 10_000), default=200, show_default=True, help="Searches to stop.")
@click.option("--connects", type=click.IntRange(1, 10**7), default=100_000, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def main(game: str, sessions: int, count: int, seconds: float, stops: int, connects: int, *, as_json: bool) -> None:
    """Measure a server under load."""
    found = measure(game, sessions, count, seconds, stops, connects)
    if as_json:
        click.echo(json.dumps(structs.asdict(found)))
        return
    click.echo("| measure | value |\n|---|---|")
    for name, value in structs.asdict(found).items():
        click.echo(f"| {name} | {value:.4g} |" if isinstance(value, float) else f"| {name} | {value} |")


if __name__ == "__main__":
    main()
