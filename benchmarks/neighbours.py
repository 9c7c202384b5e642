"""The delay of honest clients of a server while others are hostile: `isready` until `readyok`.

    python benchmarks/neighbours.py                   # the table of benchmarks/README.md: without and with hostile ones
    python benchmarks/neighbours.py --json            # for scripts: one JSON object per run
    python benchmarks/neighbours.py --newcomers --player negamax --searches 32 --hostile 0   # connect to readyok

A real `engine serve` on loopback: some clients search without end, most ask `isready` about once a second, and each
hostile one is a process of its own that does one thing at full speed (HOSTILE). All share the cores of
this machine, so what an honest client waits is the machine's time too.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import os
import random
import re
import select
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles

import click
import uvloop
from msgspec import Struct, structs

ENGINE = str(Path(sys.executable).with_name("engine"))
BLOCK = 1 << 16
"""The bytes that a hostile client writes at a time."""
SECONDS_BETWEEN = (0.5, 1.5)
"""The time between two questions of an honest client."""
PAUSE_SECONDS = 0.1
"""The time between two newcomers."""
PATIENCE = 60.0
RESET = struct.pack("ii", 1, 0)


class Waited(Struct, frozen=True):
    """The waits of honest clients, in ms."""

    hostile: int
    answers: int
    p50_ms: float
    p99_ms: float
    max_ms: float
    load: float
    """The load of the machine at the end, over a minute."""


# --- the hostile clients ----------------------------------------------------------------------------------------------


def pump(port: int, text: bytes, read: int = BLOCK, pause: float = 0.0) -> None:
    """Write the same repeatedly, read `read` bytes at a time and pause after that; until the server disconnects."""
    with _greeted(port) as link:
        block = text * max(1, BLOCK // len(text))
        left = memoryview(block)
        while True:
            readable, writable, _ = select.select([link], [link], [])
            if readable and not link.recv(read):
                return
            if writable:
                left = left[link.send(left) :] or memoryview(block)
            time.sleep(pause)


def connect_and_drop(port: int) -> None:
    """Connect, send half a word and leave like a killed process."""
    with socket.create_connection(("127.0.0.1", port)) as link:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        link.sendall(b"ugi\nisrea")


def _greeted(port: int) -> socket.socket:
    link = socket.create_connection(("127.0.0.1", port))
    link.sendall(b"ugi\nposition startpos moves " + b" ".join(_moves(40)) + b"\n")
    link.setblocking(False)
    return link


def _moves(count: int) -> list[bytes]:
    """Return moves of gomoku15 without five in a row."""
    return [f"{'abcdefghijklmno'[2 * at % 15]}{1 + 2 * at // 15 + at % 2}".encode() for at in range(count)]


HOSTILE: dict[str, Callable[[int], None]] = {
    "board": lambda port: pump(port, b"query board\n"),
    "greeting": lambda port: pump(port, b"ugi\n"),
    "legalmoves": lambda port: pump(port, b"query legalmoves\n"),
    "garbage": lambda port: pump(port, bytes(range(256))),
    "endless line": lambda port: pump(port, b"x"),
    "slow reader": lambda port: pump(port, b"query board\n", read=1024, pause=0.02),
    "connect and drop": connect_and_drop,
    "isready": lambda port: pump(port, b"isready\n"),
    "position": lambda port: pump(
        port, b"position startpos\nposition startpos moves " + b" ".join(_moves(40)) + b"\nquery board\n"
    ),
    "go": lambda port: pump(port, b"go infinite\nstop\nuginewgame\ngo nodes 1\nisready\n"),
}


def be_hostile(kind: str, port: int) -> None:
    """Do it until the parent process ends this one."""
    while True:
        with contextlib.suppress(OSError):
            HOSTILE[kind](port)


# --- the honest clients -----------------------------------------------------------------------------------------------


class Honest:
    """A client that greets, and sends `isready` now and then."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def come(cls, port: int) -> Honest:
        """Connect and greet."""
        client = cls(*await asyncio.open_connection("127.0.0.1", port))
        await client.ask(b"ugi", b"ugiok")
        await client.ask(b"isready", b"readyok")
        return client

    async def ask(self, question: bytes, answer: bytes) -> float:
        """Return the milliseconds until the line `answer` came."""
        began = time.perf_counter()
        self._writer.write(question + b"\n")
        async with asyncio.timeout(PATIENCE):
            while (line := await self._reader.readline()).rstrip() != answer:
                if not line:
                    raise RuntimeError(f"the server closed a connection before {answer.decode()}")
        return 1000 * (time.perf_counter() - began)

    async def measure(self, until: float, drawn: random.Random) -> list[float]:
        """Ask until then, and return the time of each answer."""
        waited: list[float] = []
        while time.monotonic() < until:
            await asyncio.sleep(drawn.uniform(*SECONDS_BETWEEN))
            waited.append(await self.ask(b"isready", b"readyok"))
        return waited

    def leave(self) -> None:
        """Close the connection."""
        self._writer.close()

    async def search(self) -> None:
        """Search without end."""
        self._writer.write(b"go infinite\n")
        await self.ask(b"isready", b"readyok")


