"""The next games: the rest of the plan, and new games as the pairing method plans its steps."""

from __future__ import annotations

import asyncio
import copy
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from fiedler.support.errors import UsageError
from fiedler.support.text import counted
from fiedler.tournament.dispute import Dispute
from fiedler.tournament.game import GameRecord, PlannedGame, now, reason
from fiedler.tournament.pairing import Step, Wait, planner
from fiedler.tournament.pairing.disputes import end_by_disputes, kept_apart, parted, stop_text, stopped_pairs
from fiedler.tournament.pairing.plan import History, Played
from fiedler.tournament.run.absentees import LOOK_AGAIN_S, Absentees
from fiedler.tournament.run.continuation import refuse_settled
from fiedler.tournament.run.draft import Draft, games_of, too_few, write_step
from fiedler.tournament.run.events import (
    Added,
    Annulled,
    Away,
    Back,
    Benched,
    Disputed,
    Joined,
    Planned,
    Readmitted,
    Remarked,
    Waiting,
    Warned,
    Withdrawn,
    annulment,
    decided,
)
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.lease import Lease
from fiedler.tournament.run.recorder import Recorder
from fiedler.tournament.run.table import Table
from fiedler.tournament.schedule.schedule import Schedule


class Scheduler:
    """Gives out the games, has the next step planned when they run out, and benches players that only fail."""

    def __init__(
        self, schedule: Schedule, drafted: Draft, journal: Journal, recorder: Recorder, absentees: Absentees
    ) -> None:
        """Begin with the draft, which is in the journal already, and without the `absentees`."""
        self.scheduled = journal.scheduled
        self.over = ""
        """The reason of the end of the plan; empty before."""
        self.stopped = False
        """Whether a stop left games unplayed."""
        self._stopping = False
        self._schedule = schedule
        self._openings = drafted.openings
        self._history = drafted.history
        self._planner = drafted.planner
        self._journal = journal
        self._recorder = recorder
        self._playing: dict[str, PlannedGame] = {}
        """The running games, by id."""
        self._planned_all = False
        """Nothing can be planned until a running game has ended."""
        self._waits = False
        """The method plans nothing until something changes."""
        self._changed = asyncio.Condition()
        self._absentees = absentees
        self._attendance = absentees.attendance
        self._away: dict[str, str] = {}
        """The players that are reported as away, and the times of the reports."""
        self._named_away: set[str] = set()
        """Those of them that were reported with their games."""
        self._awaited: tuple[str, ...] = ()
        """The players that were named as those that all games wait for."""
        self.missing = set(absentees.why)
        """Players that have not started yet."""
        self._looked = False
        """A look for them failed since a game ended or was planned."""
        self._waiting: list[PlannedGame] = []
        """Games of missing players."""
        self._queue: deque[PlannedGame] = deque()
        self._enqueue(drafted.left)
        self._remark = ""
        self._warned = bool(too_few(drafted.openings, drafted.games))
        if isinstance(drafted.step, Step):
            self._enqueue_step(drafted.step, drafted.games)
        elif drafted.step is not None:
            self.over = drafted.step.why
        self._failures: Counter[str] = Counter()
        """Consecutive failures of each player."""
        self._count_failures()
        self.annulled = 0
        """The number of games that were annulled since the start of the manager."""

    @property
    def planned(self) -> int:
        """The number of the last game of the plan so far."""
        return self._history.planned

    def stop(self) -> int:
        """Give out no more games, and return the number of running ones."""
        self._stopping = True
        self.wake()
        return len(self._playing)

    def wake(self) -> None:
        """Let the tables look for a game again soon."""
        self._waking = asyncio.ensure_future(self._wake())  # the reference keeps it from being collected

    async def _wake(self) -> None:
        async with self._changed:
            self._notify()

    def _notify(self) -> None:
        """Let the tables look for a game again, after a change."""
        self._waits = False
        self._changed.notify_all()

    async def take(self, table: Table | None = None) -> PlannedGame | None:
        """Return a game that can be played at this table, or at any. `done` or `put_back` must follow.

        None: the tournament is over or stopped, or the table has closed.
        """
        async with self._changed:
            while self._stopping or (game := self._next(table)) is None:
                if table is not None and not table.is_open:
                    return None
                if not self._stopping and await self._has_joined():
                    continue
                if self.over and not self._queue:
                    if not self._playing:
                        return None
                    await self._changed.wait()  # a game under way may become void, and its own table be closed
                    continue
                if self._stopping and (self._queue or not self._planned_all):
                    self.stopped = True
                    return None
                if self._waits or ((self._playing or self._queue) and not self._may_plan_ahead):
                    self._report_waiting()
                    await self._changed.wait()
                else:
                    await self._plan()
            self._queue.remove(game)
            self._playing[game.id] = game
            self._awaited = ()
            return game

    @property
    def _may_plan_ahead(self) -> bool:
        """Whether more games can be planned while others run, or wait for players that are away."""
        is_waiting = bool(self._queue) and not self._schedule.pairing.kind.fixed
        return self._planner.overlaps and not self._planned_all and not is_waiting

    def _next(self, table: Table | None = None) -> PlannedGame | None:
        """Return the first game in the queue whose players are here, and for this table; None if there is none."""
        if table is not None and not (table.is_open and table.is_needed):
            return None
        here = (game for game in self._queue if not self._attendance.lacks(game))
        return next((game for game in here if table is None or table.may_play(game)), None)

    def waits_for(self, ended: Collection[str] = ()) -> tuple[str, ...]:
        """Return the players that are away, if all games wait for them, and none but those of `ended` is played.

        `ended` are the ids of games whose ends are being written.
        """
        if self._playing.keys() - {*ended} or self._next() is not None:
            return ()
        names = {name for game in self._queue for name in game.among(self._attendance.away)}
        return tuple(sorted(names))

    def _report_waiting(self) -> None:
        """Report the players that all games wait for, if nobody plays and they have changed."""
        awaited = self.waits_for()
        if awaited and awaited != self._awaited and self._attendance.has_reported(awaited):
            for name in awaited:
                self._name_away(name)
            seconds, games = round(self._attendance.left_s), len(self._queue)
            event = Waiting(at=now(), players=awaited, games=games, seconds=seconds)
            self._recorder.record(event)
            self._awaited = awaited

    async def bench(self, name: str, why: str) -> int:
        """Bench a player by hand; return the number of games that are given up.

        Raises:
            UsageError: the run is decided, or the player is benched.

        """
        async with self._changed:
            self._refuse_if_decided()
            if name in self._history.benched:
                raise UsageError(f"{name!r} is benched already")
            given_up = await self._bench(name, why)
            await self._decide()
            self._notify()
            return given_up

    async def readmit(self, name: str) -> int:
        """Let a benched player play again; return the number of its games that are back in the plan.

        Raises:
            UsageError: the run is decided, or the player is not benched.

        """
        async with self._changed:
            self._refuse_if_decided()
            if name not in self._history.benched:
                known = ", ".join(map(repr, sorted(self._history.benched))) or "nobody"
                raise UsageError(f"{name!r} is not benched in this run (benched: {known})")
            before = self.scheduled
            await self._resume_after(partial(self._journal.readmit, name))
            games = self.scheduled - before
            self._recorder.record(Readmitted(at=now(), player=name, games=games, scheduled=self.scheduled))
            return games

    async def annul(self, game: PlannedGame, end: GameRecord | Dispute, why: str) -> Annulled | Withdrawn:
        """Let a finished or disputed game count no more, and have it played again, if its players may play.

        Raises:
            UsageError: the run is decided, or its later games rest on this one.

        """
        async with self._changed:
            self._refuse_if_decided()
            refuse_settled(self._schedule.pairing.kind, self._history, game)
            if game.id in self._playing:
                raise UsageError(f"game {game.number} has only just ended: try again")
            before = self.scheduled
            await self._resume_after(partial(self._journal.take_back, end, now(), why))
            self.annulled += isinstance(end, GameRecord)
            counts = {"before": before, "scheduled": self.scheduled}
            event = annulment(self._schedule, self._history, game, end, why, **counts)
            self._recorder.record(event)
            return event

    async def extend(self, schedule: Schedule, write: Callable[[], None]) -> None:
        """Plan with more players from now on; `write` stores them."""
        async with self._changed:
            self._refuse_if_decided()
            added = schedule.names[len(self._schedule.names) :]
            self._schedule = schedule
            await self._resume_after(write)
            self._recorder.record(Added(at=now(), players=added, scheduled=self.scheduled))

    def _refuse_if_decided(self) -> None:
        if (found := self._history.decision) is not None:
            raise UsageError(f"the run is decided: {found.why}")

    async def _resume_after(self, write: Callable[[], None]) -> None:
        """Write a change of the run, then read it again as a manager that resumes it."""
        read: list[tuple[History, list[PlannedGame], int]] = []

        def change() -> None:
            write()
            history = self._journal.history(playing=self._playing)
            read.append((history, self._journal.unplayed(), self._journal.scheduled_with(self._playing)))

        await self._recorder.write(change)
        ((self._history, left, self.scheduled),) = read
        self._planner = planner(self._schedule)
        self._queue.clear()
        self._waiting.clear()
        self._enqueue(game for game in left if game.id not in self._playing)
        self._count_failures()
        self._planned_all, self._looked, self.over = False, False, ""
        await self._decide()
        self._notify()

    async def look_for_absentees(self) -> None:
        """Look for the missing players from time to time, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_AGAIN_S)
            if self.missing:
                await self._look()

    async def attend(self) -> None:
        """Follow the players that dial in, until cancelled: their games wait while they are away."""
        while True:
            if self._absentees.arrived:
                await self._look()
            async with self._changed:
                await self._report_attendance()
                await self._set_aside([name for name in sorted(self._attendance.overdue) if self._games_of(name)])
                self._notify()
            await self._attendance.change()

    async def _report_attendance(self) -> None:
        """Report the players that left or are back, and note those that are away."""
        left, back = self._attendance.reports()
        if not (left or back):
            return
        self._away = {name: since for name, since in self._away.items() if name not in back}
        self._away |= dict.fromkeys(left, now())
        await self._recorder.write(partial(self._journal.record_away, self._away))
        self._named_away -= {*left, *back}
        for name in left:
            self._name_away(name)
        for name in back:
            if games := self._games_of(name):
                self._recorder.record(Back(at=now(), player=name, games=games))

    def _name_away(self, name: str) -> None:
        """Report once that a player is away, as soon as games wait for it."""
        games = self._games_of(name)
        if games and name not in self._named_away:
            self._named_away.add(name)
            self._recorder.record(Away(at=now(), player=name, games=games))

    def _games_of(self, name: str) -> int:
        """Return the number of games of a player in the queue."""
        return sum(name in (game.first, game.second) for game in self._queue)

    async def _set_aside(self, names: Sequence[str]) -> None:
        """Plan without players that have been away for too long; their games wait beside the queue."""
        if not names:
            return
        self._absentees.give_up(names)
        self.missing |= {*names}
        queue = list(self._queue)
        self._queue.clear()
        self._enqueue(queue)
        self._planned_all = False
        await self._recorder.write(partial(self._journal.record_absent, self._absentees.why))
        for name in names:
            text = f"{name} {self._absentees.why[name]}: its games are set aside until it is back"
            self._recorder.record(Warned(at=now(), text=text))

    async def _look(self) -> None:
        await self._absentees.look()
        async with self._changed:
            await self._admit()

    async def _has_joined(self) -> bool:
        """Look for the missing players if no other game is left, and queue the games of those that have come."""
        if self._playing or self._looked or not self.missing:
            return False
        await self._absentees.look()
        self._looked = not await self._admit()
        return not self._looked

    async def _admit(self) -> bool:
        """Queue the games of players that have come; False if there are none."""
        came = self.missing - self._absentees.why.keys()
        if not came:
            return False
        self.missing -= came
        waiting, self._waiting = self._waiting, []
        self._enqueue(waiting)
        self._planned_all, self.over = False, ""
        self._notify()
        await self._recorder.write(partial(self._journal.record_absent, self._absentees.why))
        for name in sorted(came):
            games = sum(name in (game.first, game.second) for game in waiting)
            self._recorder.record(Joined(at=now(), player=name, games=games))
        return True

    def _enqueue(self, games: Iterable[PlannedGame]) -> None:
        for game in games:
            (self._queue if self.missing.isdisjoint((game.first, game.second)) else self._waiting).append(game)

    async def put_back(self, game: PlannedGame) -> None:
        """Queue a void game again, as the next one."""
        async with self._changed:
            del self._playing[game.id]
            players = {game.first, game.second}
            if self._may_be_played(game):
                (self._queue.appendleft if self.missing.isdisjoint(players) else self._waiting.append)(game)
            else:
                self.scheduled -= 1
                self._history.give_up([game])
                await self._decide()
            self._notify()

    def _may_be_played(self, game: PlannedGame) -> bool:
        """Return whether a game that has begun and is void can begin again."""
        history = self._history
        return history.decision is None and not (game.among(history.benched) or self._kept_apart(game))

    def _kept_apart(self, game: PlannedGame) -> str:
        """Return the reason that disputes end this game; empty if they do not."""
        return kept_apart(self._schedule, self._history.disputes, {game.first, game.second})

    async def dispute(self, lease: Lease, dispute: Dispute) -> None:
        """Give up a game on which its players do not agree, and those that it ends; have it written."""
        async with self._changed:
            del self._playing[lease.game.id]
            history, before = self._history, stopped_pairs(self._history.disputes)
            history.disputes.append(dispute)
            over, stopped = end_by_disputes(self._schedule, history.disputes), stopped_pairs(history.disputes)
            _, others = parted(self._schedule, history.disputes, (*self._queue, *self._waiting))
            given_up = self._give_up([lease.game, *others])
            self._looked, self._planned_all = False, False
            self.over = over or self.over
            stops = stop_text(dispute.pair) if stopped != before else ""
            counts = {"given_up": given_up, "scheduled": self.scheduled}
            event = Disputed(at=now(), dispute=dispute, attempt=lease.attempt, stops=stops, over=over, **counts)
            await self._recorder.written(self._recorder.record(event, lease))
            await self._decide()
            self._notify()

    def hinges_on(self, record: GameRecord) -> bool:
        """Return whether this result may bench a player or decide the run, so that further games wait for it."""
        return self._planner.open_end or self._schedule.counts_failure(record.termination, record.loser)

    async def done(self, record: GameRecord, step: int, turn: int) -> None:
        """Count a finished game; it may decide the run, or bench a player."""
        async with self._changed:
            del self._playing[record.id]
            self._looked = False
            failed = self._schedule.counts_failure(record.termination, record.loser)
            game = Played(record.first, record.second, record.result, step, turn, failed)
            if not self._history.has(game):  # else it was read again, after a change by hand
                self._history.finish(game)
                self._count(game, len(self._history.finished) - 1)
            await self._bench_if_hopeless(record)
            await self._decide()
            self._notify()

    async def _plan(self) -> None:
        """Plan the next step, have it written, and queue its games."""
        if self._waiting and self._schedule.pairing.kind.complete:
            self.over = f"waiting for {', '.join(sorted(self.missing))}"
            return
        # In threads: large graphs and balanced openings are slow, and games may be running.
        step = await asyncio.to_thread(self._planner.next_step, self._present_history())
        if isinstance(step, Step):
            await self._plan_games(step)
        elif isinstance(step, Wait):
            self._waits = True
            self._remark_once(f"waiting: {step.why}")
        elif self._playing or self._queue:
            self._planned_all = True
        else:
            await self._recorder.write(partial(self._journal.record_end, step.why, self._history.standing))
            self._looked, self.over = False, step.why

    async def _plan_games(self, step: Step) -> None:
        games = await asyncio.to_thread(games_of, step, self._history, self._schedule, self._openings)
        await self._recorder.write(partial(write_step, self._journal, step, self._openings, games, self._history))
        own = self._enqueue_step(step, games)
        self.scheduled += own
        if not self._warned:
            for text in too_few(self._openings, games):
                self._warned = True
                self._recorder.record(Warned(at=now(), text=text))
        number, total = self._history.steps, self.scheduled
        self._recorder.record(Planned(at=now(), step=number, note=step.note, games=own, scheduled=total))

    def _present_history(self) -> History:
        """Return the history for planning; missing players count as benched unless the method is fixed."""
        absent, method = self.missing | self._attendance.overdue, self._schedule.pairing.kind
        if not absent or method.fixed or method.complete:
            return self._history
        seen = copy.copy(self._history)
        seen.benched, seen.away = self._history.benched | absent, absent - self._history.benched
        return seen

    def _enqueue_step(self, step: Step, games: Sequence[PlannedGame]) -> int:
        """Queue the games of a step that this run plays, and return their number."""
        self._history.choose(step.pairs)
        self._history.plan(games)
        own = [game for game in games if self._schedule.plays(game.number)]
        self._history.leave([game for game in games if not self._schedule.plays(game.number)])
        own, apart = parted(self._schedule, self._history.disputes, own)
        self._history.give_up(apart)
        self._enqueue(own)
        self._looked, self.over = False, ""
        return len(own)

    def _count_failures(self) -> None:
        """Count the consecutive failures of each player."""
        self._failures.clear()
        for place, game in enumerate(self._history.finished):
            self._count(game, place)

    def _count(self, game: Played, place: int) -> None:
        """Count the failure in the finished game number `place`, from 0, if there was one.

        A game that the opponent failed in does not interrupt a row of failures: two dead players would save each other.
        """
        for name in (game.first, game.second):
            if place < self._history.forgiven.get(name, 0):
                continue
            if not game.failed:
                self._failures[name] = 0
            elif name == game.loser:
                self._failures[name] += 1

    async def _bench_if_hopeless(self, record: GameRecord) -> None:
        most, name = self._schedule.tournament.bench_after, record.loser
        if not most or name is None or self._failures[name] < most or name in self._history.benched:
            return
        if self._history.decision is not None:  # no player gets more games
            return
        await self._bench(name, f"{counted(self._failures[name], 'failure')} in a row, the last: {reason(record)}")

    async def _bench(self, name: str, why: str) -> int:
        """Give up the games of a player that have not begun; return their number."""
        self._history.benched.add(name)
        waiting = (game for game in (*self._queue, *self._waiting) if name in (game.first, game.second))
        given_up = self._give_up(waiting)
        self._planned_all = False
        await self._recorder.write(partial(self._journal.bench, name, why))
        self._recorder.record(Benched(at=now(), player=name, why=why, given_up=given_up, scheduled=self.scheduled))
        return given_up

    async def _decide(self) -> None:
        """Give up the games that have not begun once the finished ones decide the run."""
        if self._history.decision is not None or not self._planner.open_end:
            return
        found = await asyncio.to_thread(self._planner.decide, self._history)
        self._remark_once(self._planner.remark(self._history))
        if found is None:
            return
        self._history.decision, self.over = found, found.why
        given_up = self._give_up([*self._queue, *self._waiting])
        self.missing.clear()
        await self._recorder.write(partial(self._journal.decide, found))
        self._recorder.record(decided(found, given_up, self.scheduled))

    def _remark_once(self, remark: str) -> None:
        if remark not in ("", self._remark):
            history = self._history
            event = Remarked(at=now(), text=remark, games=len(history.finished), standing=history.standing)
            self._recorder.record(event)
            self._remark = remark

    def _give_up(self, games: Iterable[PlannedGame]) -> int:
        """Remove games that have not begun, and return their number."""
        lost = list(games)
        self._history.give_up(lost)
        ids = {game.id for game in lost}
        self._queue = deque(game for game in self._queue if game.id not in ids)
        self._waiting = [game for game in self._waiting if game.id not in ids]
        self.scheduled -= len(lost)
        return len(lost)
