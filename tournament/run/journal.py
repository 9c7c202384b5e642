"""The writing side of a run's store, for its manager: each event in one transaction."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import msgspec

from support.errors import UsageError
from tournament.game import GameRecord, PlannedGame
from tournament.pairing.plan import Decision
from tournament.run.schema import SCHEMA, SEALED, VERSION, connect, refuse_version, seal, version_and_tables
from tournament.run.store import (
    ABSENT,
    BENCHED,
    DECIDED,
    DECISION,
    FILE,
    OVER,
    PLANNED,
    READMITTED,
    UNDECIDED,
    Store,
    readable,
)
from tournament.schedule.pairs import Pair

BESIDE = ("events.jsonl", "schedule.toml", "ranking.txt", "games.pgn")
"""files that a run has beside its store"""

Attempt = tuple[str, int]
"""a game by its id, and which attempt at it, from 1"""


class Journal(Store):
    """A run as its manager sees it. At most one per folder: its maker holds the folder's lock.

    All methods block for a disk write. They may be called from any thread, but from one at a time.
    """

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the run in `folder` for writing, or make an empty one there.

        Raises:
            UsageError: what is there is no run, a damaged one, or one of another version.
            WorkError: the disk is full or broken.

        """
        _refuse_emptied(folder)
        with contextlib.ExitStack() as stack, readable(folder):
            database = connect(str(folder / FILE))
            stack.callback(database.close)
            version, tables = version_and_tables(database)
            if version not in (0, VERSION) or (version == 0 and tables):
                raise refuse_version(folder / FILE, version)
            journal = cls(folder, database)
            if version:
                journal.refuse_damage()
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("PRAGMA synchronous=FULL")
            stack.pop_all()
        return journal

    def close(self) -> None:
        """Let go of the file, and leave one file only, which readers need not write beside."""
        with contextlib.suppress(sqlite3.DatabaseError):  # somebody reads at this moment: the WAL stays
            self._database.execute("PRAGMA journal_mode=DELETE")
        super().close()

    @property
    def is_new(self) -> bool:
        """Whether nothing has been written yet."""
        with readable(self.folder):
            return _is_new(self._database)

    def record_start(self, meta: dict[str, Any], identities: dict[str, Any]) -> None:
        """Write what a new run is made of, or what was added to one: players that are there stay as they are.

        One transaction, as are the others.
        """
        with self._transaction() as database:
            if self.is_new:
                for statement in SCHEMA.split(";\n"):
                    database.execute(statement)
                database.execute(f"PRAGMA user_version = {VERSION}")
            self._put(meta)
            players = [(name, json.dumps(identity)) for name, identity in identities.items()]
            database.executemany("INSERT OR IGNORE INTO players (name, identity) VALUES (?, ?)", players)
            begun = "result IS NULL AND attempts > voids"
            database.execute(f"UPDATE games SET voids = attempts, seal = NULL WHERE {begun}")  # noqa: S608

    def record_step(
        self,
        at: str,
        note: str,
        pairs: Mapping[Pair, int],
        openings: Sequence[Sequence[str]],
        games: Iterable[PlannedGame],
        undecided: int = 0,
    ) -> None:
        """Write a step of the plan: pairs that are to meet, all openings so far, and the step's games.

        After so many steps of the plan nothing is decided.
        """
        with self._transaction() as database:
            database.execute("DELETE FROM meta WHERE key = ?", (OVER,))
            self._put({UNDECIDED: undecided} if undecided else {})
            database.execute("INSERT INTO steps (at, note) VALUES (?, ?)", (at, note))
            known = {frozenset(pair): pair for pair in self.pairs}
            targets = [(*known.get(frozenset(pair), pair), target) for pair, target in pairs.items()]
            database.executemany(
                "INSERT INTO pairs (a, b, target) VALUES (?, ?, ?) "
                "ON CONFLICT DO UPDATE SET target = excluded.target, seal = NULL",
                targets,
            )
            texts = [(place, " ".join(moves)) for place, moves in enumerate(openings, start=1)]
            database.executemany("INSERT OR IGNORE INTO openings (place, moves) VALUES (?, ?)", texts)
            database.executemany(
                f"INSERT INTO games ({PLANNED}) VALUES (?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
                [(g.number, g.id, g.first, g.second, " ".join(g.opening), g.step, g.turn) for g in games],
            )

    def record_end(self, note: str) -> None:
        """Write that nothing more is planned, and why."""
        with self._transaction():
            self._put({OVER: note})

    def decide(self, decision: Decision) -> None:
        """Write what was found, and give up the games that have no result: those under way come back as they end."""
        with self._transaction() as database:
            self._put({DECISION: msgspec.to_builtins(decision), OVER: decision.why})
            left = "result IS NULL AND NOT given_up"
            database.execute(f"UPDATE games SET given_up = ?, seal = NULL WHERE {left}", (DECIDED,))  # noqa: S608

    def reopen(self) -> None:
        """Forget what was found, and take back the games that were given up for it."""
        with self._transaction() as database:
            database.executemany("DELETE FROM meta WHERE key = ?", [(DECISION,), (OVER,)])
            database.execute("UPDATE games SET given_up = 0, seal = NULL WHERE given_up = ?", (DECIDED,))

    def record_absent(self, why: Mapping[str, str]) -> None:
        """Write who is missing, and why."""
        with self._transaction():
            self._put({ABSENT: dict(why)})

    def bench(self, name: str, why: str) -> None:
        """Write that a player gets no more games, and give up those that it has not begun."""
        with self._transaction() as database:
            database.execute("UPDATE players SET benched = ?, seal = NULL WHERE name = ?", (why, name))
            left = "result IS NULL AND ? IN (first, second)"
            database.execute(f"UPDATE games SET given_up = ?, seal = NULL WHERE {left}", (BENCHED, name))  # noqa: S608

    def readmit(self, name: str) -> None:
        """Write that a benched player plays again, the games that were given up among them.

        What it failed in so far does not bench it again.
        """
        with self._transaction():
            self._readmit(name)

    @contextlib.contextmanager
    def supposing_readmitted(self, names: Iterable[str]) -> Iterator[None]:
        """See the run inside as it would be if these players were readmitted; nothing is written."""
        with self.at_one_moment():
            for name in names:
                self._readmit(name)
            yield

    def _readmit(self, name: str) -> None:
        forgiven = {**self.meta.get(READMITTED, {}), name: self.counts.finished}
        self._put({READMITTED: forgiven})
        self._database.execute("UPDATE players SET benched = NULL, seal = NULL WHERE name = ?", (name,))
        self._database.execute(
            "UPDATE games SET given_up = 0, seal = NULL WHERE given_up = ? AND ? IN (first, second) AND NOT EXISTS "
            "(SELECT 1 FROM players WHERE benched IS NOT NULL AND players.name IN (first, second))",
            (BENCHED, name),
        )

    def forget_plan(self) -> None:
        """Forget the plan of a run in which no game was finished, so that another one may be made."""
        assert not self.counts.finished
        with self._transaction() as database:
            for table in ("meta", "players", "steps", "pairs", "openings", "games"):
                database.execute(f"DROP TABLE {table}")
            database.execute("PRAGMA user_version = 0")

    def write(
        self,
        begun: Iterable[Attempt],
        void: Iterable[Attempt],
        finished: Iterable[tuple[GameRecord, int]],
    ) -> set[Attempt]:
        """Write that games began, became void, and ended, each at an attempt. On return it is on the disk.

        One transaction. A record counts only at the latest attempt of its game, and only while that is not void; the
        others are returned, of which nothing is written.
        """
        with self._transaction("games") as database:
            for column, attempts in (("attempts", begun), ("voids", void)):
                rises = f"id = ? AND {column} < ? AND result IS NULL"
                sql = f"UPDATE games SET {column} = ?, seal = NULL WHERE {rises}"  # noqa: S608
                database.executemany(sql, [(attempt, id_, attempt) for id_, attempt in attempts])
            return {(record.id, attempt) for record, attempt in finished if not _finish(database, record, attempt)}

    def _put(self, meta: Mapping[str, Any]) -> None:
        texts = [(key, json.dumps(value)) for key, value in meta.items()]
        self._database.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", texts)

    def _transaction(self, *tables: str) -> _Transaction:
        """Begin to write into these tables, or any."""
        return _Transaction(self._database, tables or tuple(SEALED))


