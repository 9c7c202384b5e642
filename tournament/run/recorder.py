"""Writes events to the disk without delaying games, and reports them after they are stored."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Container
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import NamedTuple

from support.errors import WorkError
from tournament.game import GameRecord, now
from tournament.run.events import Event, Feed, Finished, Started, Voided, Warned
from tournament.run.journal import Attempt, Journal

REST_S = 0.02
"""Seconds between two writes without a waiter: many short games end meanwhile and share a transaction."""


class _Job(NamedTuple):
    work: Callable[[], None]
    done: asyncio.Future[None]


class Recorder:
    """Writes events to the journal in its own thread, all those since the last write at once.

    A start alone is not worth a disk write: it is written with the next end of a game.
    """

    def __init__(self, journal: Journal, feed: Feed) -> None:
        self._journal = journal
        self._feed = feed
        self._queue: list[Event | _Job] = []
        self._come = asyncio.Event()
        self._urgent = asyncio.Event()
        self._over = False
        self._begun: list[Attempt] = []
        self._credits: list[tuple[str, float]] = []
        """Names of players and their lag credits that are not written yet."""

    def credit(self, game: GameRecord, credits_ms: tuple[float, float]) -> None:
        """Have the lag credits of a game written, with its record, which must follow."""
        self._credits += zip((game.first, game.second), credits_ms, strict=True)

    def record(self, event: Event) -> None:
        """Queue an event."""
        self._queue.append(event)
        self._come.set()

    async def write(self, job: Callable[[], None]) -> None:
        """Have something else written to the journal, and wait for it; raises as `run`."""
        done = asyncio.get_running_loop().create_future()
        self._queue.append(_Job(job, done))
        self._hurry()
        await done

    def finish(self) -> None:
        """Let `run` end once everything is written."""
        self._over = True
        self._hurry()

    def _hurry(self) -> None:
        self._come.set()
        self._urgent.set()

    async def run(self) -> None:
        """Write until `finish`.

        Raises:
            WorkError: the disk does not take it.

        """
        with ThreadPoolExecutor(1, thread_name_prefix="journal") as thread:
            ended = False
            while not ended:
                await self._come.wait()
                ended = self._over
                batch, self._queue = self._queue, []
                self._come.clear()
                self._urgent.clear()
                try:
                    await self._write([event for event in batch if isinstance(event, Event)], thread, flush=ended)
                    for job in batch:
                        if isinstance(job, _Job):
                            await asyncio.get_running_loop().run_in_executor(thread, job.work)
                            if not job.done.cancelled():  # an interrupt may have cancelled the waiter
                                job.done.set_result(None)
                except (sqlite3.DatabaseError, OSError) as error:
                    raise WorkError(f"{self._journal.folder}: the results cannot be written: {error}") from error
                if not ended:
                    await self._rest()

    async def _rest(self) -> None:
        """Let more events come in, unless there is a waiter."""
        with suppress(TimeoutError):
            async with asyncio.timeout(REST_S):
                await self._urgent.wait()

    async def _write(self, events: list[Event], thread: ThreadPoolExecutor, *, flush: bool) -> None:
        self._begun += [(event.game.id, event.attempt) for event in events if isinstance(event, Started)]
        finished = [(event.game, event.attempt) for event in events if isinstance(event, Finished)]
        void = [(event.game.id, event.attempt) for event in events if isinstance(event, Voided)]
        late = set[Attempt]()
        if finished or void or (flush and self._begun):
            begun, self._begun = self._begun, []
            credits_ms, self._credits = self._credits, []
            loop = asyncio.get_running_loop()
            late = await loop.run_in_executor(thread, self._journal.write, begun, void, finished, credits_ms)
        for event in events:
            self._feed.emit(_unless_late(event, late))


def _unless_late(event: Event, late: Container[Attempt]) -> Event:
    """Return the event, or a warning if the record of its game came too late."""
    if not isinstance(event, Finished) or (event.game.id, event.attempt) not in late:
        return event
    return Warned(at=now(), text=f"late result of game {event.game.number}, attempt {event.attempt}: not counted")
