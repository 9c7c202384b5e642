"""Writes events to the disk without delaying games, and reports them after they are stored."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from fiedler.support.errors import WorkError
from fiedler.tournament.dispute import Dispute
from fiedler.tournament.game import GameRecord
from fiedler.tournament.run.events import Disputed, Event, Feed, Finished, Started, Voided
from fiedler.tournament.run.journal import Attempt, Journal, VoidAttempt
from fiedler.tournament.run.lease import Lease

REST_S = 0.02
"""Seconds between two writes without a waiter: many short games end meanwhile and share a transaction."""


class _Job(NamedTuple):
    work: Callable[[], None]
    done: asyncio.Future[None]


class _Entry(NamedTuple):
    event: Event
    attempt: Attempt | None
    """The attempt at the game of the event, if it is about one."""
    done: asyncio.Future[None]
    """Done once the event is written and reported."""


class Recorder:
    """Writes events to the journal in its own thread, all those since the last write at once.

    A start alone is not worth a disk write: it is written with the next end of a game.
    """

    def __init__(self, journal: Journal, feed: Feed) -> None:
        self._journal = journal
        self._feed = feed
        self._queue: list[_Entry | _Job] = []
        self._come = asyncio.Event()
        self._urgent = asyncio.Event()
        self._over = False
        self._begun: list[Attempt] = []
        self._credits: list[tuple[str, float]] = []
        """Names of players and their lag credits that are not written yet."""

    def credit(self, game: GameRecord, credits_ms: tuple[float, float]) -> None:
        """Have the lag credits of a game written, with its record, which must follow."""
        self._credits += zip((game.first, game.second), credits_ms, strict=True)

    def record(self, event: Event, lease: Lease | None = None) -> asyncio.Future[None]:
        """Queue an event; that of a game needs its lease. The answer is done once it is written and reported."""
        done = asyncio.get_running_loop().create_future()
        self._queue.append(_Entry(event, None if lease is None else attempt_of(lease), done))
        self._come.set()
        return done

    async def written(self, done: asyncio.Future[None]) -> None:
        """Have the queue written without a rest, and wait for an event in it."""
        self._hurry()
        await done

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
            WorkError: the disk does not take it, or the journal refuses the record of a game.

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
                    await self._write([entry for entry in batch if isinstance(entry, _Entry)], thread, flush=ended)
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

    async def _write(self, entries: list[_Entry], thread: ThreadPoolExecutor, *, flush: bool) -> None:
        games = [(entry.event, entry.attempt) for entry in entries if entry.attempt is not None]
        self._begun += [attempt for event, attempt in games if isinstance(event, Started)]
        finished = [(event.game, attempt) for event, attempt in games if isinstance(event, Finished)]
        void = [VoidAttempt(attempt, event.at, event.why) for event, attempt in games if isinstance(event, Voided)]
        disputed = [(event.dispute, attempt) for event, attempt in games if isinstance(event, Disputed)]
        refused = set[Attempt]()
        if finished or void or disputed or (flush and self._begun):
            begun, self._begun = self._begun, []
            credits_ms, self._credits = self._credits, []
            write = partial(self._journal.write, begun, void, finished, credits_ms, disputed)
            refused = await asyncio.get_running_loop().run_in_executor(thread, write)
        for event, attempt, done in entries:
            if attempt in refused and isinstance(event, Finished | Disputed):
                continue
            self._feed.emit(event)
            if not done.cancelled():  # an interrupt may have cancelled the waiter
                done.set_result(None)
        if refused:
            raise WorkError(self._refusal([*finished, *disputed], refused))

    def _refusal(self, finished: Iterable[tuple[GameRecord | Dispute, Attempt]], refused: set[Attempt]) -> str:
        """Return the sentence about the first record that the journal refused."""
        game, attempt = next((game, attempt) for game, attempt in finished if attempt in refused)
        which = f"game {game.number}, attempt {attempt.number} of start {attempt.start}"
        return (
            f"{self._journal.folder}: the record of {which} is refused: expected the latest attempt at a game without "
            "a result; it is not counted, and the run stops here"
        )


def attempt_of(lease: Lease) -> Attempt:
    """Return the attempt that a lease grants."""
    return Attempt(lease.game.id, lease.attempt, lease.start, lease.node)
