"""What must hold at the end of every simulation."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fiedler.tournament.game import GameRecord
from fiedler.tournament.run.events import Finished, Rated
from fiedler.tournament.run.run_file import FILE
from fiedler.tournament.run.store import Store
from tests.simulated.faults import inject
from tests.simulated.world import SCHEDULES, Start, World, in_place

QUIET_S = 120.0
"""The seconds after the end of a disturbed run, in which nothing may change any more."""
MEMORY = Path("/dev/shm")

Game = tuple[object, ...]


@dataclass
class Outcome:
    """The outcome of one simulation."""

    games: dict[str, Game]
    ends: dict[str, str]
    """The ends of the games, in words."""
    plan: tuple[Sequence[object], ...]
    """The steps of the plan, its pairs, and how it ended."""
    ranking: tuple[object, ...]
    """The last ranking, and the answer."""
    seconds: float
    """Its virtual time."""
    happened: list[str]
    callbacks: int
    """The number of its callbacks, which tells two runs apart."""
    wrong: list[str]
    """What is wrong, in sentences; empty if all is well."""


def simulate(seed: int) -> Outcome:
    """Play a disturbed run, and compare it with the undisturbed one."""
    with _world(seed, seed % len(SCHEDULES)) as world:
        try:
            outcome = world.loop.run(_disturbed(world))
        except Exception as error:  # the manager must not fail, nor hang
            wrong = [f"{type(error).__name__}: {error}"]
            return Outcome({}, {}, (), (), world.seconds, world.happened, world.loop.callbacks, wrong)
    outcome.wrong += _unlike(outcome, undisturbed(seed % len(SCHEDULES)))
    return outcome


def _unlike(outcome: Outcome, expected: Outcome) -> Iterator[str]:
    """Yield how a run differs from the undisturbed one."""
    if outcome.games.keys() != expected.games.keys():
        yield "the games are not those of the undisturbed run"
    for game, expectation in expected.games.items():
        if outcome.games.get(game, expectation) != expectation:
            yield f"game {game}: {outcome.ends[game]}; undisturbed {expected.ends[game]}"
    if outcome.plan != expected.plan:
        yield "the plan is not that of the undisturbed run"
    if outcome.ranking != expected.ranking:
        yield "the ranking is not that of the undisturbed run"


@cache
def undisturbed(number: int) -> Outcome:
    """Play a schedule without a fault."""
    with _world(0, number) as world:
        return world.loop.run(_alone(world))


@contextmanager
def _world(seed: int, schedule: int) -> Iterator[World]:
    folder = Path(tempfile.mkdtemp(prefix="simulated-", dir=MEMORY if MEMORY.is_dir() else None))
    world = World(seed, folder, schedule)
    with in_place(world):
        try:
            yield world
        finally:
            world.bury()


async def _alone(world: World) -> Outcome:
    return _outcome(world, await world.play())


async def _disturbed(world: World) -> Outcome:
    faults = asyncio.create_task(inject(world))
    last = await world.play()
    await faults
    await asyncio.sleep(QUIET_S)
    return _outcome(world, last)


def _outcome(world: World, last: Start) -> Outcome:
    with closing(Store.open(last.folder)) as store:
        records, counts = store.games(), store.counts
        plan = (store.steps, store.pairs, store.openings, store.meta["over"] or "")
    games = {game.id: _game(game) for game in records}
    wrong = [*world.wrong, *world.loop.errors]
    if len(games) != len(records) or counts.finished != counts.scheduled:
        wrong.append(f"{len(records)} records of {len(games)} games, {counts.scheduled} are planned")
    wrong += _unlike_reports(world, last, games)
    wrong += [
        f"start {start.number}: {start.ended.result()}"
        for start in world.starts
        if "refused" in start.ended.result() and not start.is_replaced
    ]
    ends = {game.id: f"{game.termination} {game.detail}" for game in records}
    return Outcome(games, ends, plan, _ranking(last), world.seconds, world.happened, world.loop.callbacks, wrong)


def _game(record: GameRecord) -> Game:
    return (record.first, record.second, record.moves, record.result, record.termination)


def _ranking(last: Start) -> tuple[object, ...]:
    """Return the last ranking and the answer; the order of the games changes only the last digits."""
    for event in reversed(last.events):
        if isinstance(event, Rated):
            rows = [(one.name, round(one.elo or 0.0, 6), round(one.plus or 0.0, 6), one.games) for one in event.players]
            return (event.games, sorted(rows), event.answer)
    return ()


def _unlike_reports(world: World, last: Start, games: dict[str, Game]) -> list[str]:
    """Return how the reports of all starts differ from the records."""
    with closing(sqlite3.connect(last.folder / FILE)) as database:
        rows = database.execute("SELECT id, attempts, node FROM games").fetchall()
    attempts = {game: (attempt, node) for game, attempt, node in rows}
    wrong, reported = [], dict[str, int]()
    for start in world.starts:
        for event in start.events:
            if isinstance(event, Finished):
                game = event.game
                if games.get(game.id) != _game(game):
                    wrong.append(f"start {start.number} reported another game {game.number}")
                elif event.attempt != attempts[game.id][0]:
                    wrong.append(f"game {game.number} counts for another attempt than the one that was reported")
                elif game.id in reported:
                    wrong.append(f"game {game.number} was reported by starts {reported[game.id]} and {start.number}")
                reported[game.id] = start.number
    return wrong
