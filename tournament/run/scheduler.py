"""The next games: the rest of the plan, and new games as the pairing method plans its steps."""

from __future__ import annotations

import asyncio
import copy
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from msgspec import Struct

from support.text import counted
from tournament.game import GameRecord, PlannedGame, now, reason
from tournament.pairing import Planner, Step, planner
from tournament.pairing.plan import Decision, History, Played, plan
from tournament.run.absentees import LOOK_AGAIN_S, Absentees
from tournament.run.continuation import reopened
from tournament.run.events import Away, Back, Benched, Joined, Planned, Remarked, Waiting, Warned, decided
from tournament.run.journal import Journal
from tournament.run.openings import OpeningList
from tournament.run.recorder import Recorder
from tournament.run.store import Store
from tournament.schedule.pairs import Pair
from tournament.schedule.schedule import COMPLETE, FIXED, Schedule
from tournament.schedule.told_time import unknown_times


class Draft(Struct, frozen=True):
    """The plan of a run before any player is started: the games so far, and the next step, if it is known."""

    history: History
    left: list[PlannedGame]
    """Earlier planned games without a result."""
    step: Step | None
    """The next step; None while it depends on the games that are left."""
    games: list[PlannedGame]
    """The games of the step."""
    openings: OpeningList
    planner: Planner
    found: Decision | None = None
    """The decision by the games of the run, if it is not written yet."""
    given_up: int = 0
    """Games that are not played because of it."""
    reopened: str = ""
    """The reason that a decided run is open again."""

    @property
    def warnings(self) -> list[str]:
        """The warnings about the plan."""
        repeated = self.openings.warnings if self.games or self.left else []
        untimed = unknown_times(self.planner.schedule) if self.games or self.left else []
        again = [f"the run was decided and is open again: {self.reopened}"] if self.reopened else []
        return [
            *again,
            *untimed,
            *repeated,
            *_too_few(self.openings, self.games),
            *_separate_groups(self.planner.schedule, self.meetings),
        ]

    @property
    def targets(self) -> Mapping[Pair, int]:
        """The pairs of this step, or of the games that are left, and their meetings in all."""
        if self.games and self.step is not None:
            return self.step.pairs
        known = {pair: self.history.targets[key] for key, pair in self.history.pairs.items()}
        if self.planner.overlaps:
            return known
        left = {frozenset((game.first, game.second)) for game in self.left}
        return {pair: number for pair, number in known.items() if frozenset(pair) in left}

    @property
    def over(self) -> str:
        """The reason that no games are left; empty if there are some."""
        return self.step.note if self.step is not None and not (self.games or self.left) else ""

    @property
    def meetings(self) -> Counter[frozenset[str]]:
        """The meetings of every pair, two games each, once the whole plan is played."""
        planned = self.history.meetings.copy()
        for game in self.games:
            pair = frozenset((game.first, game.second))
            planned[pair] = max(planned[pair], game.turn + 1)
        return planned

    def write(self, journal: Journal) -> None:
        """Write the step, or the end of the tournament if it is not written yet."""
        if self.reopened:
            journal.reopen()
        if self.found is not None:
            journal.decide(self.found)
        elif self.games:
            _write(journal, self.step or Step(), self.openings, self.games, self.history)
        elif self.step is not None and self.step.note != journal.over:
            journal.record_end(self.step.note)


def draft(schedule: Schedule, openings: OpeningList, store: Store | None) -> Draft:
    """Plan the first step of a schedule, or the next one of the run in `store`.

    Raises:
        UsageError: no plan fits the schedule.

    """
    method = planner(schedule)
    if store is None:
        return _draft(History(), [], "", openings, method)
    again = reopened(store, schedule)
    history, left = store.history(reopened=bool(again)), store.unplayed(reopened=bool(again))
    if history.decision is not None:
        return Draft(history, [], Step(note=history.decision.why), [], openings, method)
    if found := method.decide(history):
        history.decision = found
        over = Step(note=found.why)
        return Draft(history, [], over, [], openings, method, found, given_up=len(left), reopened=again)
    return _draft(history, left, again, openings, method)


