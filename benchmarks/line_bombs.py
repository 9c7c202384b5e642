"""The harm that a player does to others by printing: 60 games at 20 + 50 ms, and the pages while it plays in them.

    python benchmarks/line_bombs.py games             # the table of benchmarks/README.md: innocent losses on time
    python benchmarks/line_bombs.py pages             # the delay of /healthz
    python benchmarks/line_bombs.py games --json      # for scripts: one JSON object per run

The line bomb is `examples/ugi_random.py` with a number of lines `x` after each of its moves. Three mcts of ours play
each other and the bomb. In the pages it plays itself in several games.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import quantiles
from urllib.parse import urlsplit

import click
from msgspec import Struct, structs

from fiedler.tournament.run import manager
from fiedler.tournament.run.store import Store

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples/ugi_random.py"
BOMB = """
import subprocess, sys
lines = b"x\\n" * int(sys.argv[2])
with subprocess.Popen([sys.executable, sys.argv[1]], stdout=subprocess.PIPE) as player:
    for line in player.stdout:
        sys.stdout.buffer.write(line + lines if line.startswith(b"bestmove") else line)
        sys.stdout.flush()
"""
SCHEDULE = """
[tournament]
name = "bombs"
game = "uttt"
games_per_pair = 10
seed = 1
concurrency = 2
bench_after = 0

[limit]
movetime_ms = 20
margin_ms = {margin_ms}

[pairing]
method = "round-robin"

[openings]
plies = 4
"""
HONEST = """
[[players]]
name = "mcts-{number}"
player = "mcts"
"""
COMMAND = """
[[players]]
name = "bomb"
command = {command}
"""
TABLES = 4
"""Games in the pages."""
PERIOD_S = 0.01


class Games(Struct, frozen=True):
    """The ends of the games."""

    lines: int
    games: int
    innocent_on_time: int
    """Lost on time by others."""
    by_bomb: dict[str, int]
    """The losses of the bomb by their kind."""
    load: float


class Delays(Struct, frozen=True):
    """The answers of /healthz, in ms."""

    lines: int
    answers: int
    p50_ms: float
    p99_ms: float
    max_ms: float
    load: float


def _command(lines: int) -> str:
    return json.dumps([sys.executable, "-c", BOMB, str(EXAMPLE), str(lines)])


def play(lines: int, margin_ms: int) -> Games:
    """Play the games, and count."""
    with tempfile.TemporaryDirectory() as folder:
        schedule = Path(folder) / "bombs.toml"
        honest = "".join(HONEST.format(number=number) for number in range(3))
        schedule.write_text(
            SCHEDULE.format(margin_ms=margin_ms) + honest + COMMAND.format(command=_command(lines)), "utf-8"
        )
        with closing(Store.open(manager.run(schedule, results=Path(folder)))) as store:
            records = store.games()
    by_bomb: dict[str, int] = {}
    for one in records:
        if one.loser == "bomb":
            by_bomb[one.termination] = by_bomb.get(one.termination, 0) + 1
    innocent = sum(one.termination == "time" and one.loser != "bomb" for one in records)
    return Games(lines, len(records), innocent, by_bomb, os.getloadavg()[0])


@contextmanager
def pages(lines: int) -> Iterator[str]:
    """Serve pages that offer the bomb; yield their address."""
    with tempfile.TemporaryDirectory() as folder:
        players = Path(folder) / "players.toml"
        players.write_text(COMMAND.format(command=_command(lines)) + 'games = ["uttt"]\n', "utf-8")
        words = [sys.executable, "-m", "fiedler.web", folder, "--port", "0", "--play", str(players)]
        with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True) as server:
            assert server.stderr is not None
            try:
                yield next(line.split()[-1].rstrip("/") for line in server.stderr if line.startswith("listening on "))
            finally:
                server.terminate()


def begin(address: str) -> None:
    """Let the bomb play itself."""
    body = json.dumps({"game": "uttt", "first": "bomb", "second": "bomb", "time_ms": 20})
    with closing(HTTPConnection(urlsplit(address).netloc)) as link:
        link.request("POST", "/api/play", body, {"Content-Type": "application/json", "Origin": address})
        answer = link.getresponse()
        if answer.status != 201:
            raise RuntimeError(f"the pages begin no game: {answer.read().decode()}")


async def delays(address: str, seconds: float) -> list[float]:
    """Return the milliseconds of answers of /healthz, asked for in one connection after the other."""
    place, found = urlsplit(address), list[float]()
    request = f"GET /healthz HTTP/1.1\r\nHost: {place.netloc}\r\nConnection: close\r\n\r\n".encode()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.perf_counter()
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        writer.write(request)
        if not (await reader.read()).startswith(b"HTTP/1.1 200"):
            raise RuntimeError("the pages are not well")
        found.append(1000 * (time.perf_counter() - began))
        writer.close()
        await asyncio.sleep(PERIOD_S)
    return found


def ask(lines: int, seconds: float) -> Delays:
    """Ask for /healthz while the bomb plays."""
    with pages(lines) as address:
        for _ in range(TABLES):
            begin(address)
        time.sleep(1.0)
        found = asyncio.run(delays(address, seconds))
    cuts = quantiles(found, n=100)
    return Delays(lines, len(found), cuts[49], cuts[98], max(found), os.getloadavg()[0])


@click.command()
@click.argument("where", type=click.Choice(("games", "pages")))
@click.option("--lines", "counts", type=int, multiple=True, default=(0, 50_000, 400_000), show_default=True)
@click.option("--margin-ms", type=int, default=50, show_default=True, help="Of each move in the games.")
@click.option("--seconds", type=float, default=10.0, show_default=True, help="Of each run in the pages.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per run.")
def main(where: str, counts: tuple[int, ...], margin_ms: int, seconds: float, *, as_json: bool) -> None:
    """Measure the harm of a player that prints lines after its moves."""
    if not as_json:
        columns = (
            "games | innocent losses on time | losses of the bomb"
            if where == "games"
            else "p50, ms | p99, ms | longest, ms"
        )
        click.echo(f"| lines after a move | {columns} | load |\n{'|---' * 5}|")
    for lines in counts:
        found = play(lines, margin_ms) if where == "games" else ask(lines, seconds)
        if as_json:
            click.echo(json.dumps(structs.asdict(found)))
        elif isinstance(found, Games):
            by_bomb = ", ".join(f"{count} {kind}" for kind, count in sorted(found.by_bomb.items()))
            click.echo(f"| {lines:,} | {found.games} | {found.innocent_on_time} | {by_bomb} | {found.load:.1f} |")
        else:
            figures = f"{found.p50_ms:.1f} | {found.p99_ms:.1f} | {found.max_ms:.1f} | {found.load:.1f}"
            click.echo(f"| {lines:,} | {figures} |")


if __name__ == "__main__":
    main()
