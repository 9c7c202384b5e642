"""Engines and the feed of a run at a broker: discovery, lost engines, the processor share and the delay of the feed.

    python -m benchmarks.feed                         # the table of benchmarks/README.md, about two minutes
    python -m benchmarks.feed --json                  # for scripts: one JSON object

A Mosquitto on loopback, whose queues have no limit, beside real commands: `engine serve`, `engine engines`,
`tournament feed`. The 1,000 engines are their retained messages. The manager of the feed is this script: it writes the
lines of 100 games a second to the log and shows 16 running games.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getuser
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

import click
import msgspec
from msgspec import Struct, structs

from fiedler.support.address import Address
from fiedler.support.lock import run_lock
from fiedler.support.mqtt.broker import Broker
from fiedler.support.mqtt.connection import BrokerLink, connected
from fiedler.support.mqtt.engines import EngineInfo, EngineState, engine_id, find_engines
from fiedler.support.mqtt.topics import at
from fiedler.tournament.game import GameRecord, PlannedGame, now
from fiedler.tournament.run import live
from fiedler.tournament.run.event_log import EventLog
from fiedler.tournament.run.events import Finished, Started, Warned
from fiedler.tournament.run.live import Board, Boards
from fiedler.tournament.run.store import Store

BIN = Path(sys.executable).parent
ENGINES = 1000
TABLES, GAMES_PER_S = 16, 100
BACKLOG = 50_000
SECONDS = 20.0
"""The time over which the feed's share is measured."""
PATIENCE = 120.0
SCHEDULE = """
[tournament]
name = "feed"
game = "tictactoe"
games_per_pair = 20
[limit]
nodes = 1
[pairing]
method = "round-robin"
[[players]]
name = "a"
player = "random"
[[players]]
name = "b"
player = "random"
"""


class Measured(Struct, frozen=True):
    """What was measured; times in seconds."""

    discovery_s: float
    """Until all engines are known."""
    command_s: float
    """Of the whole command `engine engines`."""
    killed_s: float
    frozen_s: float
    """Until an engine that was killed, or stopped, is `lost`."""
    share: float
    """Of one core, used by the feed for 100 games a second and 16 tables."""
    delay_p50_ms: float
    delay_p99_ms: float
    """From the line in the log until the subscriber has the event."""
    backlog_s: float
    """From the start of a feed until BACKLOG events have arrived."""
    load: float
    """Of the machine at the end, over a minute."""


# --- the broker -------------------------------------------------------------------------------------------------------


@contextmanager
def mosquitto(folder: Path, port: int) -> Iterator[None]:
    """Run a broker on this port whose queues have no limit."""
    file = folder / "mosquitto.conf"
    lines = (f"listener {port} 127.0.0.1", "allow_anonymous true", "max_queued_messages 0", f"user {getuser()}")
    file.write_text("\n".join((*lines, "")), "utf-8")
    path = f"{os.environ['PATH']}:/usr/sbin"
    with subprocess.Popen(["mosquitto", "-c", str(file)], env={**os.environ, "PATH": path}, stderr=-3) as process:
        try:
            _await_port(port)
            yield
        finally:
            process.terminate()


def _await_port(port: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.01)
        else:
            return
    raise TimeoutError("the broker did not start")


