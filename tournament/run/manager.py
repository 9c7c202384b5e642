"""A run from its schedule to its folder: makes or resumes the plan, probes the players, plays the games."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import uvloop

from fiedler.support.errors import UsageError, WorkError, first_of, nearest, system_reason
from fiedler.support.reaper import Reaper
from fiedler.support.text import counted
from fiedler.tournament.game import now
from fiedler.tournament.play.admission import Listening, PlayerAdmission
from fiedler.tournament.play.probe import unusable
from fiedler.tournament.play.remote import secrets
from fiedler.tournament.play.traffic_log import TrafficLog
from fiedler.tournament.run import affinity, control, live
from fiedler.tournament.run.absentees import Absentees
from fiedler.tournament.run.affinity import Cores
from fiedler.tournament.run.attendance import Attendance
from fiedler.tournament.run.draft import Draft, draft_readmitting, needed_players, plan_rms, resumed, to_resume
from fiedler.tournament.run.event_log import EventLog
from fiedler.tournament.run.events import (
    Awaiting,
    Began,
    Ended,
    Event,
    Feed,
    Judged,
    Predicted,
    Probing,
    Receiving,
    Subscriber,
    Warned,
    decided,
)
from fiedler.tournament.run.interruption import Interruption, interruptible
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.known_options import refuse_unknown
from fiedler.tournament.run.live import Boards
from fiedler.tournament.run.openings import OpeningList
from fiedler.tournament.run.process_venue import ProcessVenues
from fiedler.tournament.run.rater import Rater
from fiedler.tournament.run.recorder import Recorder
from fiedler.tournament.run.run_folder import RunFolder
from fiedler.tournament.run.runner import Runner
from fiedler.tournament.run.scheduler import Scheduler
from fiedler.tournament.run.start_record import explained, record_absent, write_plan
from fiedler.tournament.run.status import missed
from fiedler.tournament.run.steering import Steering
from fiedler.tournament.run.venue import LocalVenue, Venue
from fiedler.tournament.schedule.schedule import Schedule
from fiedler.tournament.schedule.validation import load


class InterruptedRunError(Exception):
    """A signal stopped the run; finished games are stored."""


def run(
    path: Path,
    *,
    results: Path = Path("results"),
    fresh: bool = False,
    concurrency: int | None = None,
    processes: int = 1,
    subscribers: Sequence[Subscriber] = (),
    bench: Sequence[str] = (),
    readmit: Sequence[str] = (),
    finish: bool = False,
    log: Path | None = None,
    listening: Listening | None = None,
    read: Callable[[Path], Schedule] = load,
    abroad: Connect | None = None,
) -> Path:
    """Play a schedule, or the rest of it, and return the folder of the run.

    With several `processes` that many children of this one play the games. `bench` and `readmit` are names of players.
    With `finish` the first signal lets running games end, and only the second one makes them void. All protocol traffic
    is appended to `log`. Players that dial in are admitted by the options in `listening`. `read` loads the
    schedule. `abroad` connects to other machines, which may take minutes: the run is locked before.

    Raises:
        UsageError: schedule, players or folder cannot be used; nothing was played.
        WorkError: the machine failed; finished games are stored.
        InterruptedRunError: SIGINT, SIGTERM or SIGHUP came; finished games are stored.

    """
    schedule = resumed(read(path), results, fresh=fresh)
    refuse_unknown(schedule)
    at_once = games_at_once(schedule, concurrency, processes)
    _check_reach(schedule, listening, processes)
    with RunFolder(results / schedule.tournament.name) as place:
        feed = Feed(subscribers)
        _bench(place.journal, bench, readmit, fresh=fresh)
        with contextlib.ExitStack() as stack:
            traffic_log = None if log is None else stack.enter_context(TrafficLog(log))
            make = None if abroad is None else abroad(stack, place.folder)
            options = _Options(path, at_once, processes, readmit, fresh, finish, traffic_log, listening, make)
            runner = stack.enter_context(asyncio.Runner(loop_factory=uvloop.new_event_loop))
            runner.run(_conduct(schedule, options, place, feed))
    return place.folder


class MakeVenue(Protocol):
    """Makes the venue of games on other machines, `home` beside them; `warn` reports what goes wrong there."""

    def __call__(
        self,
        schedule: Schedule,
        home: LocalVenue,
        boards: Boards,
        warn: Callable[[str], None],
        folder: Path,
        *,
        fresh: bool,
    ) -> Venue:
        """Return the venue of a run in `folder`; with `fresh` it begins anew.

        Raises:
            UsageError: the schedule does not fit it.

        """


Connect = Callable[[contextlib.ExitStack, Path], MakeVenue]
"""Connects to other machines for the run in a folder, until the end of the stack; raises UsageError or WorkError."""


@dataclass(frozen=True)
class _Options:
    """The options of a manager, beside the schedule."""

    path: Path
    concurrency: int
    processes: int
    readmit: Sequence[str]
    fresh: bool
    finish: bool
    traffic_log: TrafficLog | None
    listening: Listening | None
    abroad: MakeVenue | None


async def _conduct(schedule: Schedule, options: _Options, place: RunFolder, feed: Feed) -> None:
    shares = affinity.shares(schedule, options.concurrency)
    try:
        async with contextlib.AsyncExitStack() as stack:
            reaper = stack.enter_context(contextlib.closing(Reaper()))
            boards = Boards()
            admission = await _admission(stack, schedule, options, feed)
            attendance = _attendance(schedule, admission)
            home = LocalVenue(
                schedule, shares, reaper, affinity.starts_at_once(), options.traffic_log, boards, admission
            )
            venue = _venue(home, schedule, shares, options, reaper, boards, place, feed)
            stack.push_async_callback(venue.close)
            openings = stack.enter_context(contextlib.closing(_openings(schedule, feed)))
            interruption = stack.enter_context(interruptible())
            start = _Start(schedule, options, place, feed, venue, boards, attendance, admission)
            drafted = await start.prepare(openings)
            absentees = await start.probe(drafted)
            await start.play(drafted, absentees, interruption)
    except asyncio.CancelledError:
        raise InterruptedRunError from None
    except ExceptionGroup as group:
        if group.subgroup(WorkError) is None:
            raise
        raise first_of(group, WorkError) from None


@dataclass(frozen=True)
class _Start:
    """One start of a run: the games are planned, the players probed, then the games played."""

    schedule: Schedule
    options: _Options
    place: RunFolder
    feed: Feed
    venue: Venue
    boards: Boards
    attendance: Attendance
    admission: PlayerAdmission | None

    async def prepare(self, openings: OpeningList) -> Draft:
        """Plan the first games; nothing is written yet."""
        self.place.journal.begin_reading()
        journal = to_resume(self.place.journal, fresh=self.options.fresh)
        return await asyncio.to_thread(draft_readmitting, self.schedule, journal, openings, self.options.readmit)

    async def probe(self, drafted: Draft) -> Absentees:
        """Start the needed players, write the plan once they can play, and return those that did not start.

        A run that exists waits for nobody here: games of players that have not dialled in yet wait as during a run.
        """
        needed = needed_players(self.schedule, drafted)
        new = self.options.fresh or self.place.journal.is_new
        sought = [name for name in needed if new or not self.attendance.is_away(name)]
        self.feed.emit(Probing(at=now(), players=len(sought)))
        async with _beside(self._report_arrivals(sought)):
            failures = await self.venue.probe(sought)
        absentees = Absentees(self.venue.probe, self._missing(needed, failures, new=new), self.attendance)
        options = self.options
        source, readmit, fresh = options.path, options.readmit, options.fresh
        write_plan(self.schedule, self.place, drafted, source, readmit, fresh=fresh, plays=bool(needed))
        record_absent(self.place, absentees)
        return absentees

    async def _report_arrivals(self, needed: Iterable[str]) -> None:
        """Report the players that dial in and are here or awaited, at each change until all are here."""
        expected, before = [name for name in self.schedule.dialling if name in needed], None
        while expected and before != ():
            awaited = tuple(name for name in expected if self.attendance.is_away(name))
            if awaited != before:
                here = tuple(name for name in expected if name not in awaited)
                seconds = self.schedule.limit.startup_s
                self.feed.emit(Awaiting(at=now(), players=awaited, here=here, address=self._address, seconds=seconds))
                before = awaited
            await self.attendance.changed.wait()
            self.attendance.changed.clear()

    def _missing(self, needed: Sequence[str], why: dict[str, str], *, new: bool) -> dict[str, str]:
        """Return the needed players that cannot be used now, with the reasons, but for those that have not dialled in.

        Raises UsageError if one of them is required, or if a new run would begin with fewer than two players. In a run
        that exists nobody is required to dial in again: the games wait.
        """
        away = {name for name in why if self.attendance.is_away(name)}
        required = {player.name for player in self.schedule.players if player.required}
        awaited = away if not new else away - required
        if (why.keys() - awaited) & required or (new and len(needed) - len(why) < 2):
            raise unusable(self.schedule, {name: f"{text}{self._advice(name)}" for name, text in why.items()})
        return {name: text for name, text in why.items() if name not in awaited}

    def _advice(self, name: str) -> str:
        """Return the advice for a player that has not dialled in; empty for another one."""
        if not self.attendance.is_away(name):
            return ""
        required = next(player.required for player in self.schedule.players if player.name == name)
        optional = required and not self.schedule.pairing.kind.complete
        later = "; a player with required = false may come later, and its games wait" if optional else ""
        return f" at {self._address}{later}"

    @property
    def _address(self) -> str:
        """The address at which players dial in."""
        return "" if self.options.listening is None else str(self.options.listening.address)

    async def play(self, drafted: Draft, absentees: Absentees, interruption: Interruption) -> None:
        """Play the planned games, and those planned meanwhile.

        Raises:
            InterruptedRunError: a stop left games unplayed.

        """
        journal = self.place.journal
        with EventLog(self.place.folder) as log:
            log.complete(journal)
            self.feed.subscribe(log)
            rater = Rater(self.schedule, self.feed, journal.games())
            self.feed.subscribe(rater)
            recorder = Recorder(journal, self.feed)
            scheduler = Scheduler(self.schedule, drafted, journal, recorder, absentees)
            runner = Runner(scheduler, journal, recorder, self.venue)
            if self.options.finish:
                interruption.first = partial(_stop, scheduler, self.feed)
            await self._begin(drafted, absentees)
            steering = Steering(self.schedule, scheduler, journal, self.venue, self.attendance, self.admission)
            folder = self.place.folder
            watched = _with_socket(live.serve(folder, self.boards), folder / live.FILE, "live view", self.feed)
            steered = _with_socket(control.serve(folder, steering), folder / control.FILE, "remote control", self.feed)
            async with _beside(rater.run(), watched, steered):
                await _play_all(runner, scheduler, journal, self.feed, rater)
            if scheduler.stopped:
                raise InterruptedRunError

    async def _begin(self, drafted: Draft, absentees: Absentees) -> None:
        """Emit the events at the start: the run, its predicted error, its warnings."""
        rms = await asyncio.to_thread(plan_rms, self.schedule, drafted)
        self.feed.emit(_began(self.place.journal))
        if rms is not None:
            self.feed.emit(Predicted(at=now(), rms=rms))
        plays = needed_players(self.schedule, drafted)
        threads = affinity.too_many_threads(self.schedule.players, self.options.concurrency) if plays else []
        for text in (*drafted.warnings, *threads, *absentees.warnings):
            self.feed.emit(Warned(at=now(), text=text))
        if drafted.found is not None:
            self.feed.emit(decided(drafted.found, drafted.given_up, self.place.journal.scheduled))


def games_at_once(schedule: Schedule, concurrency: int | None, processes: int) -> int:
    """Return the number of games at the same time.

    Raises:
        UsageError: there are more table processes than that.

    """
    at_once = concurrency or schedule.tournament.concurrency
    if processes > at_once:
        games = counted(at_once, "game")
        raise UsageError(f"--processes: expected at most {at_once}, for {games} at the same time, got {processes}")
    for player in schedule.players:
        if player.listen is not None and at_once > 1:
            wrong = f"expected one game at the same time with it, since one player connects, got {at_once}"
            raise schedule.error(f"players {player.name!r}.listen", wrong)
    return at_once


def _check_reach(schedule: Schedule, listening: Listening | None, processes: int) -> None:
    """Refuse options that do not fit the players that dial in, and unusable files of players elsewhere."""
    names = schedule.dialling
    if names and listening is None:
        raise schedule.error(f"players {names[0]!r}.dial_in", "expected the option --listen HOST:PORT, got none")
    if listening is not None and not names:
        raise UsageError(f"--listen: expected a player with dial_in = true in {schedule.file}, got none")
    if names and processes > 1:
        raise UsageError(f"--processes: expected 1 with players that dial in, got {processes}")
    for player in schedule.players if processes > 1 else ():
        secrets(player)  # the files can be used: table processes read them again


async def _admission(
    stack: contextlib.AsyncExitStack, schedule: Schedule, options: _Options, feed: Feed
) -> PlayerAdmission | None:
    """Listen for the players that dial in, until the end of the `stack`."""
    if options.listening is None:
        return None
    names = schedule.dialling
    admission = PlayerAdmission(
        options.listening, names, options.concurrency, lambda text: feed.emit(Warned(at=now(), text=text))
    )
    stack.push_async_callback(admission.close)
    await admission.listen()
    feed.emit(Receiving(at=now(), address=str(options.listening.address), players=names))
    return admission


def _attendance(schedule: Schedule, admission: PlayerAdmission | None) -> Attendance:
    """Return the attendance of the players that dial in."""
    if admission is None:
        return Attendance()
    attendance = Attendance(schedule.dialling, admission.is_here, schedule.limit.away_s)
    admission.noticed = attendance.notice
    return attendance


def _venue(
    home: LocalVenue,
    schedule: Schedule,
    shares: Sequence[Cores | None],
    options: _Options,
    reaper: Reaper,
    boards: Boards,
    place: RunFolder,
    feed: Feed,
) -> Venue:
    """Return the venue of the games: `home`, or another one."""
    if options.abroad is not None:
        warn = partial(_warn, feed)
        return options.abroad(schedule, home, boards, warn, place.folder, fresh=options.fresh)
    if options.processes == 1:
        return home
    return ProcessVenues(schedule, shares, options.processes, reaper, options.traffic_log, boards)


def _warn(feed: Feed, text: str) -> None:
    feed.emit(Warned(at=now(), text=text))


def _openings(schedule: Schedule, feed: Feed) -> OpeningList:
    loop = asyncio.get_running_loop()
    return OpeningList(
        schedule,
        lambda judged, kept: _emit_from_thread(loop, feed, Judged(at=now(), judged=judged, kept=kept)),
    )


def _refuse_if_decided(journal: Journal, options: Mapping[str, Sequence[str]], *, fresh: bool) -> None:
    found = None if fresh or journal.is_new else journal.decision
    for option, names in options.items():
        if names and found is not None:
            raise UsageError(f"--{option}: {journal.folder} is decided: {found.why}")


def _refuse_not_benched(journal: Journal, names: Iterable[str], *, fresh: bool) -> None:
    benched = {} if fresh or journal.is_new else journal.benched
    for name in names:
        if name not in benched:
            known = ", ".join(map(repr, benched)) or "nobody"
            raise UsageError(f"--readmit: {name!r} is not benched in this run (benched: {known})")


def _bench(journal: Journal, names: Sequence[str], readmit: Sequence[str], *, fresh: bool) -> None:
    """Bench players by hand, before any is started: a run can then resume without one that does not start.

    Raises UsageError for these players, and for those in `readmit` that are not benched.
    """
    _refuse_if_decided(journal, {"bench": names, "readmit": readmit}, fresh=fresh)
    _refuse_not_benched(journal, readmit, fresh=fresh)
    begun = not fresh and not journal.is_new and journal.has_begun
    for name in names:
        if not begun:
            raise UsageError(f"--bench: no game of the run is finished yet: leave {name!r} out of the schedule instead")
        if name not in journal.players:
            raise UsageError(f"--bench: unknown player {name!r}{nearest(name, journal.players)}")
        with explained(journal.folder):
            journal.bench(name, "by hand")


def _stop(scheduler: Scheduler, feed: Feed) -> None:
    """Begin no more games, and warn about it."""
    running = counted(scheduler.stop(), "game")
    feed.emit(Warned(at=now(), text=f"stopping once {running} have ended; a second interrupt makes them void"))


def _emit_from_thread(loop: asyncio.AbstractEventLoop, feed: Feed, event: Event) -> None:
    loop.call_soon_threadsafe(feed.emit, event)


def _began(journal: Journal) -> Began:
    counts, meta = journal.counts, journal.meta
    return Began(
        at=now(),
        name=meta["name"],
        game=meta["game"],
        players=journal.players,
        benched=tuple(journal.benched),
        scheduled=counts.scheduled,
        finished=counts.finished,
        given_up=counts.given_up,
    )


@contextlib.asynccontextmanager
async def _beside(*jobs: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run jobs beside the body; its end cancels them."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(job) for job in jobs]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()


async def _with_socket(serving: Coroutine[Any, Any, None], path: Path, use: str, feed: Feed) -> None:
    """Serve at a socket, if the folder of the run takes one."""
    try:
        await serving
    except OSError as error:
        feed.emit(Warned(at=now(), text=f"{path}: cannot be opened: {system_reason(error)}; the run has no {use}"))


async def _play_all(runner: Runner, scheduler: Scheduler, journal: Journal, feed: Feed, rater: Rater) -> None:
    state = "failed"
    try:
        await runner.run()
        await rater.finish()
        state = "interrupted" if scheduler.stopped or scheduler.missing else "finished"
        for warning in missed(journal):
            feed.emit(Warned(at=now(), text=warning))
    except asyncio.CancelledError:
        state = "interrupted"
        raise
    finally:
        counts = journal.counts
        why = scheduler.over if state == "finished" else ""
        feed.emit(Ended(at=now(), state=state, why=why, finished=counts.finished, scheduled=counts.scheduled))
