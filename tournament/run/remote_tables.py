"""Tables in another process, which shares their players: the manager's side, for any line to that process."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from fiedler.tournament.game import PlannedGame
from fiedler.tournament.play.machine import MachineError
from fiedler.tournament.run import live
from fiedler.tournament.run.lease import FinishedLease, Lease, Notice, VoidedLease
from fiedler.tournament.run.live import Board, Boards
from fiedler.tournament.run.table_messages import (
    Alive,
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
from fiedler.tournament.schedule.schedule import Schedule

FromProcess = FinishedLease | VoidedLease | Cleared | Probed | Shown | Alive
Result = TypeVar("Result")


class RemoteTable:
    """A table in another process, which knows it by its own number."""

    node = ""
    is_needed = True
    ended: FinishedLease | None = None
    """Never one: the process sends a game with its notes."""

    def __init__(self, tables: RemoteTables, number: int, boards: Boards) -> None:
        self._tables = tables
        self._number = number
        self._boards = boards
        self._lease: Lease | None = None
        self._answer: asyncio.Future[FinishedLease | VoidedLease] | None = None
        self._cleared: asyncio.Future[Sequence[Notice]] | None = None

    @property
    def is_open(self) -> bool:
        """Whether it takes games: always, since a process that has ended is started again."""
        return True

    def may_play(self, game: PlannedGame) -> bool:  # noqa: ARG002
        """Return whether both players of a game can play here: all can."""
        return True

    async def play(self, lease: Lease) -> FinishedLease | VoidedLease:
        """Have a game played. It is void if the process ends before the game."""
        try:
            self._tables.start()
        except MachineError as error:
            return VoidedLease(lease, str(error))
        loop = asyncio.get_running_loop()
        self._lease = replace(lease, table=self._number)
        self._answer, self._cleared = loop.create_future(), loop.create_future()
        self._tables.send(self._lease)
        try:
            return replace(await self._answer, lease=lease)
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
            resolve(self._cleared, message.notices)
        elif message.lease == self._lease:
            resolve(self._answer, message)

    def show(self, board: Board) -> None:
        """Show the board to watchers, if it is that of the game under way."""
        if self._answer is not None and not self._answer.done() and self._lease and self._lease.game.id == board.id:
            self._boards.show(board)

    def lose(self, why: str) -> None:
        """Make the game under way void, if there is one: the process is gone."""
        if self._lease is not None:
            resolve(self._answer, VoidedLease(self._lease, why))
            resolve(self._cleared, ())


class RemoteTables(ABC):
    """The tables of one process, and the messages to and from it."""

    def __init__(self, setup: ProcessSetup, boards: Boards) -> None:
        """Prepare the tables of `setup`."""
        self._setup = setup
        self._boards = boards
        self._probed: asyncio.Future[Probed] | None = None
        self._probing = asyncio.Lock()
        self.plies = 0
        """The moves of the games under way, by the last word of the process."""
        self.tables = {number: self._table(number) for number in setup.tables}

    def _table(self, number: int) -> RemoteTable:
        return RemoteTable(self, number, self._boards)

    @abstractmethod
    def start(self) -> None:
        """Start the process unless it runs.

        Raises:
            MachineError: it cannot be started.

        """

    @property
    @abstractmethod
    def runs(self) -> bool:
        """Whether the process runs."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Send bytes to the process, which was started."""

    def send(self, message: Struct) -> None:
        """Send a message to the process, which was started."""
        self.write(encoded(message))

    async def probe(self, names: Sequence[str]) -> dict[str, str]:
        """Have players started; return the failures, by the names of those that cannot be used.

        Raises:
            MachineError: the machine cannot start the process or the players.

        """
        async with self._probing:
            self.start()
            self._probed = asyncio.get_running_loop().create_future()
            self.send(Probe(tuple(names)))
            answer = await self._probed
        if answer.machine:
            raise MachineError(answer.machine)
        return answer.why

    def add(self, schedule: Schedule, names: Collection[str]) -> None:
        """Prepare for further players, in the process that runs and in those that are started later."""
        self._setup = replace(self._setup, schedule=schedule)
        if self.runs:
            self.send(Enrol(schedule, tuple(names)))

    def watch(self) -> None:
        """Have the running games shown while there are watchers."""
        if self.runs:
            self.send(Watch(live.PERIOD_S if self._boards.are_watched else None))

    def take(self, message: FromProcess) -> None:
        """Receive a message of the process."""
        if isinstance(message, Alive):
            self.plies = message.plies
        elif isinstance(message, Probed):
            resolve(self._probed, message)
        elif isinstance(message, Shown):
            for board in message.boards:
                for one in self.tables.values():
                    one.show(board)
        else:
            table = message.table if isinstance(message, Cleared) else message.lease.table
            self.tables[table].take(message)

    def lose(self, why: str) -> None:
        """Make all games under way void: the process is gone."""
        resolve(self._probed, Probed({}, why))
        for table in self.tables.values():
            table.lose(why)


def reader() -> MessageReader[FromProcess]:
    """Return what cuts the bytes of a process into messages."""
    return MessageReader(msgspec.msgpack.Decoder[FromProcess](FromProcess))


def resolve(future: asyncio.Future[Result] | None, result: Result) -> None:
    """Set the result of a future that waits for one."""
    if future is not None and not future.done():
        future.set_result(result)
