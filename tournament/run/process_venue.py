"""Tables in processes of their own, on the manager's side."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence

from msgspec.structs import replace

from fiedler.client.child import Child, StartError
from fiedler.support.programs import PYTHON
from fiedler.support.reaper import Reaper
from fiedler.tournament.play.machine import MachineError, start
from fiedler.tournament.play.remote import secrets
from fiedler.tournament.play.traffic_log import TrafficLog
from fiedler.tournament.run.affinity import Cores, starts_at_once
from fiedler.tournament.run.live import Boards
from fiedler.tournament.run.remote_tables import RemoteTable, RemoteTables, reader
from fiedler.tournament.run.table_messages import ProcessSetup
from fiedler.tournament.schedule.schedule import Schedule

COMMAND = (*PYTHON, "-m", "fiedler.tournament.run.table_process")
LEAVE_S = 5.0
"""Most seconds for a table process to end its players."""


class ProcessVenue(RemoteTables):
    """The tables of a child process. If it ends, the next game starts it again."""

    def __init__(self, setup: ProcessSetup, numbers: Iterator[int], reaper: Reaper, boards: Boards) -> None:
        """Prepare the tables of `setup`; each process gets the next of the `numbers`."""
        super().__init__(setup, boards)
        self._numbers = numbers
        self._reaper = reaper
        self._process: Child | None = None
        boards.when_watched(self.watch)

    @property
    def runs(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and not self._process.exited.done()

    def start(self) -> None:
        """Start the process unless it runs.

        Raises:
            MachineError: the machine cannot start it.

        """
        if self._process is not None:
            if self.runs:
                return
            self._lose(self._process)
        messages = reader()

        def take(data: bytes) -> None:
            for message in messages.receive(data):
                self.take(message)

        process = Child(self._reaper, take)
        try:
            start(process, COMMAND, ".")
        except StartError as error:
            raise MachineError(str(error)) from error
        self._process = process
        process.exited.add_done_callback(lambda _: self._lose(process))
        self.send(replace(self._setup, number=next(self._numbers)))
        if self._boards.are_watched:
            self.watch()

    def write(self, data: bytes) -> None:
        """Send bytes to the process, which was started."""
        assert self._process is not None
        self._process.write(data)

    async def close(self) -> None:
        """End the process, and its players with it."""
        if self._process is not None:
            self._process.close_input()
            await self._process.end(LEAVE_S)

    def _lose(self, process: Child) -> None:
        """Make the games of a process that has ended void, once."""
        if self._process is process:
            self._process = None
            self.lose(f"the table process {process.exit_message}")


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

    async def tables(self) -> AsyncIterator[RemoteTable]:
        """Yield all tables in the order of their numbers."""
        by_number = {number: table for venue in self._venues for number, table in venue.tables.items()}
        for number in sorted(by_number):
            yield by_number[number]

    def when_changed(self, call: Callable[[], None]) -> None:
        """Nothing changes here."""

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