@contextmanager
def process(program: str, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run one of our commands, silently, until the end of the context."""
    with subprocess.Popen([BIN / program, *words], stdout=-3, stderr=-3) as one:
        try:
            yield one
        finally:
            one.kill()


def free_port() -> int:
    """Return a port that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


# --- engines ----------------------------------------------------------------------------------------------------------


async def discovery(broker: Broker) -> tuple[float, float]:
    """Return the seconds until 1,000 announced engines are known, and those of the command that lists them."""
    topics = set[str]()
    async with connected(broker, "") as link:
        for number in range(ENGINES):
            topics |= await _announce(broker, link, Address("127.0.0.1", 10_000 + number))
        began = time.monotonic()
        found = await find_engines(broker, PATIENCE, lambda engines: len(engines) == ENGINES)
        known = time.monotonic() - began
        assert len(found) == ENGINES
        began = time.monotonic()
        words = [str(BIN / "engine"), "engines", "--broker", str(broker), "--json"]
        done = await asyncio.create_subprocess_exec(*words, stdout=subprocess.PIPE)
        listed = json.loads((await done.communicate())[0])["engines"]
        assert len(listed) == ENGINES
        whole = time.monotonic() - began
        for topic in topics:
            await link.publish(topic, b"", retain=True)
    return known, whole


async def _announce(broker: Broker, link: BrokerLink, address: Address) -> set[str]:
    known = engine_id("club", address)
    info = EngineInfo(
        at=at(),
        session="1",
        name="club",
        game="uttt",
        player="mcts",
        address=str(address),
        protocols=("ugi", "gtp"),
        options={"hash_mb": 16, "threads": 1, "exploration": 1.0},
        version="0.1.0",
        machine="a processor",
        threads=1,
        nps=1e6,
        tls=False,
        token=False,
    )
    state = EngineState(at=at(), session="1", state="ready", sessions=0, sessions_max=256)
    topics = {broker.topic("engines", known, kind): one for kind, one in (("info", info), ("state", state))}
    for topic, payload in topics.items():
        await link.publish(topic, msgspec.json.encode(payload), retain=True)
    return set(topics)


async def lost(broker: Broker, number: signal.Signals) -> float:
    """Return the seconds from a signal to an engine until the broker publishes `lost`."""
    words = ["serve", "--game", "tictactoe", "--player", "random", "--port", "0", "--announce", str(broker)]
    async with connected(broker, "") as link:
        await link.subscribe(broker.topic("engines") + "/+/state")
        with process("engine", *words) as engine:
            await _state(link, "ready")
            began = time.monotonic()
            engine.send_signal(number)
            await _state(link, "lost")
            return time.monotonic() - began


async def _state(link: BrokerLink, wanted: str) -> None:
    while True:
        message = await link.receive(PATIENCE)
        assert message is not None, f"no engine is {wanted}"
        if message[1] and json.loads(message[1])["state"] == wanted:
            return


# --- the feed ---------------------------------------------------------------------------------------------------------


def played(folder: Path) -> Path:
    """Play a short run and return its folder."""
    schedule = folder / "feed.toml"
    schedule.write_text(SCHEDULE, "utf-8")
    words = [str(BIN / "tournament"), "run", str(schedule), "--results", str(folder), "--quiet"]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return folder / "feed"


async def load_of_the_feed(folder: Path, broker: Broker, log: EventLog, link: BrokerLink) -> tuple[float, list[float]]:
    """Return the feed's share of a core, and the delay of each game in seconds."""
    with Store.open(folder) as store:
        record = store.games()[0]
    with process("tournament", "feed", str(folder), "--broker", str(broker)) as feed:
        await _arrived(link, log.seq)
        async with asyncio.TaskGroup() as group:
            boards = Boards()
            showing = [group.create_task(live.serve(folder, boards)), group.create_task(_moves(boards))]
            await asyncio.sleep(2.0)
            written: dict[int, float] = {}
            before, began = _seconds_used(feed.pid), time.monotonic()
            writing = group.create_task(_games(log, record, written))
            delays = await _delays(link, written, round(SECONDS * GAMES_PER_S))
            await writing
            share = (_seconds_used(feed.pid) - before) / (time.monotonic() - began)
            for task in showing:
                task.cancel()
    return share, delays


async def _moves(boards: Boards) -> None:
    """Show running games, a ply four times a second at each table."""
    ply = 0
    while True:
        ply = ply % 9 + 1
        for table in range(1, TABLES + 1):
            moves = tuple(["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"][:ply])
            boards.show(Board(table, f"{table:016x}", "a", "b", (), moves, (1000, 1000), ply % 2, 25, 3, 1000))
        await asyncio.sleep(live.PERIOD_S)


async def _games(log: EventLog, record: GameRecord, written: dict[int, float]) -> None:
    """Write the lines of games at a steady rate."""
    planned = PlannedGame(record.id, record.number, record.first, record.second, record.opening)
    began = time.monotonic()
    for number in range(round(SECONDS * GAMES_PER_S)):
        await asyncio.sleep(max(0.0, began + number / GAMES_PER_S - time.monotonic()))
        log(Started(at=now(), game=planned, planned=number, scheduled=number))
        log(Finished(at=now(), game=record, attempt=1, finished=number, scheduled=number))
        written[log.seq] = time.monotonic()


async def _delays(link: BrokerLink, written: dict[int, float], count: int) -> list[float]:
    found = list[float]()
    while len(found) < count:
        message = await link.receive(PATIENCE)
        assert message is not None, "events are missing"
        arrived = time.monotonic()
        if message[0].endswith("/games") and (line := written.get(json.loads(message[1])["seq"])) is not None:
            found.append(arrived - line)
    return found


async def _arrived(link: BrokerLink, seq: int) -> None:
    """Wait until this event has arrived."""
    while True:
        message = await link.receive(PATIENCE)
        assert message is not None, f"event {seq} is missing"
        if message[0].endswith(("/games", "/events")) and json.loads(message[1])["seq"] == seq:
            return


def _seconds_used(process: int) -> float:
    used = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[11:13]
    return sum(map(int, used)) / os.sysconf("SC_CLK_TCK")


async def backlog(folder: Path, broker: Broker, log: EventLog) -> float:
    """Return the seconds from the start of a feed until the events of an outage have arrived."""
    for number in range(BACKLOG):
        log(Warned(at=now(), text=f"line {number}"))
    async with connected(broker, "") as link:
        await link.subscribe(broker.topic("runs", "feed") + "/#")
        began = time.monotonic()
        with process("tournament", "feed", str(folder), "--broker", str(broker)):
            await _arrived(link, log.seq)
        return time.monotonic() - began


async def measured(place: Path, broker: Broker) -> Measured:
    """Measure everything once."""
    known, whole = await discovery(broker)
    killed, frozen = await lost(broker, signal.SIGKILL), await lost(broker, signal.SIGSTOP)
    folder = await asyncio.to_thread(played, place)
    with run_lock(folder, "tournament run"), EventLog(folder) as log:
        async with connected(broker, "") as link:
            await link.subscribe(broker.topic("runs", "feed") + "/#")
            share, delays = await load_of_the_feed(folder, broker, log, link)
        rest = await backlog(folder, broker, log)
    cuts = quantiles(delays, n=100)
    times = (1000 * cuts[49], 1000 * cuts[98], rest, os.getloadavg()[0])
    return Measured(known, whole, killed, frozen, share, *times)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def main(*, as_json: bool) -> None:
    """Measure the feed and the announced engines at a broker of its own."""
    with TemporaryDirectory() as name:
        place, port = Path(name), free_port()
        with mosquitto(place, port):
            found = asyncio.run(measured(place, Broker(Address("127.0.0.1", port))))
    if as_json:
        click.echo(json.dumps(structs.asdict(found)))
        return
    for field, value in structs.asdict(found).items():
        click.echo(f"{field:<14} {value:8.3f}")


if __name__ == "__main__":
    main()
