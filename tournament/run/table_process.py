"""A table process: a child of the manager that plays games at some of the tables, with its own local players.

`python -m fiedler.tournament.run.table_process` reads requests on standard input and answers on standard output, as
`table_messages.py` defines. It ends at the end of its input, also when the manager dies, and ends its players with it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import Any, Protocol

import msgspec
import uvloop
from msgspec import Struct

from fiedler import games
from fiedler.client.pipes import ReadEnd, WriteEnd
from fiedler.support.errors import WorkError, first_of
from fiedler.support.reaper import Reaper
from fiedler.tournament.play.machine import MachineError
from fiedler.tournament.play.traffic_log import TrafficLog
from fiedler.tournament.run.lease import FinishedLease, Lease, VoidedLease
from fiedler.tournament.run.live import Boards
from fiedler.tournament.run.table import LocalTable
from fiedler.tournament.run.table_messages import (
    Alive,
    Cleared,
    Enrol,
    Heard,
    MessageReader,
    Probe,
    Probed,
    ProcessSetup,
    Shown,
    Watch,
    encoded,
)
from fiedler.tournament.run.venue import LocalVenue

ToProcess = ProcessSetup | Enrol | Probe | Lease | Watch | Heard
ALIVE_S = 1.0
"""Most seconds between two words to a manager far away."""
SOON_S = 0.01
"""Seconds too short to sleep before a word: the clock need not advance in them."""
TOGETHER_S = 0.05
"""Most seconds between the end of a game and its message, which waits for the word that the players have left."""


class Answers(Protocol):
    """The way back to the manager."""

    def write(self, data: bytes) -> None:
        """Send bytes; never blocks."""


class TableProcess:
    """Does the requests of a pipe until its end."""

    def __init__(
        self, tasks: asyncio.TaskGroup, stack: AsyncExitStack, answers: Answers, end: Callable[[], None]
    ) -> None:
        """Work in `tasks`; the `stack` closes everything at the end; `end` brings it."""
        self._tasks = tasks
        self._stack = stack
        self._answers = answers
        self._reader = MessageReader(msgspec.msgpack.Decoder[ToProcess](ToProcess))
        self._venue: LocalVenue | None = None
        self._tables: dict[int, LocalTable] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._boards = Boards()
        self._showing: asyncio.Task[None] | None = None
        self._end = end
        self._heard = 0.0
        """The time of the last word of the manager, by the loop's clock."""
        self._is_far = False
        """Whether the manager must have a word from time to time."""
        self._said = 0.0
        """The time of the last word to it."""
        self._kept = b""
        """A record that goes with the next word."""

    def receive(self, data: bytes) -> None:
        """Begin the requests of the manager."""
        for message in self._reader.receive(data):
            if isinstance(message, ProcessSetup | Heard):
                self._heard = asyncio.get_running_loop().time()
            if isinstance(message, ProcessSetup):
                self._set_up(message)
            elif isinstance(message, Enrol):
                assert self._venue is not None
                self._venue.add(message.schedule, message.names)
            elif isinstance(message, Watch):
                self._watch(message.period_s)
            elif isinstance(message, Heard):
                continue
            else:
                self._begin(self._play(message) if isinstance(message, Lease) else self._probe(message))

    def stop(self) -> None:
        """Cancel all work. A record that was not sent may be that of players whom we have killed."""
        self._kept = b""
        for task in self._running:
            task.cancel()

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self._tasks.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    def _watch(self, period_s: float | None) -> None:
        if self._showing is not None:
            self._showing.cancel()
        self._showing = None if period_s is None else self._begin(self._show(period_s))

    async def _show(self, period_s: float) -> None:
        """Show changed games, periodically."""
        seen: dict[int, int] = {}
        while True:
            self._boards.ended(seen)  # the manager knows
            if found := self._boards.changed(seen):
                self._say(Shown(tuple(found)))
            await asyncio.sleep(period_s)

    def _set_up(self, setup: ProcessSetup) -> None:
        traffic_log = None
        if setup.log is not None:
            traffic_log = TrafficLog(Path(setup.log), setup.log_began, f"{setup.number}.")
            self._stack.enter_context(traffic_log)
        reaper = self._stack.enter_context(closing(Reaper()))
        if setup.schedule.rules:
            games.game_at(setup.schedule.rules)  # the manager has loaded it, too
        shares = list(setup.tables.values())
        self._venue = LocalVenue(setup.schedule, shares, reaper, setup.starts, traffic_log, self._boards)
        self._stack.push_async_callback(self._venue.close)
        self._tables = dict(zip(setup.tables, self._venue.at_once, strict=True))
        if setup.fence_s is not None:
            self._is_far = True
            self._begin(self._fence(setup.fence_s, reaper))

    def _say(self, *messages: Struct) -> None:
        """Send messages to the manager; one far away learns that we are there."""
        said = self._kept + b"".join(encoded(message) for message in messages)
        self._kept = b""
        if self._is_far:
            said += encoded(Alive(self._boards.plies))
            self._said = asyncio.get_running_loop().time()
        if said:
            self._answers.write(said)

    def _say_soon(self, record: FinishedLease | VoidedLease) -> None:
        """Send the end of a game with the next word: its players have usually left within some milliseconds."""
        self._kept += encoded(record)
        asyncio.get_running_loop().call_later(TOGETHER_S, self._say_kept)

    def _say_kept(self) -> None:
        if self._kept:
            self._say()

    async def _fence(self, fence_s: float, reaper: Reaper) -> None:
        """Say from time to time that we are there; kill all players and end after `fence_s` without an answer.

        A process that was frozen for so long ends, too, also if words of the manager have come in meanwhile.
        """
        loop = asyncio.get_running_loop()
        now = looked = loop.time()
        while now - min(self._heard, looked) < fence_s:
            if (rest := self._said + ALIVE_S - now) < SOON_S:
                self._say()
                rest = ALIVE_S
            looked = now
            await asyncio.sleep(rest)
            now = loop.time()
        reaper.close()
        self._end()

    async def _probe(self, asked: Probe) -> None:
        assert self._venue is not None
        try:
            answer = Probed(await self._venue.probe(asked.names))
        except* MachineError as group:
            answer = Probed({}, str(first_of(group, MachineError)))
        self._say(answer)

    async def _play(self, lease: Lease) -> None:
        table = self._tables[lease.table]
        try:
            self._say_soon(await table.play(lease))
        finally:
            notices = await table.clear()
        self._say(Cleared(lease.table, tuple(notices)))


async def serve(commands: int, answers: int) -> None:
    """Do the requests of one pipe and answer through the other; return at the end of the first one."""
    portions = asyncio.Queue[bytes]()
    with closing(WriteEnd(os.fdopen(answers, "wb", buffering=0))) as answering:
        ReadEnd(os.fdopen(commands, "rb", buffering=0), portions.put_nowait, lambda: portions.put_nowait(b""))
        await work(portions, answering)


async def work(portions: asyncio.Queue[bytes], answers: Answers) -> None:
    """Do the requests in portions of bytes; return at an empty one."""
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as tasks:
        process = TableProcess(tasks, stack, answers, lambda: portions.put_nowait(b""))
        while portion := await portions.get():
            process.receive(portion)
        process.stop()


def main() -> None:
    """Serve the manager on standard input and output."""
    for asked in (signal.SIGINT, signal.SIGHUP):  # only the manager decides
        signal.signal(asked, signal.SIG_IGN)
    commands, answers = os.dup(0), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # printed text must not mix with the answers
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(serve(commands, answers))
    except ExceptionGroup as group:
        if group.subgroup(WorkError) is None:
            raise
        sys.exit(f"error: {first_of(group, WorkError)}")


if __name__ == "__main__":
    main()
