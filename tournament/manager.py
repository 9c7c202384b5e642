"""A run from its schedule to its folder: makes the plan or goes on with it, probes the players, has it played."""

from __future__ import annotations

import asyncio
import importlib.metadata
import signal
import sqlite3
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

import games
from games import WorkError
from tournament.continuation import identities, refuse_changes
from tournament.endpoint import Endpoint, make_endpoint
from tournament.events import Began, Ended, EventLog, Feed, Probing, Subscriber, Warned, now
from tournament.offers import refuse_unknown_options
from tournament.openings import openings, read_openings
from tournament.pairing import choose_pairs
from tournament.plan import Pair, PlannedGame, plan
from tournament.reaper import Reaper
from tournament.runner import Runner, first_of, probe
from tournament.schedule import Schedule
from tournament.store import Journal, Store
from tournament.validation import load
from tournament.workplace import Workplace


class InterruptedRunError(Exception):
    """The run was asked to stop; what is finished is stored."""


class Draft(Struct, frozen=True):
    """What a schedule comes to: pairs, openings, all games in order, and what a person should know about them."""

    pairs: list[Pair]
    openings: list[tuple[str, ...]]
    games: list[PlannedGame]
    warnings: list[str]


def draft(schedule: Schedule, store: Store | None = None) -> Draft:
    """Plan all games of a schedule, around what a run in `store` has planned and played already.

    Raises:
        UsageError: the schedule is impossible, or contradicts the run.

    """
    needed = schedule.tournament.games_per_pair // 2
    found = _openings(schedule, needed)
    if store is not None:
        refuse_changes(store, schedule, found)
    pairs = choose_pairs(schedule, store.pairs if store is not None else ())
    known = store.planned() if store is not None else ()
    planned = plan(pairs, found, schedule.tournament.games_per_pair, schedule.tournament.seed, known)
    return Draft(pairs, found, planned, _opening_warnings(schedule, len(found), needed))


def run(
    path: Path,
    *,
    results: Path = Path("results"),
    fresh: bool = False,
    concurrency: int | None = None,
    subscribers: Sequence[Subscriber] = (),
) -> Path:
    """Play a schedule, or what is left of it, and return the folder of the run.

    Raises:
        UsageError: schedule, players or folder cannot be used; nothing was played.
        WorkError: the machine could not go on; what is finished is stored.
        InterruptedRunError: SIGINT, SIGTERM or SIGHUP came; what is finished is stored.

    """
    schedule = load(path)
    refuse_unknown_options(schedule)
    with Workplace(results / schedule.tournament.name) as place:
        feed = Feed(subscribers)
        asyncio.run(_conduct(schedule, path, place, feed, concurrency or schedule.tournament.concurrency, fresh=fresh))
    return place.folder


async def _conduct(
    schedule: Schedule, path: Path, place: Workplace, feed: Feed, concurrency: int, *, fresh: bool
) -> None:
    drafted = draft(schedule, _going_on(place.journal, fresh=fresh))
    reaper = Reaper()
    endpoints = {player.name: make_endpoint(player, schedule, reaper) for player in schedule.players}
    try:
        with _interruptible():
            needed = [endpoints[name] for name in _still_needed(drafted, place.journal, fresh=fresh)]
            feed.emit(Probing(at=now(), players=len(needed)))
            await probe(needed, schedule.tournament.game)
            if fresh:
                place.start_anew()
            if needed or schedule.rating != place.journal.schedule.rating:
                _write_plan(schedule, path, place, drafted)
            with EventLog(place.folder) as log:
                feed.subscribe(log)
                runner = Runner(schedule, place.journal, endpoints, feed, concurrency)
                await _play(runner, place.journal, feed, drafted.warnings)
    except asyncio.CancelledError:
        raise InterruptedRunError from None
    except ExceptionGroup as group:
        if group.subgroup(WorkError) is None:
            raise
        raise first_of(group, WorkError) from None
    finally:
        await _close(endpoints.values())
        reaper.close()


