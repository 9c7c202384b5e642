"""Faults of the manager that are planted to show that a simulation finds them."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from fiedler.tournament.cluster.node import NodeActor
from fiedler.tournament.cluster.node_tables import NodeTables
from fiedler.tournament.cluster.presence import Presence
from fiedler.tournament.game import GameRecord, PlannedGame
from fiedler.tournament.play.endpoint import Endpoint
from fiedler.tournament.play.standstill import Standstill
from fiedler.tournament.run import journal
from fiedler.tournament.run.journal import Attempt
from fiedler.tournament.run.remote_tables import RemoteTable, resolve
from fiedler.tournament.run.runner import Runner
from fiedler.tournament.run.scheduler import Scheduler
from fiedler.tournament.run.table_messages import Alive, Cleared, encoded
from fiedler.tournament.run.table_process import ALIVE_S, TableProcess

Plant = Callable[[pytest.MonkeyPatch], None]


def starts_are_not_compared(patch: pytest.MonkeyPatch) -> None:
    finish = journal._finish

    def any_start(database: sqlite3.Connection, record: GameRecord, attempt: Attempt) -> bool:
        ((start,),) = database.execute("SELECT start FROM games WHERE id = ?", (record.id,)).fetchall()
        return finish(database, record, attempt._replace(start=start))

    patch.setattr(journal, "_finish", any_start)
    patch.setattr(journal, "_newest_start", lambda database: 0)


def every_record_is_taken(patch: pytest.MonkeyPatch) -> None:
    def take(table: RemoteTable, message: Any) -> None:
        if isinstance(message, Cleared):
            resolve(table._cleared, message.notices)
        else:
            resolve(table._answer, message)

    patch.setattr(RemoteTable, "take", take)


def silent_nodes_play_on(patch: pytest.MonkeyPatch) -> None:
    async def fence(process: TableProcess, fence_s: float, reaper: object) -> None:
        while True:
            process._answers.write(encoded(Alive(0)))
            await asyncio.sleep(ALIVE_S)

    patch.setattr(TableProcess, "_fence", fence)


def games_of_lost_nodes_are_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(NodeTables, "leave", lambda node, why: setattr(node, "is_open", False))


def players_are_blamed_for_nodes(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(NodeTables, "_excuse", lambda node, answer: "")


def void_games_are_queued_twice(patch: pytest.MonkeyPatch) -> None:
    put_back = Scheduler.put_back

    async def twice(scheduler: Scheduler, game: PlannedGame) -> None:
        await put_back(scheduler, game)
        scheduler._queue.append(game)

    patch.setattr(Scheduler, "put_back", twice)


def attempts_are_counted_anew(patch: pytest.MonkeyPatch) -> None:
    make = Runner.__init__

    def anew(runner: Runner, *words: Any) -> None:
        make(runner, *words)
        runner._attempts = Counter()

    patch.setattr(Runner, "__init__", anew)


def messages_are_passed_as_they_come(patch: pytest.MonkeyPatch) -> None:
    def pass_on(node: NodeActor, number: int, data: bytes) -> None:
        if node._process is not None:
            node._process.write(data)

    patch.setattr(NodeActor, "_pass_on", pass_on)


def standstills_are_the_players_fault(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Standstill, "seconds", property(lambda _: 0.0))
    patch.setattr(Standstill, "_look", Standstill._beat_again)


def plans_that_are_made_anew_forget_the_starts(patch: pytest.MonkeyPatch) -> None:
    def forget(run: journal.Journal) -> None:
        with run._transaction() as database:
            journal._drop_tables(database)

    patch.setattr(journal.Journal, "forget_plan", forget)


def probes_of_lost_nodes_are_forgotten(patch: pytest.MonkeyPatch) -> None:
    probe = Presence._probe

    async def forgotten(presence: Presence, node: NodeTables) -> None:
        task = asyncio.create_task(probe(presence, node))
        await asyncio.wait({task})
        await task

    patch.setattr(Presence, "_probe", forgotten)


def players_that_end_between_games_are_blamed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Endpoint, "idle", lambda endpoint: endpoint._idle.pop() if endpoint._idle else None)


PLANTED: tuple[Plant, ...] = (
    starts_are_not_compared,
    every_record_is_taken,
    silent_nodes_play_on,
    games_of_lost_nodes_are_forgotten,
    players_are_blamed_for_nodes,
    void_games_are_queued_twice,
    attempts_are_counted_anew,
    messages_are_passed_as_they_come,
    standstills_are_the_players_fault,
    plans_that_are_made_anew_forget_the_starts,
    probes_of_lost_nodes_are_forgotten,
    players_that_end_between_games_are_blamed,
)
