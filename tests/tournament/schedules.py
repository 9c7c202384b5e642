"""Schedules, players and runs for the tests of the tournament manager."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fiedler.tournament.game import GameRecord, now
from fiedler.tournament.play.clock import Clock
from fiedler.tournament.play.match import Match
from fiedler.tournament.play.referee import Referee
from fiedler.tournament.play.session import PlayerSession
from fiedler.tournament.run import manager
from fiedler.tournament.run.events import Event, Subscriber
from fiedler.tournament.run.journal import Attempt, Journal, VoidAttempt
from fiedler.tournament.run.store import Store
from tests.engine.engine_process import serving
from tests.folders import ROOT
from tests.patience import PATIENCE

PLAYERS = ROOT / "tests" / "players"
EXAMPLE = Path(__file__).parents[2] / "examples" / "ugi_random.py"

Tables = dict[str, Any]

GENEROUS = {"movetime_ms": 20_000, "startup_s": PATIENCE}
"""A limit that no player exceeds unless it is silent."""


def misbehaving(fault: str, number: float = 1, *options: str) -> list[str]:
    """Return the command of a tic-tac-toe player with a fault; `fine` has none."""
    return [sys.executable, "-S", "-E", str(PLAYERS / "misbehave.py"), fault, str(number), *options]


def player(name: str, fault: str = "fine", number: float = 1, **more: Any) -> Tables:
    return {"name": name, "command": misbehaving(fault, number), **more}


def example(name: str) -> Tables:
    """A player of random ultimate tic-tac-toe."""
    return {"name": name, "command": [sys.executable, "-S", "-E", str(EXAMPLE)]}


def toml(tables: Mapping[str, Any]) -> str:
    lines = []
    for name, table in tables.items():
        for entry in table if isinstance(table, list) else [table]:
            lines.append(f"[[{name}]]" if isinstance(table, list) else f"[{name}]")
            lines += [f"{key} = {_value(value)}" for key, value in entry.items()]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(inner)}" for key, inner in value.items()) + " }"
    return json.dumps(value)


def tables(players: Sequence[Tables], **changes: Tables) -> Tables:
    """Return a round robin at tic-tac-toe, two games a pair, 20 s a move; `changes` replace or extend tables."""
    result: Tables = {
        "tournament": {"name": "test", "game": "tictactoe", "games_per_pair": 2, "seed": 1},
        "limit": GENEROUS,
        "pairing": {"method": "round-robin"},
    }
    for name, table in changes.items():
        keep = {} if name in ("limit", "pairing") else result.get(name, {})
        result[name] = {**keep, **table}
    return {**result, "players": list(players)}


class Bench:
    """A folder with a schedule that can be changed and played repeatedly."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "schedule.toml"
        self.results = folder / "results"
        self.events: list[Event] = []
        self.subscribers: list[Subscriber] = []
        self.processes = 1

    def hurry(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        """Apply the time limit of the schedule to this player only: the others have an hour for each move."""
        monkeypatch.setattr("fiedler.tournament.run.table.Match", partial(_match, name))

    def write(self, players: Sequence[Tables], **changes: Tables) -> Path:
        self.path.write_text(toml(tables(players, **changes)), encoding="utf-8")
        return self.path

    def play(self, players: Sequence[Tables] | None = None, **changes: Tables) -> list[GameRecord]:
        """Play the rest of the schedule in this process, and return all finished games."""
        if players is not None:
            self.write(players, **changes)
        subscribers = [self.events.append, *self.subscribers]
        manager.run(self.path, results=self.results, processes=self.processes, subscribers=subscribers)
        return self.games()

    def games(self) -> list[GameRecord]:
        with closing(Store.open(self.results / "test")) as store:
            return store.games()


def shipped_games(name: str, limit: str, patient: str) -> list[GameRecord]:
    """Play a schedule that ships, in the present folder, and return its games; `patient` replaces its limit."""
    for folder in ("configs", "examples"):
        shutil.copytree(ROOT / folder, folder)
    path = Path("configs", f"{name}.toml")
    text = path.read_text("utf-8")
    assert limit in text
    path.write_text(text.replace(limit, f"{patient}\nstartup_s = {PATIENCE}"), "utf-8")
    with closing(Store.open(manager.run(path))) as store:
        return store.games()


def write_finished(journal: Journal, *records: GameRecord, node: str = "") -> None:
    """Write a start and an end of each of these games, which were played at a node."""
    known = journal.attempts
    start = len(journal.starts)
    begun = [Attempt(record.id, known.get(record.id, 0) + 1, start, node) for record in records]
    assert not journal.write(begun, [], list(zip(records, begun, strict=True)))


def write_void(journal: Journal, game: str, why: str = "", number: int = 1) -> None:
    """Write a void attempt at this game."""
    attempt = Attempt(game, number, len(journal.starts))
    journal.write([attempt], [VoidAttempt(attempt, now(), why)], [])


class OneClock:
    """The clocks of a game; only one side's can run out."""

    def __init__(self, clock: Clock, side: int) -> None:
        self._clock, self._side = clock, side
        self.used, self.limit, self.time_used = clock.used, clock.limit, clock.time_used
        self.credit = clock.credit

    def start(self, side: int, now: float) -> float:
        ends = self._clock.start(side, now)
        return ends if side == self._side else now + 3600.0

    def stop(self, side: int, now: float) -> bool:
        return self._clock.stop(side, now) or side != self._side


def _match(hurried: str, referee: Referee, clock: Clock, sessions: Sequence[PlayerSession], *more: Any) -> Match:
    names = [session.player for session in sessions]
    return Match(referee, OneClock(clock, names.index(hurried)), sessions, *more)


@contextmanager
def listening(command: Sequence[str]) -> Iterator[str]:
    """Start a program that listens, and yield the address that it prints."""
    with serving(command=command) as server:
        yield server.address


def programs_of(bench: Bench, word: str = "") -> list[int]:
    """Return the players: the processes in the bench's folder with this word in their command lines."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and (folder / "cwd").readlink() == bench.folder:
                found += [int(folder.name)] * (word.encode() in (folder / "cmdline").read_bytes())
        except OSError:
            continue
    return found


def cores_of(bench: Bench) -> dict[int, frozenset[int]]:
    """Return the cores of each player; one that has just ended has none."""
    found = {}
    for program in programs_of(bench):
        with suppress(ProcessLookupError):
            found[program] = frozenset(os.sched_getaffinity(program))
    return found