def _draft(history: History, left: list[PlannedGame], again: str, openings: OpeningList, method: Planner) -> Draft:
    """Plan a step, unless it depends on the games that are `left`."""
    step = method.next_step(history) if method.overlaps or not left else None
    if left and (step is None or method.open_end or not step.meetings):
        return Draft(history, left, None, [], openings, method, reopened=again)
    assert step is not None
    games = _games_of(step, history, method.schedule, openings)
    return Draft(history, left, step, games, openings, method, reopened=again)


def _games_of(step: Step, history: History, schedule: Schedule, openings: OpeningList) -> list[PlannedGame]:
    return list(plan(step.meetings, openings, schedule.tournament.seed, history, history.steps + 1))


def _too_few(openings: OpeningList, games: Iterable[PlannedGame]) -> list[str]:
    needed = max((game.turn + 1 for game in games), default=0)
    if not openings.short_of(needed):
        return []
    found = len(openings.found)
    return [f"openings: only {found} distinct, {needed} needed for each pair: they are used again in order"]


def _separate_groups(schedule: Schedule, meetings: Iterable[frozenset[str]]) -> list[str]:
    """Return a warning if only `prior_games` connect some groups of players."""
    if not schedule.pairing.prior_games:
        return []
    from tournament.graph.spectrum import components

    place = schedule.places
    groups = components(len(place), [(place[a], place[b]) for a, b in meetings])
    if groups == 1:
        return []
    return [
        f"pairing.prior_games: the games planned now leave the players in {groups} groups; "
        "`tournament rank` rates several runs and files together"
    ]


