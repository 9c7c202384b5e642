"""A run in one process: the manager and its successors, the machines of a cluster, their players, and one seed."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fiedler.support.errors import WorkError
from fiedler.tournament.cluster.facts import Facts
from fiedler.tournament.cluster.venue import ClusterVenue
from fiedler.tournament.play.match import Match
from fiedler.tournament.run import manager, schema
from fiedler.tournament.run.events import Event, Feed
from fiedler.tournament.run.lease import FinishedLease, Lease, VoidedLease
from fiedler.tournament.run.process_venue import COMMAND
from fiedler.tournament.run.run_folder import RunFolder
from fiedler.tournament.run.table import LocalTable
from fiedler.tournament.schedule.validation import load
from tests.simulated.children import SimulatedChild, SimulatedReaper, forget
from tests.simulated.disk import Disk
from tests.simulated.machines import SimulatedCluster
from tests.simulated.programs import Output, Player, Program, TableProgram
from tests.simulated.virtual_loop import BEGINNING, PROCESS, Process, VirtualLoop
from tests.tournament.schedules import toml

BOUND_S = 4 * 3600.0
"""The virtual time in which every run ends: some benches of 20 minutes, and some waits for nodes."""
STARTS = 20
"""The most starts of a manager."""
PLAYERS = ("a", "b", "c")
SCHEDULES: tuple[dict[str, Any], ...] = (
    {},
    {"limit": {"movetime_ms": 5000, "margin_ms": 1000}},
    {"limit": {"base_ms": 10_500, "margin_ms": 1000}},
    {"pairing": {"method": "adaptive", "batches": 3, "games": 20}},
    {"pairing": {"method": "swiss", "rounds": 3}},
)
"""What the schedules do not have in common. A player that is not late has 2.5 s left: a standstill of so much is
noticed."""
FACTS = Facts("0.1.0", "", "", "3.11", "simulated", 2, 1024, "baseline", 1, 1000.0)


def schedule(number: int) -> dict[str, Any]:
    """Return one of the schedules that are simulated, of 12 games, or of 20 in batches."""
    tables: dict[str, Any] = {
        "tournament": {"name": "test", "game": "tictactoe", "games_per_pair": 4, "seed": number + 1},
        "limit": {"nodes": 1, "stall_s": 60},
        "pairing": {"method": "round-robin"},
        "openings": {"plies": 1},
        "cluster": {"lost_s": 10, "wait_s": 60},
        "players": [{"name": name, "command": ["true", name]} for name in PLAYERS],
        **SCHEDULES[number],
    }
    method = tables["pairing"]["method"]
    if method != "round-robin":
        tables["tournament"]["games_per_pair"] = 2
    if method == "swiss":
        tables["players"].append({"name": "d", "command": ["true", "d"]})
    tables["limit"]["startup_s"] = 60
    return tables


@dataclass
class Start:
    """One start of the manager."""

    number: int
    folder: Path
    process: Process
    ended: asyncio.Future[str]
    """How it ended: `finished`, `killed`, or the sentence of its error."""
    events: list[Event] = field(default_factory=list)
    is_replaced: bool = False
    """Whether a successor began while it was frozen."""


class World:
    """Everything in one simulation."""

    def __init__(self, seed: int, folder: Path, schedule_number: int) -> None:
        self.chance = Random(seed)
        """For faults; what goes on by itself has its own."""
        own = Random(f"{seed} goes on")
        self.loop = VirtualLoop()
        self.loop.bound = BEGINNING + BOUND_S
        self.loop.disk_s = lambda: own.uniform(0.0, 0.01)
        self._own = own
        self.folder = folder
        self.path = folder / "schedule.toml"
        self.path.write_text(toml(schedule(schedule_number)), "utf-8")
        self.cluster = SimulatedCluster(self.chance.randint(1, 3), self.chance.randint(1, 2), own)
        self.starts: list[Start] = []
        self.wrong: list[str] = []
        """What must never happen, and did."""
        self.happened: list[str] = []
        """The faults so far."""
        self.jumped_s = 0.0
        """The seconds by which the clocks on the wall have jumped."""
        self.disk = Disk(self)
        self._playing: list[tuple[Lease, Process | None]] = []

    # --- the manager --------------------------------------------------------------------------------------------------

    async def play(self) -> Start:
        """Start the manager again and again until the run is over; return its last start."""
        while len(self.starts) < STARTS:
            start = self._begin()
            how = await start.ended
            if how == "finished":
                return start
            await asyncio.sleep(self._own.uniform(0.0, 20.0))
        raise AssertionError(f"not over after {STARTS} starts, the last: {how}")

    def _begin(self) -> Start:
        before = self.starts[-1].folder if self.starts else self.folder / "start-1" / "test"
        number = len(self.starts) + 1
        process = Process(f"manager{number}")
        process.at_death = lambda _: self._end_actors(process)
        start = Start(number, self.disk.folder_after(before), process, self.loop.create_future())
        self.starts.append(start)
        task = self.loop.create_task(self._manage(start), context=process.context)
        task.add_done_callback(lambda done: _resolve(start.ended, done))
        return start

    async def _manage(self, start: Start) -> str:
        read = load(self.path)
        try:
            with RunFolder(start.folder) as place:
                abroad = partial(ClusterVenue, self.cluster)
                options = manager._Options(self.path, 1, 1, (), False, False, None, None, abroad)
                await manager._conduct(read, options, place, Feed([start.events.append]))
        except WorkError as error:
            return str(error)
        return "finished"

    def kill(self, start: Start) -> None:
        """Kill a manager. Its successor begins with a copy of its files, and its actors live on for a while.

        A manager that it replaced, and that would go on with the files themselves, ends, too.
        """
        if start.ended.done():
            return
        self.disk.copy(start.folder, start.number)
        for one in self.starts:
            if one.folder == start.folder:
                one.process.die()
        start.ended.set_result("killed")

    def _end_actors(self, process: Process) -> None:
        for machine in self.cluster.machines:
            for line in machine.lines:
                if line.manager is process:
                    self.loop.call_later(self._own.uniform(0.0, 60.0), line.actor.die)

    @property
    def seconds(self) -> float:
        """The virtual time so far."""
        return self.loop.time() - BEGINNING

    def seconds_to(self, at: float) -> float:
        return at - self.seconds

    def happen(self, name: str) -> None:
        """Note a fault."""
        self.happened.append(f"{self.seconds:.1f} s: {name}")

    @property
    def start(self) -> Start:
        """The present start of the manager."""
        return self.starts[-1]

    # --- programs -----------------------------------------------------------------------------------------------------

    def launch(self, process: Process, command: Sequence[str], output: Output) -> Program:
        """Start a program in a process."""
        if tuple(command) == COMMAND:
            return TableProgram(process, output)
        broken = any(
            machine.broken_until > self.loop.time() and process.name.startswith(machine.name)
            for machine in self.cluster.machines
        )
        return Player(process, output, lambda: self._own.uniform(0.1, 4.0), broken=broken)

    async def watched(self, table: LocalTable, lease: Lease) -> FinishedLease | VoidedLease:
        """Play a game at a table, and note if it is played twice at the same time for one manager."""
        own = PROCESS.get()
        for other, process in self._playing:
            if (
                process is not None
                and self._plays(process)
                and (other.game.id, other.start) == (lease.game.id, lease.start)
            ):
                self.wrong.append(f"game {lease.game.number} is played twice at the same time")
        entry = lease, own
        self._playing.append(entry)
        try:
            return await PLAY(table, lease)
        finally:
            self._playing.remove(entry)

    def idle(self, table: Process) -> list[Process]:
        """Return the players of a table process that are in none of its games."""
        games = [lease.game for lease, process in self._playing if process is table]
        busy = {name for game in games for name in (game.first, game.second)}
        return [one for one in table.children if one.runs and one.name.rpartition("/")[2] not in busy]

    def _plays(self, process: Process) -> bool:
        """Return whether a table process is at work, and the manager waits for its end."""
        lines = (line for machine in self.cluster.machines for line in machine.lines if line.is_given_up)
        return process.runs and not any(process in line.actor.children for line in lines)

    def now(self) -> datetime:
        """Return the time on the clocks of the walls."""
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.loop.time() + self.jumped_s)

    def bury(self) -> None:
        """Let all that has died or frozen clean up, out of sight."""
        self.loop.bound = float("inf")
        self.loop.end(self._forget)
        shutil.rmtree(self.folder)

    def _forget(self) -> None:
        forget([start.process for start in self.starts])
        for machine in self.cluster.machines:
            forget(machine.processes)


PLAY = LocalTable.play


def _resolve(ended: asyncio.Future[str], task: asyncio.Task[str]) -> None:
    if not ended.done():
        if task.cancelled():
            ended.set_result("cancelled")
        elif (error := task.exception()) is not None:
            ended.set_exception(error)
        else:
            ended.set_result(task.result())


@contextlib.contextmanager
def in_place(world: World) -> Iterator[None]:
    """Put the parts of a world into the places of the system's."""
    clock = _Clock(world.loop.time)
    with pytest.MonkeyPatch.context() as patch:
        for module in ("manager", "table_process"):
            patch.setattr(f"fiedler.tournament.run.{module}.Reaper", SimulatedReaper)
        patch.setattr("fiedler.tournament.cluster.node.Reaper", SimulatedReaper)
        patch.setattr("fiedler.tournament.cluster.node.Child", SimulatedChild)
        patch.setattr("fiedler.tournament.play.endpoint.Child", SimulatedChild)
        patch.setattr(SimulatedChild, "launch", world.launch, raising=False)
        for module in ("node", "venue"):
            patch.setattr(f"fiedler.tournament.cluster.{module}.facts_here", lambda game: FACTS)
        patch.setattr("fiedler.tournament.run.table.Match", partial(Match, time=world.loop.time))
        patch.setattr("fiedler.tournament.play.session.time", clock)
        patch.setattr("fiedler.tournament.play.standstill.time", clock)
        patch.setattr("fiedler.tournament.run.rater.time", clock)
        patch.setattr("fiedler.tournament.run.rater.PAUSE_S", 600.0)  # the last ranking is compared; each takes time
        patch.setattr("fiedler.tournament.ratings.best.MOST_DRAWS", 2000)  # a tenth of the time of a seed
        patch.setattr("fiedler.tournament.game.datetime", _Wall(world))
        patch.setattr("fiedler.tournament.run.run_folder.run_lock", _unlocked)
        patch.setattr("fiedler.tournament.run.journal.connect", _impatient)

        def play(table: LocalTable, lease: Lease) -> Any:
            return world.watched(table, lease)

        patch.setattr(LocalTable, "play", play)
        world.disk.install(patch)
        yield


@dataclass
class _Clock:
    monotonic: Any


@dataclass
class _Wall:
    world: World

    def now(self, zone: object) -> datetime:
        return self.world.now()


@contextlib.contextmanager
def _unlocked(folder: Path, command: str) -> Iterator[None]:
    """Stand for the lock of a folder, which a file system of the network may lose."""
    folder.mkdir(parents=True, exist_ok=True)
    yield


def _impatient(path: str) -> Any:
    """Open a file, whose other writers are never at work at the same moment."""
    database = schema.connect(path)
    database.execute("PRAGMA busy_timeout = 0")
    return database
