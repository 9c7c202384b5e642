"""Brings what happened to the disk without making the games wait, and tells it once it is there."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from games import WorkError
from tournament.events import Event, Feed, Finished, Started, Voided
from tournament.store import Journal


class _Job(NamedTuple):
    work: Callable[[], None]
    done: asyncio.Future[None]


class Recorder:
    """Writes events to the journal in a thread of its own, as many at once as have come in meanwhile.

    A start on its own is not worth a disk write: it is written with the next end of a game.
    """

    def __init__(self, journal: Journal, feed: Feed) -> None:
        self._journal = journal
        self._feed = feed
        self._queue: asyncio.Queue[Event | _Job | None] = asyncio.Queue()
        self._begun: list[str] = []

    def record(self, event: Event) -> None:
        """Take an event."""
        self._queue.put_nowait(event)

    async def write(self, job: Callable[[], None]) -> None:
        """Have something else written to the journal, and wait until it is. Raises WorkError as `run` does."""
        done = asyncio.get_running_loop().create_future()
        self._queue.put_nowait(_Job(job, done))
        await done

    def finish(self) -> None:
        """Let `run` end once everything is written."""
        self._queue.put_nowait(None)

    async def run(self) -> None:
        """Write until `finish`. Raises WorkError if the disk does not take it."""
        with ThreadPoolExecutor(1, thread_name_prefix="journal") as thread:
            ended = False
            while not ended:
                batch = [await self._queue.get()]
                while not self._queue.empty():
                    batch.append(self._queue.get_nowait())
                ended = None in batch
                try:
                    await self._write([event for event in batch if isinstance(event, Event)], thread, flush=ended)
                    for job in batch:
                        if isinstance(job, _Job):
                            await asyncio.get_running_loop().run_in_executor(thread, job.work)
                            job.done.set_result(None)
                except (sqlite3.DatabaseError, OSError) as error:
                    raise WorkError(f"{self._journal.folder}: the results cannot be written: {error}") from error

    async def _write(self, events: list[Event], thread: ThreadPoolExecutor, *, flush: bool) -> None:
        self._begun += [event.game.id for event in events if isinstance(event, Started)]
        finished = [event.game for event in events if isinstance(event, Finished)]
        void = [event.game.id for event in events if isinstance(event, Voided)]
        if finished or void or (flush and self._begun):
            begun, self._begun = self._begun, []
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(thread, self._journal.write, begun, void, finished)
        for event in events:
            self._feed.emit(event)