def _write(journal: Journal, step: Step, openings: OpeningList, games: Iterable[PlannedGame], history: History) -> None:
    journal.record_step(now(), step.note, step.pairs, openings.found, games, history.undecided)


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
        self._changed = asyncio.Condition()
        self._absentees = absentees
        self._attendance = absentees.attendance
        self._away: dict[str, str] = {}
        """The players that are reported as away, and the times of the reports."""
        self._awaited: set[str] = set()
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
        self._warned = bool(_too_few(drafted.openings, drafted.games))
        self._enqueue_step(drafted.step, drafted.games)
        self._failures: Counter[str] = Counter()
        """Consecutive failures of each player."""
        for place, game in enumerate(self._history.finished):
            self._count(game, place)

    @property
    def planned(self) -> int:
        """The number of the last game of the plan so far."""
        return self._history.planned

    def stop(self) -> int:
        """Give out no more games, and return the number of running ones."""
        self._stopping = True
        self._waking = asyncio.ensure_future(self._wake())  # the reference keeps it from being collected
        return len(self._playing)

    async def _wake(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def take(self) -> PlannedGame | None:
        """Return a game to play; None when the tournament is over or stopped. `done` or `put_back` must follow."""
        async with self._changed:
            while self._stopping or (game := self._next()) is None:
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
                if (self._playing or self._queue) and not self._may_plan_ahead:
                    self._report_waiting()
                    await self._changed.wait()
                else:
                    await self._plan()
            self._queue.remove(game)
            self._playing[game.id] = game
            self._awaited.clear()
            return game

    @property
    def _may_plan_ahead(self) -> bool:
        """Whether more games can be planned while others run, or wait for players that are away."""
        is_waiting = bool(self._queue) and self._schedule.pairing.method not in FIXED
        return self._planner.overlaps and not self._planned_all and not is_waiting

    def _next(self) -> PlannedGame | None:
        """Return the first game in the queue whose players are here; None if there is none."""
        return next((game for game in self._queue if not self._attendance.lacks(game)), None)

    def _report_waiting(self) -> None:
        """Report the players that all games wait for, if nobody plays and they have changed."""
        awaited = {name for game in self._queue for name in (game.first, game.second) if self._attendance.is_away(name)}
        if not self._playing and awaited != self._awaited:
            seconds, games = round(self._attendance.left_s), len(self._queue)
            event = Waiting(at=now(), players=tuple(sorted(awaited)), games=games, seconds=seconds)
            self._recorder.record(event)
            self._awaited = awaited

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
                self._changed.notify_all()
            await self._attendance.change()

    async def _report_attendance(self) -> None:
        """Report the players that left or are back, and note those that are away."""
        left, back = self._attendance.reports()
        if not (left or back):
            return
        self._away = {name: since for name, since in self._away.items() if name not in back}
        self._away |= dict.fromkeys(left, now())
        await self._recorder.write(partial(self._journal.record_away, self._away))
        for name in (*left, *back):
            if games := self._games_of(name):
                self._recorder.record((Away if name in left else Back)(at=now(), player=name, games=games))

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
        self._changed.notify_all()
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
            if self._history.decision is None and self._history.benched.isdisjoint(players):
                (self._queue.appendleft if self.missing.isdisjoint(players) else self._waiting.append)(game)
            else:
                self.scheduled -= 1
                self._history.give_up([game])
                await self._decide()
            self._changed.notify_all()

    async def done(self, record: GameRecord, step: int, turn: int) -> None:
        """Count a finished game; it may decide the run, or bench a player."""
        async with self._changed:
            del self._playing[record.id]
            self._looked = False
            failed = self._schedule.counts_failure(record.termination, record.loser)
            game = Played(record.first, record.second, record.result, step, turn, failed)
            self._history.finish(game)
            self._count(game, len(self._history.finished) - 1)
            await self._bench_if_hopeless(record)
            await self._decide()
            self._changed.notify_all()

    async def _plan(self) -> None:
        """Plan the next step, have it written, and queue its games."""
        if self._waiting and self._schedule.pairing.method in COMPLETE:
            self.over = f"waiting for {', '.join(sorted(self.missing))}"
            return
        # In threads: large graphs and balanced openings are slow, and games may be running.
        step = await asyncio.to_thread(self._planner.next_step, self._present_history())
        if not step.meetings and (self._playing or self._queue):
            self._planned_all = True
            return
        games = await asyncio.to_thread(_games_of, step, self._history, self._schedule, self._openings)
        if games:
            await self._recorder.write(partial(_write, self._journal, step, self._openings, games, self._history))
            self.scheduled += len(games)
        else:
            await self._recorder.write(partial(self._journal.record_end, step.note))
        self._enqueue_step(step, games)
        if not self._warned:
            for text in _too_few(self._openings, games):
                self._warned = True
                self._recorder.record(Warned(at=now(), text=text))
        if games:
            number, total = self._history.steps, self.scheduled
            self._recorder.record(Planned(at=now(), step=number, note=step.note, games=len(games), scheduled=total))

    def _present_history(self) -> History:
        """Return the history for planning; missing players count as benched unless the method is fixed."""
        absent = self.missing | self._attendance.overdue
        if not absent or self._schedule.pairing.method in (*FIXED, *COMPLETE):
            return self._history
        seen = copy.copy(self._history)
        seen.benched = self._history.benched | absent
        return seen

    def _enqueue_step(self, step: Step | None, games: Sequence[PlannedGame]) -> None:
        if step is not None:
            self._history.choose(step.pairs)
            self._history.plan(games)
            self._enqueue(games)
            self._looked = False
            self.over = "" if games else step.note

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
        why = f"{counted(self._failures[name], 'failure')} in a row, the last: {reason(record)}"
        self._history.benched.add(name)
        waiting = (game for game in (*self._queue, *self._waiting) if name in (game.first, game.second))
        given_up = self._give_up(waiting)
        self._planned_all = False
        await self._recorder.write(partial(self._journal.bench, name, why))
        self._recorder.record(Benched(at=now(), player=name, why=why, given_up=given_up, scheduled=self.scheduled))

    async def _decide(self) -> None:
        """Give up the games that have not begun once the finished ones decide the run."""
        if self._history.decision is not None or not self._planner.open_end:
            return
        found = await asyncio.to_thread(self._planner.decide, self._history)
        remark = self._planner.remark(self._history)
        if remark not in ("", self._remark):
            self._recorder.record(Remarked(at=now(), text=remark))
            self._remark = remark
        if found is None:
            return
        self._history.decision, self.over = found, found.why
        given_up = self._give_up([*self._queue, *self._waiting])
        self.missing.clear()
        await self._recorder.write(partial(self._journal.decide, found))
        self._recorder.record(decided(found, given_up, self.scheduled))

    def _give_up(self, games: Iterable[PlannedGame]) -> int:
        """Remove games that have not begun, and return their number."""
        lost = list(games)
        self._history.give_up(lost)
        ids = {game.id for game in lost}
        self._queue = deque(game for game in self._queue if game.id not in ids)
        self._waiting = [game for game in self._waiting if game.id not in ids]
        self.scheduled -= len(lost)
        return len(lost)
