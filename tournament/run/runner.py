"""Plays the games of a run, one at each table at a time, until all are finished or an interrupt."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable

from fiedler.support.errors import WorkError
from fiedler.support.text import counted
from fiedler.tournament.game import PlannedGame, now
from fiedler.tournament.play.machine import MachineError
from fiedler.tournament.run import events
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.lease import FinishedLease, Lease, Notice, VoidedLease
from fiedler.tournament.run.recorder import Recorder
from fiedler.tournament.run.scheduler import Scheduler
from fiedler.tournament.run.table import Table
from fiedler.tournament.run.venue import Venue

VOIDS_IN_A_ROW = 3
"""Consecutive void games after which a table is closed."""
VOIDS_BY_RULES = 3
"""Games that failing rules make void, before the run ends."""
VOID_PAUSE_S = 0.5
"""Seconds for a table to recover after a void game."""


class Runner:
    """Gives the games of a scheduler to tables, and has their results recorded."""

    def __init__(self, scheduler: Scheduler, journal: Journal, recorder: Recorder, venue: Venue) -> None:
        """Prepare to play the games without a result in `journal`."""
        self._scheduler = scheduler
        self._recorder = recorder
        self._venue = venue
        venue.when_changed(scheduler.wake)
        self._open = 0
        """The number of open tables of this machine."""
        self._finished = journal.counts.finished
        self._attempts = Counter(journal.attempts)
        self._start = len(journal.starts)
        self._noticed: set[tuple[str, str]] = set()
        self._voids_by_rules = 0
        self._unwritten: set[str] = set()
        """The ids of the games that have ended and are not written yet."""

    async def run(self) -> None:
        """Play all games.

        Raises:
            ExceptionGroup: of a WorkError, if the machine fails.

        """
        async with asyncio.TaskGroup() as group:
            recording = group.create_task(self._recorder.run())
            looking = [
                group.create_task(job) for job in (self._scheduler.look_for_absentees(), self._scheduler.attend())
            ]
            try:
                async with asyncio.TaskGroup() as workers:
                    self._opening = workers.create_task(self._open_tables(workers))
            finally:
                for task in looking:
                    task.cancel()
                self._recorder.finish()
                await asyncio.wait({recording})

    async def _open_tables(self, workers: asyncio.TaskGroup) -> None:
        """Play at each table from the moment when it opens."""
        number = 0
        async for table in self._venue.tables():
            number += 1
            self._open += not table.node
            workers.create_task(self._work(number, table, workers))

    async def _work(self, number: int, table: Table, group: asyncio.TaskGroup) -> None:
        """Play at a table until no game is left, or until the table is closed.

        Games are counted in the `group` where no other game depends on them: a table does not wait for the disk.
        """
        voids = 0
        while (game := await self._scheduler.take(table)) is not None:
            answer, written = await self._play(self._lease(game, number, table.node), table)
            if isinstance(answer, VoidedLease) and answer.dispute is not None:
                voids = 0
                await self._scheduler.dispute(answer.lease, answer.dispute)
                continue
            if isinstance(answer, FinishedLease):
                assert written is not None
                voids = 0
                if self._scheduler.hinges_on(answer.record):
                    await self._recorder.written(written)
                    await self._count(answer, written)
                else:
                    group.create_task(self._count(answer, written))
                continue
            await self._scheduler.put_back(game)
            self._note_failure_of_rules(answer)
            if answer.isolated or answer.absent:
                continue
            voids += 1
            if voids == VOIDS_IN_A_ROW and not table.node:
                self._close(number, f"{answer.why} ({VOIDS_IN_A_ROW} void games in a row)")
                return
            await asyncio.sleep(VOID_PAUSE_S)
        self._open -= not table.node
        if table.is_open:  # all is played
            self._opening.cancel()

    async def _count(self, answer: FinishedLease, written: asyncio.Future[None]) -> None:
        """Have a game counted once its record is accepted."""
        await written
        game = answer.lease.game
        self._unwritten.discard(game.id)
        await self._scheduler.done(answer.record, game.step, game.turn)

    def _lease(self, game: PlannedGame, table: int, node: str) -> Lease:
        self._attempts[game.id] += 1
        return Lease(game, self._attempts[game.id], table, self._start, node)

    async def _play(
        self, lease: Lease, table: Table
    ) -> tuple[FinishedLease | VoidedLease, asyncio.Future[None] | None]:
        """Have a game played; return its end, and what is done once that is written; a dispute is not written yet."""
        planned, scheduled = self._scheduler.planned, self._scheduler.scheduled
        attempt = lease.attempt
        self._recorder.record(
            events.Started(at=now(), game=lease.game, attempt=attempt, planned=planned, scheduled=scheduled), lease
        )
        try:
            answer = await table.play(lease)
            written = self._record(answer)
        except asyncio.CancelledError:
            self._record(table.ended or VoidedLease(lease, "interrupted"))
            raise
        finally:
            self._warn(await table.clear())
        return answer, written

    def _record(self, answer: FinishedLease | VoidedLease) -> asyncio.Future[None] | None:
        lease, attempt = answer.lease, answer.lease.attempt
        if isinstance(answer, VoidedLease):
            if answer.dispute is not None:
                return None
            void = events.Voided(at=now(), game=lease.game, attempt=attempt, why=answer.why)
            return self._recorder.record(void, lease)
        self._finished += 1
        counts = {"finished": self._finished - self._scheduler.annulled, "scheduled": self._scheduler.scheduled}
        record = answer.record
        if any(answer.credits_ms):
            self._recorder.credit(record, answer.credits_ms)
        self._unwritten.add(record.id)
        waits_for = self._scheduler.waits_for(self._unwritten)
        event = events.Finished(at=record.finished, game=record, attempt=attempt, waits_for=waits_for, **counts)
        return self._recorder.record(event, lease)

    def _note_failure_of_rules(self, answer: VoidedLease) -> None:
        """Count it, if it was one; raises WorkError at the last one that a run survives."""
        self._voids_by_rules += answer.by_rules
        if answer.by_rules and self._voids_by_rules >= VOIDS_BY_RULES:
            raise WorkError(f"{answer.why} ({counted(self._voids_by_rules, 'void game')})")

    def _warn(self, noticed: Iterable[Notice]) -> None:
        """Warn about the players, once of each kind."""
        for notice in noticed:
            if (notice.player, notice.kind) not in self._noticed:
                self._noticed.add((notice.player, notice.kind))
                self._recorder.record(events.Warned(at=now(), text=notice.text))

    def _close(self, table: int, why: str) -> None:
        """Close a table of this machine; raises MachineError if it was the last one."""
        self._open -= 1
        if not self._open:
            raise MachineError(why)
        self._recorder.record(events.Warned(at=now(), text=f"no more games at table {table}: {why}"))
