"""The recorder: events that come together are written together, and a waiter is served at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from fiedler.games.result import Result
from fiedler.support.errors import WorkError
from fiedler.tournament.dispute import Dispute
from fiedler.tournament.game import GameRecord, PlannedGame, now
from fiedler.tournament.run.events import Event, Feed, Finished, Started
from fiedler.tournament.run.journal import Attempt, Journal, VoidAttempt
from fiedler.tournament.run.lease import Lease
from fiedler.tournament.run.recorder import Recorder
from fiedler.tournament.termination import Termination
from tests.patience import PATIENCE

REST_S = "fiedler.tournament.run.recorder.REST_S"


class Notebook:
    """A journal that only keeps the content of each transaction."""

    folder = Path()

    def __init__(self, late: Sequence[Attempt] = ()) -> None:
        """Some records are late."""
        self.late = set(late)
        self.written: list[tuple[list[str], list[str]]] = []
        self.wrote = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def write(
        self,
        begun: Sequence[Attempt],
        void: Sequence[VoidAttempt],
        finished: Sequence[tuple[GameRecord, Attempt]],
        credits_ms: Sequence[tuple[str, float]],
        disputed: Sequence[tuple[Dispute, Attempt]],
    ) -> set[Attempt]:
        assert not void
        assert not credits_ms
        assert not disputed
        self.written.append(([attempt.game for attempt in begun], [game.id for game, _ in finished]))
        self._loop.call_soon_threadsafe(self.wrote.set)
        return {attempt for _, attempt in finished} & self.late


def lease(id_: str) -> Lease:
    return Lease(PlannedGame(id_, int(id_), "a", "b", ()), 1, 1, 3)


def begin(id_: str) -> tuple[Started, Lease]:
    return Started(at=now(), game=lease(id_).game, planned=9, scheduled=9), lease(id_)


def end(id_: str) -> tuple[Finished, Lease]:
    rest = (Result.FIRST_WIN, Termination.RULES, "", now(), now(), 0.0, 0.0)
    record = GameRecord(id_, int(id_), "a", "b", (), ("a1",), *rest)
    return Finished(at=now(), game=record, finished=1, scheduled=9), lease(id_)


async def test_events_during_a_rest_are_written_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(REST_S, 60.0)
    notebook, events = Notebook(), list[Event]()
    recorder = Recorder(cast("Journal", notebook), Feed([events.append]))
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        group.create_task(recorder.run())
        for entry in (begin("1"), end("1")):
            recorder.record(*entry)
        await notebook.wrote.wait()
        for entry in (begin("2"), end("2"), begin("3"), end("3"), begin("4")):
            recorder.record(*entry)
        await asyncio.sleep(0.01)
        assert notebook.written == [(["1"], ["1"])]
        await recorder.write(lambda: notebook.written.append(([], ["job"])))
        recorder.record(*end("4"))
        recorder.finish()
    assert notebook.written[1:] == [(["2", "3", "4"], ["2", "3"]), ([], ["job"]), ([], ["4"])]
    assert [event.game.id for event in events if isinstance(event, Finished)] == ["1", "2", "3", "4"]


async def test_a_rest_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(REST_S, 0.01)
    notebook = Notebook()
    recorder = Recorder(cast("Journal", notebook), Feed())
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        group.create_task(recorder.run())
        for id_ in "123":
            recorder.record(*end(id_))
            await notebook.wrote.wait()
            notebook.wrote.clear()
        recorder.finish()
    assert notebook.written[:3] == [([], ["1"]), ([], ["2"]), ([], ["3"])]


async def test_a_refused_record_ends_the_run() -> None:
    """The records beside it are written, and reported before."""
    events = list[Event]()
    recorder = Recorder(cast("Journal", Notebook(late=[Attempt("1", 1, 3)])), Feed([events.append]))
    late, counted = (recorder.record(*end(id_)) for id_ in "12")
    recorder.finish()
    with pytest.raises(WorkError, match=r"^\.: the record of game 1, attempt 1 of start 3 is refused: .*not counted"):
        await recorder.run()
    (found,) = events
    assert isinstance(found, Finished)
    assert found.game.id == "2"
    assert (late.done(), counted.done()) == (False, True)


async def test_a_waiter_may_be_interrupted_before_the_write() -> None:
    """A started write still ends, and later ones follow."""
    written, begun, resumes = list[str](), asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def slow() -> None:
        loop.call_soon_threadsafe(begun.set)
        assert resumes.wait(PATIENCE)
        written.append("slow")

    recorder = Recorder(cast("Journal", Notebook()), Feed())
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        group.create_task(recorder.run())
        running = group.create_task(recorder.write(slow))
        await begun.wait()
        waiting = group.create_task(recorder.write(lambda: written.append("waiting")))
        await asyncio.sleep(0)
        for task in (running, waiting):
            task.cancel()
        await asyncio.wait({running, waiting})
        resumes.set()
        await recorder.write(lambda: written.append("last"))
        recorder.finish()
    assert written == ["slow", "waiting", "last"]
