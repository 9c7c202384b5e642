"""A pairing method may wait: it plans nothing now, and goes on once the run has changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import combinations
from pathlib import Path

import msgspec
import pytest

from fiedler.games.result import Result
from fiedler.tournament.game import now
from fiedler.tournament.pairing import PLANNERS, Over, Planner, Step, Wait
from fiedler.tournament.pairing.plan import History
from fiedler.tournament.run import draft
from fiedler.tournament.run.absentees import Absentees
from fiedler.tournament.run.continuation import identities
from fiedler.tournament.run.events import Event, Feed, Finished, Remarked, Started
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.lease import Lease
from fiedler.tournament.run.openings import OpeningList
from fiedler.tournament.run.recorder import Recorder
from fiedler.tournament.run.scheduler import Scheduler
from fiedler.tournament.schedule.schedule import Schedule
from tests.patience import PATIENCE
from tests.tournament.run.test_decisions import all_start
from tests.tournament.run.test_store import record


class Remarks(asyncio.Queue[str]):
    """A subscriber that keeps the remarks of a run."""

    def __call__(self, event: Event) -> None:
        if isinstance(event, Remarked):
            self.put_nowait(event.text)


class OpenPlanner(Planner):
    """All pairs of the players so far; the end with three players."""

    def following(self, history: History) -> Step | Wait | Over:
        met = [pair for pair in combinations(self.schedule.names, 2) if not history.meetings[frozenset(pair)]]
        if met:
            return Step(met, pairs=dict.fromkeys(met, 1))
        return Over("three have met") if len(self.schedule.names) == 3 else Wait("a third player")


@pytest.fixture(autouse=True)
def _open_planner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PLANNERS, "round-robin", OpenPlanner)


def schedule(players: int) -> Schedule:
    tables = {
        "tournament": {"name": "test", "game": "uttt"},
        "limit": {"nodes": 1},
        "pairing": {"method": "round-robin"},
        "players": [{"name": f"p{number}", "player": "random"} for number in range(players)],
    }
    return msgspec.convert(tables, Schedule)


@asynccontextmanager
async def scheduling(
    folder: Path, options: Schedule, remarks: Remarks
) -> AsyncIterator[tuple[Scheduler, Recorder, Journal]]:
    """Plan and record a run, as its manager does."""
    with Journal.open(folder) as journal:
        openings = OpeningList(options)
        drafted = draft.prepare(options, draft.to_resume(journal, fresh=False), openings)
        meta = {"name": "test", "game": "uttt", "seed": 0, "schedule": msgspec.to_builtins(options)}
        journal.record_start(meta, identities(options))
        drafted.write(journal)
        recorder = Recorder(journal, Feed([remarks]))
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
            group.create_task(recorder.run())
            yield Scheduler(options, drafted, journal, recorder, Absentees(all_start, {})), recorder, journal
            recorder.finish()
        openings.close()


async def play(scheduler: Scheduler, recorder: Recorder) -> int:
    """Play games until there are no more, and return their number."""
    played = 0
    while (game := await scheduler.take()) is not None:
        counts = {"attempt": 1, "scheduled": scheduler.scheduled}
        lease = Lease(game, 1, 1, 1)
        recorder.record(Started(at=now(), game=game, planned=scheduler.planned, **counts), lease)
        done = record(game, result=Result.DRAW, moves=(*game.opening, "a1"))
        played += 1
        await recorder.record(Finished(at=now(), game=done, finished=played, waits_for=(), **counts), lease)
        await scheduler.done(done, game.step, game.turn)
    return played


async def test_a_planner_that_waits_goes_on_with_a_new_player(tmp_path: Path) -> None:
    remarks = Remarks()
    async with scheduling(tmp_path, schedule(2), remarks) as (scheduler, recorder, journal):
        async with asyncio.TaskGroup() as tables:
            playing = [tables.create_task(play(scheduler, recorder)) for _ in range(2)]
            assert await remarks.get() == "waiting: a third player"
            assert scheduler.over == ""
            assert not any(task.done() for task in playing)
            more = schedule(3)
            await scheduler.extend(more, lambda: journal.add_players(more, identities(more), more.players[2:]))
        assert sum(task.result() for task in playing) == 6
        assert (scheduler.over, scheduler.stopped) == ("three have met", False)


async def test_a_run_that_waits_stops_and_resumes(tmp_path: Path) -> None:
    for games in (2, 0):
        remarks = Remarks()
        async with scheduling(tmp_path, schedule(2), remarks) as (scheduler, recorder, _):
            playing = asyncio.ensure_future(play(scheduler, recorder))
            await remarks.get()
            scheduler.stop()
            assert await playing == games
            assert (scheduler.over, scheduler.stopped) == ("", True)


def test_a_draft_of_a_method_that_waits_has_no_step_and_is_not_over(monkeypatch: pytest.MonkeyPatch) -> None:
    class Patient(OpenPlanner):
        def following(self, history: History) -> Wait:
            return Wait("anything")

    monkeypatch.setitem(PLANNERS, "round-robin", Patient)
    drafted = draft.prepare(schedule(2))
    assert (drafted.step, drafted.games, drafted.over) == (None, [], "")
    assert draft.needed_players(schedule(2), drafted) == ["p0", "p1"]