async def arrive_among(port: int, searches: int, seconds: float) -> list[float]:
    """Return the waits of newcomers, one after the other, in ms: from their connection to `readyok`."""
    searching = [await Honest.come(port) for _ in range(searches)]
    for one in searching:
        await one.search()
    until, waited = time.monotonic() + seconds, list[float]()
    while time.monotonic() < until:
        began = time.perf_counter()
        newcomer = await Honest.come(port)
        waited.append(1000 * (time.perf_counter() - began))
        newcomer.leave()
        await asyncio.sleep(PAUSE_SECONDS)
    return waited


async def wait_among(port: int, kinds: list[str], honest: int, searches: int, seconds: float) -> list[float]:
    """Return the waits of all honest clients, in ms, while one client of each kind is hostile."""
    searching = [await Honest.come(port) for _ in range(searches)]
    clients = [await Honest.come(port) for _ in range(honest)]
    for one in searching:
        await one.search()
    with hostile(kinds, port):
        await asyncio.sleep(1.0)
        until = time.monotonic() + seconds
        drawn = random.Random(1)
        waited = await asyncio.gather(*(one.measure(until, drawn) for one in clients))
    return [one for some in waited for one in some]


@contextmanager
def hostile(kinds: list[str], port: int) -> Iterator[None]:
    """Start hostile clients."""
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=be_hostile, args=(kind, port), daemon=True) for kind in kinds]
    for one in processes:
        one.start()
    try:
        yield
    finally:
        for one in processes:
            one.kill()
            one.join()


@contextmanager
def serving(game: str, player: str) -> Iterator[int]:
    """Start a server, and yield its port."""
    command = [ENGINE, "serve", "--game", game, "--player", player, "--set", "hash_mb=4"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        found = re.search(r"listening on .*:(\d+)", process.stderr.readline())
        if found is None:
            raise RuntimeError("the server does not listen")
        yield int(found[1])
        process.terminate()
        process.wait(PATIENCE)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def measure(game: str, player: str, sessions: int, count: int, searches: int, seconds: float) -> Waited:
    """Return the waits of honest clients among `sessions`, `count` of them hostile; without any those of newcomers."""
    kinds = [list(HOSTILE)[at % len(HOSTILE)] for at in range(count)]
    with serving(game, player) as port:
        honest = sessions - count - searches
        waiting = (
            wait_among(port, kinds, honest, searches, seconds) if sessions else arrive_among(port, searches, seconds)
        )
        waited = uvloop.run(waiting)
    cuts = quantiles(waited, n=100)
    return Waited(count, len(waited), cuts[49], cuts[98], max(waited), os.getloadavg()[0])


@click.command()
@click.option("--game", default="gomoku15", show_default=True, help="The game of the server.")
@click.option("--sessions", type=click.IntRange(3, 250), default=200, show_default=True, help="All of them.")
@click.option("--hostile", "counts", type=click.IntRange(0, 100), multiple=True, default=(0, 10), show_default=True)
@click.option("--searches", type=click.IntRange(0, 100), default=2, show_default=True, help="That never end.")
@click.option("--seconds", type=click.FloatRange(1.0, 600.0), default=10.0, show_default=True, help="Of each run.")
@click.option("--player", default="mcts", show_default=True, help="The player of the server.")
@click.option("--newcomers", is_flag=True, help="Measure clients that come, one after the other.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per run.")
def main(
    game: str,
    sessions: int,
    counts: tuple[int, ...],
    searches: int,
    seconds: float,
    player: str,
    *,
    newcomers: bool,
    as_json: bool,
) -> None:
    """Measure the waits of honest clients for `readyok`."""
    if not as_json:
        click.echo("| hostile | answers | p50, ms | p99, ms | longest, ms | load |\n|---|---|---|---|---|---|")
    for count in counts:
        found = measure(game, player, 0 if newcomers else sessions, count, searches, seconds)
        if as_json:
            click.echo(json.dumps(structs.asdict(found)))
        else:
            figures = f"{found.p50_ms:.2f} | {found.p99_ms:.1f} | {found.max_ms:.1f} | {found.load:.1f}"
            click.echo(f"| {found.hostile} | {found.answers} | {figures} |")


if __name__ == "__main__":
    main()
