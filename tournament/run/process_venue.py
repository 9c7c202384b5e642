"""Tables in processes of their own, on the manager's side."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections.abc import Collection, Iterator, Sequence
from typing import TypeVar

import msgspec
from msgspec import Struct

from client.child import Child, StartError
from support.reaper import Reaper
from tournament.play.machine import MachineError, start
from tournament.play.remote import secrets
from tournament.play.traffic_log import TrafficLog
from tournament.run import live
from tournament.run.affinity import Cores, starts_at_once
from tournament.run.lease import FinishedLease, Lease, Notice, VoidedLease
from tournament.run.live import Board, Boards
from tournament.run.table_messages import (
    Cleared,
    Enrol,
    MessageReader,
    Probe,
    Probed,
    ProcessSetup,
    Shown,
    Watch,
    encoded,
)
from tournament.schedule.schedule import Schedule

COMMAND = (sys.executable, "-P", "-m", "tournament.run.table_process")
LEAVE_S = 5.0
"""Most seconds for a table process to end its players."""

FromProcess = FinishedLease | VoidedLease | Cleared | Probed | Shown
Result = TypeVar("Result")


class ProcessTable:
    """A table in another process."""

    def __init__(self, venue: ProcessVenue, boards: Boards) -> None:
        self._venue = venue
        self._boards = boards
        self._lease: Lease | None = None
        self._answer: asyncio.Future[FinishedLease | VoidedLease] | None = None
        self._cleared: asyncio.Future[Sequence[Notice]] | None = None

    async def play(self, lease: Lease) -> FinishedLease | VoidedLease:
        """Have a game played. It is void if the process ends before the game."""
        try:
            self._venue.start()
        except MachineError as error:
            return VoidedLease(lease, str(error))
        loop = asyncio.get_running_loop()
        self._lease, self._answer, self._cleared = lease, loop.create_future(), loop.create_future()
        self._venue.send(lease)
        try:
            return await self._answer
        finally:
            self._boards.hide(lease.game.number)

    async def clear(self) -> Sequence[Notice]:
        """Wait until the players have left. A cancelled game ends with its process."""
        if self._cleared is None or self._answer is None or self._answer.cancelled():
            return ()
        return await self._cleared

    def take(self, message: FinishedLease | VoidedLease | Cleared) -> None:
        """Receive a message about this table; those of earlier leases are dropped."""
        if isinstance(message, Cleared):
            _resolve(self._cleared, message.notices)
        elif message.lease == self._lease:
            _resolve(self._answer, message)

    def show(self, board: Board) -> None:
        """Show the board to watchers, if it is that of the game under way."""
        if self._answer is not None and not self._answer.done() and self._lease and self._lease.game.id == board.id:
            self._boards.show(board)

    def lose(self, why: str) -> None:
        """Make the game under way void, if there is one: the process is gone."""
        if self._lease is not None:
            _resolve(self._answer, VoidedLease(self._lease, why))
            _resolve(self._cleared, ())


class ProcessVenue:
    """The tables of one process. If it ends, the next game starts it again."""

    def __init__(self, setup: ProcessSetup, numbers: Iterator[int], reaper: Reaper, boards: Boards) -> None:
        """Prepare the tables of `setup`; each process gets the next of the `numbers`."""
        self._setup = setup
        self._numbers = numbers
        self._reaper = reaper
        self._process: Child | None = None
        self._probed: asyncio.Future[Probed] | None = None
        self._boards = boards
        self.tables = {number: ProcessTable(self, boards) for number in setup.tables}
        boards.when_watched(self._watch)

    def start(self) -> None:
        """Start the process unless it runs.

        Raises:
            MachineError: the machine cannot start it.

        """
        if self._process is not None:
            if not self._process.exited.done():
                return
            self._lose(self._process)
        reader = MessageReader(msgspec.msgpack.Decoder[FromProcess](FromProcess))
        process = Child(self._reaper, lambda data: self._take(reader.receive(data)))
        try:
            start(process, COMMAND, ".")
        except StartError as error:
            raise MachineError(str(error)) from error
        self._process = process
        process.exited.add_done_callback(lambda _: self._lose(process))
        self.send(msgspec.structs.replace(self._setup, number=next(self._numbers)))
        if self._boards.are_watched:
            self._watch()

    def send(self, message: Struct) -> None:
        """Send a message to the process, which was started."""
        assert self._process is not None
        self._process.write(encoded(message))

    async def probe(self, names: Sequence[str]) -> dict[str, str]:
        """Have players started; return the failures, by the names of those that cannot be used.

        Raises:
            MachineError: the machine cannot start the process or the players.

        """
        self.start()
        self._probed = asyncio.get_running_loop().create_future()
        self.send(Probe(tuple(names)))
        answer = await self._probed
        if answer.machine:
            raise MachineError(answer.machine)
        return answer.why

    def add(self, schedule: Schedule, names: Collection[str]) -> None:
        """Prepare for further players, in the process that runs and in those that are started later."""
        self._setup = msgspec.structs.replace(self._setup, schedule=schedule)
        if self._process is not None and not self._process.exited.done():
            self.send(Enrol(schedule, tuple(names)))

    async def close(self) -> None:
        """End the process, and its players with it."""
        if self._process is not None:
            self._process.close_input()
            await self._process.end(LEAVE_S)

    def _watch(self) -> None:
        """Have the running games shown while there are watchers."""
        if self._process is not None:
            self.send(Watch(live.PERIOD_S if self._boards.are_watched else None))

    def _take(self, messages: Iterator[FromProcess]) -> None:
        for message in messages:
            if isinstance(message, Probed):
                _resolve(self._probed, message)
            elif isinstance(message, Shown):
                for board in message.boards:
                    for one in self.tables.values():
                        one.show(board)
            else:
                table = message.table if isinstance(message, Cleared) else message.lease.table
                self.tables[table].take(message)

    def _lose(self, process: Child) -> None:
        """Make the games of a process that has ended void, once."""
        if self._process is process:
            self._process = None
            why = f"the table process {process.exit_message}"
            _resolve(self._probed, Probed({}, why))
            for table in self.tables.values():
                table.lose(why)


class ProcessVenues:
    """Tables in several processes. Neighbouring tables are in different ones; the first process probes."""

    def __init__(
        self,
        schedule: Schedule,
        shares: Sequence[Cores | None],
        number: int,
        reaper: Reaper,
        traffic_log: TrafficLog | None,
        boards: Boards,
    ) -> None:
        """Set up a table for each of the `shares` of cores, in `number` processes."""
        log, began = (None, 0.0) if traffic_log is None else (str(traffic_log.path.resolve()), traffic_log.began)
        starts, numbers = max(1, starts_at_once() // number), itertools.count(1)
        self._venues: list[ProcessVenue] = []
        for first in range(number):
            tables = {place + 1: shares[place] for place in range(first, len(shares), number)}
            self._venues.append(
                ProcessVenue(ProcessSetup(schedule, tables, starts, log, began, 0), numbers, reaper, boards)
            )

    @property
    def tables(self) -> list[ProcessTable]:
        """All tables in the order of their numbers."""
        by_number = {number: table for venue in self._venues for number, table in venue.tables.items()}
        return [by_number[number] for number in sorted(by_number)]

    async def probe(self, names: Sequence[str]) -> dict[str, str]:
        """Start all processes, and the players in the first one; as `ProcessVenue.probe`."""
        if not names:
            return {}
        for venue in self._venues:
            venue.start()
        return await self._venues[0].probe(names)

    def add(self, schedule: Schedule, names: Collection[str]) -> None:
        """Prepare for further players in all processes."""
        for player in schedule.players:
            if player.name in names:
                secrets(player)  # the files can be used: table processes read them again
        for venue in self._venues:
            venue.add(schedule, names)

    async def close(self) -> None:
        """End all processes and their players."""
        async with asyncio.TaskGroup() as group:
            for venue in self._venues:
                group.create_task(venue.close())


def _resolve(future: asyncio.Future[Result] | None, result: Result) -> None:
    if future is not None and not future.done():
        future.set_result(result)