class _Transaction:
    """BEGIN IMMEDIATE … COMMIT, or ROLLBACK after an exception, which may be that of the COMMIT: a full disk, say."""

    def __init__(self, database: sqlite3.Connection, tables: Iterable[str]) -> None:
        """Seal what is written into these `tables`."""
        self._database = database
        self._tables = tables

    def __enter__(self) -> sqlite3.Connection:
        self._database.execute("BEGIN IMMEDIATE")
        return self._database

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                if not _is_new(self._database):
                    seal(self._database, self._tables)
                self._database.execute("COMMIT")
        finally:
            if self._database.in_transaction:  # after some errors SQLite has rolled back already
                self._database.execute("ROLLBACK")


def _refuse_emptied(folder: Path) -> None:
    """Refuse a file without a byte beside others of a run: that run would be played anew without a word."""
    beside = [name for name in BESIDE if (folder / name).is_file()]
    if beside and (folder / FILE).is_file() and not (folder / FILE).stat().st_size:
        wrong = f"it is empty beside {beside[0]} of a run; restore it, or move the folder away"
        raise UsageError(f"{folder / FILE}: cannot be read as a run: {wrong}")


def _is_new(database: sqlite3.Connection) -> bool:
    return bool(database.execute("PRAGMA user_version").fetchone()[0] == 0)


def _finish(database: sqlite3.Connection, record: GameRecord, attempt: int) -> bool:
    """Write a record if its attempt is the present one."""
    done = database.execute(
        "UPDATE games SET moves = ?, result = ?, termination = ?, detail = ?, started = ?, finished = ?, "
        "seconds_first = ?, seconds_second = ?, given_up = 0, seal = NULL "
        "WHERE id = ? AND result IS NULL AND attempts = ? AND voids < attempts",
        (
            *(" ".join(record.moves), record.result, record.termination, record.detail),
            *(record.started, record.finished, record.seconds_first, record.seconds_second),
            *(record.id, attempt),
        ),
    )
    return done.rowcount > 0