def _going_on(journal: Journal, *, fresh: bool) -> Store | None:
    """Return the run to go on with, if there is one; a plan of which no game was finished is given up."""
    if fresh or journal.is_new:
        return None
    if not journal.counts.finished:
        journal.forget_plan()
        return None
    return journal


def _still_needed(drafted: Draft, journal: Journal, *, fresh: bool) -> Iterable[str]:
    """Return the players that have games left."""
    done = set() if fresh or journal.is_new else {game.id for game in journal.games()}
    left = (game for game in drafted.games if game.id not in done)
    return dict.fromkeys(name for game in left for name in (game.first, game.second))


async def _play(runner: Runner, journal: Journal, feed: Feed, warnings: Iterable[str]) -> None:
    counts, meta = journal.counts, journal.meta
    who = {"name": meta["name"], "game": meta["game"], "players": journal.players}
    feed.emit(Began(at=now(), scheduled=counts.scheduled, finished=counts.finished, **who))
    for warning in warnings:
        feed.emit(Warned(at=now(), text=warning))
    state = "failed"
    try:
        await runner.run()
        state = "finished"
    except asyncio.CancelledError:
        state = "interrupted"
        raise
    finally:
        counts = journal.counts
        feed.emit(Ended(at=now(), state=state, finished=counts.finished, scheduled=counts.scheduled))


def _write_plan(schedule: Schedule, path: Path, place: Workplace, drafted: Draft) -> None:
    start = _start(schedule)
    starts = [] if place.journal.is_new else place.journal.starts
    meta = {"schedule": start["schedule"], "starts": [*starts, start]}
    if not starts:
        meta |= {"name": schedule.tournament.name, "game": schedule.tournament.game, "seed": schedule.tournament.seed}
        meta |= {"created": start["at"], "version": start["version"], "commit": start["commit"]}
    try:
        place.journal.record_plan(meta, identities(schedule), drafted.pairs, drafted.openings, drafted.games)
        place.journal.void_what_was_begun()
        place.keep_schedule(path)
    except (sqlite3.OperationalError, OSError) as error:
        raise WorkError(f"{place.folder}: the plan cannot be written: {error}") from error


def _start(schedule: Schedule) -> dict[str, Any]:
    """Return what the games that are played from now on come from."""
    return {
        "at": now(),
        "version": importlib.metadata.version("fiedler"),
        "commit": _commit(),
        "schedule": msgspec.to_builtins(schedule),
    }


def _commit() -> str | None:
    """Return the commit of the checkout that this program runs from, `-dirty` if changed; None if there is none."""
    root = Path(__file__).resolve().parent.parent
    command = ("git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
    if not (root / ".git").exists():
        return None
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None


def _openings(schedule: Schedule, needed: int) -> list[tuple[str, ...]]:
    table, game = schedule.openings, games.game(schedule.tournament.game)
    if table.file is not None:
        return read_openings(game, Path(schedule.folder) / table.file)[:needed]
    found = openings(game, table.plies, needed, schedule.tournament.seed)
    if not found:
        wrong = f"every game of {game.id} is over after {table.plies} plies"
        raise schedule.error("openings.plies", wrong)
    return found


def _opening_warnings(schedule: Schedule, found: int, needed: int) -> list[str]:
    if found >= needed or not (schedule.openings.plies or schedule.openings.file):
        return []
    return [f"openings: only {found} distinct, {needed} needed for each pair: they are used again in order"]


async def _close(endpoints: Iterable[Endpoint]) -> None:
    async with asyncio.TaskGroup() as group:
        for endpoint in endpoints:
            group.create_task(endpoint.close())


@contextmanager
def _interruptible() -> Iterator[None]:
    """Cancel the current task at the first signal of `interrupts`; the second one has the system's usual effect."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None
    before = {number: signal.getsignal(number) for number in interrupts()}

    def interrupt() -> None:
        for number in before:
            loop.remove_signal_handler(number)
        task.cancel()

    for number in before:
        loop.add_signal_handler(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


def interrupts() -> list[signal.Signals]:
    """Return the signals that interrupt a run; `nohup` wants SIGHUP to be ignored."""
    hangup = [] if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [signal.SIGHUP]
    return [signal.SIGINT, signal.SIGTERM, *hangup]
