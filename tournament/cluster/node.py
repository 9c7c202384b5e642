"""The actor on a node: starts a table process there, and passes its bytes on. It knows no game and no table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from fiedler import games
from fiedler.client.child import Child, StartError
from fiedler.support.errors import UsageError, WorkError
from fiedler.support.reaper import Reaper
from fiedler.tournament.cluster.facts import facts_here
from fiedler.tournament.cluster.model_cache import ModelCache, default_folder
from fiedler.tournament.cluster.parcel import files_of, unpacked
from fiedler.tournament.play.machine import MachineError, start
from fiedler.tournament.run.process_venue import COMMAND
from fiedler.tournament.run.table_messages import Enrol, ProcessSetup, encoded, whole
from fiedler.tournament.schedule.schedule import Schedule

LEAVE_S = 2.0
"""Most seconds for a table process to end its players."""
WAIT_S = 2.0
"""Seconds after which a manager gets an answer without news. A process that works has some every second."""


class NodeActor:
    """One machine of a cluster, for one manager. Its methods are called from there; those that fail return a sentence.

    A table process without a word of the manager ends by itself, with its players, also while we are frozen.
    """

    def __init__(self, cache_mb: int) -> None:
        """Keep at most `cache_mb` MiB of models."""
        self._cache = ModelCache(default_folder(), cache_mb)
        self._folder = ""
        self._reaper: Reaper | None = None
        self._process: Child | None = None
        self._passed = 0
        """The number of the last call whose bytes were passed to the table process."""
        self._early: dict[int, bytes] = {}
        """The bytes of calls that came before an earlier one, by number."""
        self._newest = 0
        """The highest number of a call."""
        self._news = bytearray()
        self._waiting: asyncio.Future[None] | None = None
        """That of the newest call that waits for news."""

    async def facts(self, game: str) -> bytes:
        """Return the Facts about this machine, encoded."""
        return msgspec.msgpack.encode(await asyncio.to_thread(facts_here, game))

    async def missing(self, names: Sequence[str]) -> list[str]:
        """Return the files, DIGEST/NAME, that are not in the cache."""
        return self._cache.missing(names)

    async def begin_file(self, name: str, size: int, needed: Sequence[str]) -> str:
        """Make room for a file; return why it cannot be kept, or an empty string. So do the next two."""
        return await asyncio.to_thread(_failure_of, lambda: self._cache.begin(name, size, needed))

    async def append_file(self, name: str, portion: bytes) -> str:
        """Append to a file."""
        return await asyncio.to_thread(_failure_of, lambda: self._cache.append(name, portion))

    async def finish_file(self, name: str) -> str:
        """Check a file, and keep it."""
        return await asyncio.to_thread(_failure_of, lambda: self._cache.finish(name))

    async def start(self, setup: bytes, folder: str) -> str:
        """Start the table process of a ProcessSetup, encoded; return why it cannot start, or an empty string.

        Programs of players start in `folder`, or in the home of this user if it is empty.
        """
        await self.close()
        self._folder = folder or str(Path.home())
        given = msgspec.msgpack.decode(setup, type=ProcessSetup)
        if missing := self._cache.missing(list(files_of(given.schedule))):
            return f"models are missing: {', '.join(missing)}"
        try:
            games.any_game(given.schedule.tournament.game)
        except UsageError as error:
            return str(error)
        self._reaper = Reaper()
        process = Child(self._reaper, self._take)
        try:
            start(process, COMMAND, "/")
        except (StartError, MachineError) as error:
            return str(error)
        self._process = process
        process.exited.add_done_callback(lambda _: self._wake())
        process.write(encoded(replace(given, schedule=self._here(given.schedule))))
        return ""

    async def enrol(self, enrolled: bytes) -> None:
        """Pass an Enrol, encoded, to the table process."""
        given = msgspec.msgpack.decode(enrolled, type=Enrol)
        if self._process is not None:
            self._process.write(encoded(replace(given, schedule=self._here(given.schedule))))

    def _here(self, schedule: Schedule) -> Schedule:
        return unpacked(schedule, self._folder, self._cache.path)

    async def exchange(self, number: int, data: bytes) -> tuple[bytes, str]:
        """Pass bytes to the table process; return its next messages, and how it ended: empty while it runs.

        Calls have numbers, from 1. It waits for messages, but for WAIT_S at most, and until a call of a higher number,
        which gets them.
        """
        process = self._process
        if process is None:
            return b"", "has not started"
        self._pass_on(number, data)
        if number <= self._newest:
            return b"", ""
        self._newest = number
        self._wake()
        waiting = self._waiting = asyncio.get_running_loop().create_future()
        if not (process.exited.done() or whole(self._news)):
            await asyncio.wait({waiting}, timeout=WAIT_S)
        if self._waiting is not waiting:
            return b"", ""
        ready = whole(self._news)
        news = bytes(self._news[:ready])
        del self._news[:ready]
        return news, process.exit_message if process.exited.done() else ""

    def _pass_on(self, number: int, data: bytes) -> None:
        """Pass the bytes of a call to the table process once, after those of all earlier calls."""
        if number > self._passed:
            self._early[number] = data
        while self._process is not None and (due := self._early.pop(self._passed + 1, None)) is not None:
            self._process.write(due)
            self._passed += 1

    async def close(self) -> None:
        """End the table process and its players."""
        process, self._process = self._process, None
        if process is not None:
            process.close_input()
            await process.end(LEAVE_S)
        if self._reaper is not None:
            await asyncio.to_thread(self._reaper.close)
            self._reaper = None
        self._news.clear()

    def _take(self, data: bytes) -> None:
        self._news += data
        if whole(self._news):
            self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


def _failure_of(job: Callable[[], None]) -> str:
    """Do a job; return the sentence of its failure, or an empty string."""
    try:
        job()
    except WorkError as error:
        return str(error)
    return ""
