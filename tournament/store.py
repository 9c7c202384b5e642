"""The truth about a run: one SQLite file that survives a SIGKILL at any moment.

WAL and synchronous=FULL; one writer, guarded by the lock of the run's folder. A finished game is written within one
transaction: either all of it is there or nothing.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Self

import msgspec
from msgspec import Struct

from games import UsageError, WorkError, nearest
from tournament.lock import is_locked
from tournament.plan import Decision, History, Pair, PlannedGame, Played
from tournament.schedule import Schedule

FILE = "run.sqlite"
VERSION = 2
READMITTED = "readmitted"
"""key of `meta` under which stands, for readmitted players, how many games were finished then"""
OVER = "over"
"""key of `meta` under which a run that has planned and played all its games says why it ended"""
DECISION = "decision"
"""key of `meta` under which stands what a sequential test or a stopping rule found"""
UNDECIDED = "undecided"
"""key of `meta` under which stands after how many steps of the plan nothing was decided"""
BENCHED, DECIDED = 1, 2
"""why a game was given up: its player was benched, or the run was decided"""
ABSENT = "absent"
"""key of `meta` under which stands, for players without which a manager played, why they did not start"""
DISK_ERRORS = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
AT_A_TIME = 500
"""games that are read at once"""
FAILURES = ("illegal move", "time", "crash", "disconnect")

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE players (
    place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, identity TEXT NOT NULL, benched TEXT
);
CREATE TABLE steps (number INTEGER PRIMARY KEY, at TEXT NOT NULL, note TEXT NOT NULL);
CREATE TABLE pairs (
    place INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL, target INTEGER NOT NULL, UNIQUE (a, b)
);
CREATE TABLE openings (place INTEGER PRIMARY KEY, moves TEXT NOT NULL);
CREATE TABLE games (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    first TEXT NOT NULL, second TEXT NOT NULL, opening TEXT NOT NULL,
    step INTEGER NOT NULL, turn INTEGER NOT NULL, given_up INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0, voids INTEGER NOT NULL DEFAULT 0,
    moves TEXT, result TEXT CHECK (result IN ('1-0', '0-1', '1/2-1/2')), termination TEXT, detail TEXT,
    started TEXT, finished TEXT, seconds_first REAL, seconds_second REAL,
    CHECK ((result IS NULL) = (moves IS NULL) AND (result IS NULL) = (finished IS NULL))
);
"""
RECORD = (
    "id, number, first, second, opening, moves, result, termination, detail, started, finished, "
    "seconds_first, seconds_second"
)
PLANNED = "number, id, first, second, opening, step, turn"


class GameRecord(Struct, frozen=True):
    """A finished game. `first` moves first from the start position; `moves` include the opening.

    `result` is `1-0` if `first` won, `0-1` or `1/2-1/2`; times are ISO 8601 in UTC with milliseconds; seconds are the
    wall time that each side took for its moves.
    """

    id: str
    number: int
    first: str
    second: str
    opening: tuple[str, ...]
    moves: tuple[str, ...]
    result: str
    termination: str
    detail: str
    started: str
    finished: str
    seconds_first: float
    seconds_second: float

    @property
    def loser(self) -> str | None:
        """The name of the player that lost, None after a draw."""
        return {"1-0": self.second, "0-1": self.first}.get(self.result)


def reason(record: GameRecord) -> str:
    """Return why a game ended: the rule, or the failure and its details."""
    return record.detail if record.termination == "rules" else f"{record.termination}: {record.detail}"


class PlannedStep(Struct, frozen=True):
    """A step of the plan: its number from 1, when it was planned, what for, its games and how many are finished."""

    number: int
    at: str
    note: str
    games: int
    finished: int


class Counts(Struct, frozen=True):
    """How far a run is: games scheduled, finished, begun but not ended, and attempts that became void.

    Games that were given up, because a player was benched or the run decided, are not among the scheduled ones.
    """

    scheduled: int
    finished: int
    begun: int
    void: int

    @property
    def left(self) -> int:
        """Games that have no result yet."""
        return self.scheduled - self.finished


class NoRunError(UsageError):
    """There is no run in a folder, or none of which anything is planned yet."""


class Store:
    """A run as readers see it. A context manager; reading goes on while a manager writes."""

    def __init__(self, folder: Path, database: sqlite3.Connection) -> None:
        self.folder = folder
        self._database = database

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the store of an existing run for reading.

        Raises:
            NoRunError: there is no run in this folder, or nothing is planned yet.
            UsageError: there is one of another version, or something else.

        """
        path = Path(folder) / FILE
        if not path.is_file():
            raise NoRunError(f"{folder}: no run here: expected a file {FILE}")
        try:
            database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
            version, tables = _version_and_tables(database)
        except sqlite3.DatabaseError as error:
            raise UsageError(f"{path}: cannot be read as a run: {error}") from error
        if version != VERSION:
            database.close()
            wanted = f"{path}: expected a run of version {VERSION}, got"
            raise UsageError(f"{wanted} {version}") if tables else NoRunError(f"{wanted} one without any plan yet")
        return cls(Path(folder), database)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def games(self) -> list[GameRecord]:
        """Return the finished games in the order of the schedule, all in memory; see `each_game`."""
        return list(self.each_game())

    def each_game(self) -> Iterator[GameRecord]:
        """Yield the finished games in the order of the schedule.

        A few at a time are in memory, and the file is locked only while those are read, however slow the reader is.
        """
        last, rows = 0, [()]
        while rows:
            sql = f"SELECT {RECORD} FROM games WHERE result IS NOT NULL AND number > ? ORDER BY number LIMIT ?"  # noqa: S608
            rows = self._rows(sql, (last, AT_A_TIME))
            for row in rows:
                game = _record(row)
                last = game.number
                yield game

    @property
    def finished(self) -> list[int]:
        """The numbers of the finished games, rising."""
        return [number for (number,) in self._rows("SELECT number FROM games WHERE result IS NOT NULL ORDER BY number")]

    @property
    def results(self) -> list[tuple[str, str, str, int]]:
        """How often the player that moved first had which result against the other, by first appearance."""
        sql = "SELECT first, second, result, count(*) FROM games WHERE result IS NOT NULL"
        return self._rows(f"{sql} GROUP BY first, second, result ORDER BY min(number)")

    @property
    def voids(self) -> list[tuple[int, str, str, int]]:
        """Games with attempts that became void: number, first, second, how many."""
        return self._rows("SELECT number, first, second, voids FROM games WHERE voids > 0 ORDER BY number")

    def planned(self) -> list[PlannedGame]:
        """Return all scheduled games, finished or not, in order."""
        return [
            _planned(row)
            for row in self._rows(f"SELECT {PLANNED} FROM games ORDER BY number")  # noqa: S608
        ]

    def unplayed(self, *, reopened: bool = False) -> list[PlannedGame]:
        """Return the scheduled games that have no result, in order; if `reopened` as if nothing had been decided."""
        kept = f"NOT {_given_up(reopened=reopened)}"
        sql = f"SELECT {PLANNED} FROM games WHERE result IS NULL AND {kept} ORDER BY number"  # noqa: S608
        return [_planned(row) for row in self._rows(sql)]

    @property
    def decision(self) -> Decision | None:
        """What a sequential test or a stopping rule found, for good."""
        found = self.meta.get(DECISION)
        return None if found is None else msgspec.convert(found, Decision)

    @property
    def over(self) -> str:
        """Why nothing more is played; empty as long as something may be."""
        return str(self.meta.get(OVER, ""))

    @property
    def meta(self) -> dict[str, Any]:
        """What the run was made of, decoded from JSON.

        name, game, seed; created, version and commit of the first start; the schedule of the last; all `starts`; `over`
        once nothing more is planned; `decision` and `undecided` of a run that has something to decide.
        """
        return {key: json.loads(value) for key, value in self._rows("SELECT key, value FROM meta")}

    @property
    def starts(self) -> list[dict[str, Any]]:
        """What each manager played from that had games to play: at, version, commit, schedule."""
        meta = self.meta
        first = {"at": meta.get("created"), **{key: meta.get(key) for key in ("version", "commit", "schedule")}}
        return meta.get("starts") or [first]  # runs of before had no list

    @property
    def schedule(self) -> Schedule:
        """The resolved schedule as the last `tournament run` had it."""
        return msgspec.convert(self.meta["schedule"], Schedule)

    @property
    def players(self) -> tuple[str, ...]:
        """The players' names in the order in which they were added."""
        return tuple(name for (name,) in self._rows("SELECT name FROM players ORDER BY place"))

    @property
    def identities(self) -> dict[str, Any]:
        """What makes each player the one that it is, by name."""
        return {
            name: json.loads(text) for name, text in self._rows("SELECT name, identity FROM players ORDER BY place")
        }

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs that meet; the first name of each moves first in their first game."""
        return tuple((a, b) for a, b in self._rows("SELECT a, b FROM pairs ORDER BY place"))

    @property
    def openings(self) -> tuple[tuple[str, ...], ...]:
        """The openings in the order of the list."""
        return tuple(tuple(moves.split()) for (moves,) in self._rows("SELECT moves FROM openings ORDER BY place"))

    @property
    def benched(self) -> dict[str, str]:
        """The players that get no more games, and why."""
        return dict(self._rows("SELECT name, benched FROM players WHERE benched IS NOT NULL ORDER BY place"))

    @property
    def absent(self) -> dict[str, str]:
        """The players without which the last manager played, and why they did not start."""
        return dict(self.meta.get(ABSENT, {}))

    @property
    def plan(self) -> list[PlannedStep]:
        """The steps of the plan, and how far they are; games that were given up are left out."""
        sql = (
            "SELECT steps.number, at, note, total(NOT given_up), count(result) "
            "FROM steps LEFT JOIN games ON step = steps.number GROUP BY steps.number ORDER BY steps.number"
        )
        rows = self._rows(sql)
        return [PlannedStep(number, at, note, int(games), finished) for number, at, note, games, finished in rows]

    @property
    def steps(self) -> tuple[str, ...]:
        """What each step of the plan was for."""
        return tuple(note for (note,) in self._rows("SELECT note FROM steps ORDER BY number"))

    def history(self, *, reopened: bool = False) -> History:
        """Return what is planned and finished, as pairing sees it; if `reopened` as if nothing had been decided."""
        history, meta = History(), self.meta
        history.decision, history.undecided = None if reopened else self.decision, meta.get(UNDECIDED, 0)
        history.choose({(a, b): target for a, b, target in self._rows("SELECT a, b, target FROM pairs ORDER BY place")})
        history.plan(self.planned())
        history.benched.update(self.benched)
        history.forgiven.update(meta.get(READMITTED, {}))
        lost = f"SELECT {PLANNED} FROM games WHERE result IS NULL AND {_given_up(reopened=reopened)} ORDER BY number"  # noqa: S608
        history.give_up(_planned(row) for row in self._rows(lost))
        columns = "first, second, result, step, turn, termination"
        sql = f"SELECT {columns} FROM games WHERE result IS NOT NULL ORDER BY finished, number"  # noqa: S608
        for first, second, result, step, turn, termination in self._rows(sql):
            history.finish(Played(first, second, result, step, turn, termination in FAILURES))
        return history

    @property
    def counts(self) -> Counts:
        """How far the run is."""
        begun = "total(attempts - voids) - count(result)"
        sql = f"SELECT total(NOT given_up), count(result), {begun}, total(voids) FROM games"  # noqa: S608
        return Counts(*map(int, self._rows(sql)[0]))

    @property
    def scheduled(self) -> int:
        """The number of scheduled games, finished or not."""
        return self.counts.scheduled

    @property
    def seconds_per_game(self) -> float | None:
        """Seconds from the last start of a manager to its last finished game, per game; None if it finished none."""
        since = str(self.starts[-1].get("at") or "~")  # after every time
        games, last = self._rows("SELECT count(*), max(finished) FROM games WHERE finished > ?", (since,))[0]
        if not games:
            return None
        took = datetime.fromisoformat(last) - datetime.fromisoformat(since)
        return took.total_seconds() / int(games)

    @property
    def state(self) -> str:
        """`finished`, `running` (a manager holds its lock), or `interrupted`."""
        counts = self.counts
        if is_locked(self.folder):
            return "running"
        is_complete = self.decision is not None or not self.absent
        is_over = counts.finished == counts.scheduled and OVER in self.meta and is_complete
        return "finished" if is_over else "interrupted"

    @contextlib.contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """See the run as it is now in all that is read inside; to be left soon, for a manager may wait."""
        self._database.execute("BEGIN")
        try:
            yield
        finally:
            self._database.rollback()

    def _rows(self, sql: str, values: Sequence[int | str] = ()) -> list[Any]:
        try:
            return self._database.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.ProgrammingError):
                raise
            raise _unusable(self.folder, error) from error


class Journal(Store):
    """A run as its manager sees it. At most one per folder: its maker holds the folder's lock.

    All methods block for a disk write. They may be called from any thread, but from one at a time.
    """

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the run in `folder` for writing, or make an empty one there.

        Raises:
            UsageError: what is there is no run, or one of another version.
            WorkError: the disk is full or broken.

        """
        try:
            database = sqlite3.connect(folder / FILE, isolation_level=None, check_same_thread=False)
            version, tables = _version_and_tables(database)
            if version not in (0, VERSION) or (version == 0 and tables):
                database.close()
                raise UsageError(f"{folder / FILE}: expected a run of version {VERSION}, got {version}")
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("PRAGMA synchronous=FULL")
        except sqlite3.DatabaseError as error:
            raise _unusable(folder, error) from error
        return cls(folder, database)

    def close(self) -> None:
        """Let go of the file, and leave one file only, which readers need not write beside."""
        with contextlib.suppress(sqlite3.OperationalError):  # somebody reads at this moment: the WAL stays
            self._database.execute("PRAGMA journal_mode=DELETE")
        super().close()

    @property
    def is_new(self) -> bool:
        """Whether nothing has been written yet."""
        return bool(self._rows("PRAGMA user_version")[0][0] == 0)

    def record_start(self, meta: dict[str, Any], identities: dict[str, Any]) -> None:
        """Write what a new run is made of, or what was added to one: players that are there stay as they are.

        One transaction, as are the others.
        """
        with self._transaction() as database:
            if self.is_new:
                for statement in SCHEMA.split(";\n"):
                    database.execute(statement)
                database.execute(f"PRAGMA user_version = {VERSION}")
            database.executemany(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)", [(k, json.dumps(v)) for k, v in meta.items()]
            )
            players = [(name, json.dumps(identity)) for name, identity in identities.items()]
            database.executemany("INSERT OR IGNORE INTO players (name, identity) VALUES (?, ?)", players)
            database.execute("UPDATE games SET voids = attempts WHERE result IS NULL AND attempts > voids")

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
            if undecided:
                database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (UNDECIDED, json.dumps(undecided)))
            database.execute("INSERT INTO steps (at, note) VALUES (?, ?)", (at, note))
            known = {frozenset(pair): pair for pair in self.pairs}
            targets = [(*known.get(frozenset(pair), pair), target) for pair, target in pairs.items()]
            database.executemany(
                "INSERT INTO pairs (a, b, target) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET target = excluded.target",
                targets,
            )
            texts = [(place, " ".join(moves)) for place, moves in enumerate(openings, start=1)]
            database.executemany("INSERT OR IGNORE INTO openings (place, moves) VALUES (?, ?)", texts)
            database.executemany(
                "INSERT INTO games (number, id, first, second, opening, step, turn) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(g.number, g.id, g.first, g.second, " ".join(g.opening), g.step, g.turn) for g in games],
            )

    def record_end(self, note: str) -> None:
        """Write that nothing more is planned, and why."""
        with self._transaction() as database:
            database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (OVER, json.dumps(note)))

    def decide(self, decision: Decision) -> None:
        """Write what was found, and give up the games that have no result: those under way come back as they end."""
        found = [(DECISION, json.dumps(msgspec.to_builtins(decision))), (OVER, json.dumps(decision.why))]
        with self._transaction() as database:
            database.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", found)
            database.execute("UPDATE games SET given_up = ? WHERE result IS NULL AND NOT given_up", (DECIDED,))

    def reopen(self) -> None:
        """Forget what was found, and take back the games that were given up for it."""
        with self._transaction() as database:
            database.executemany("DELETE FROM meta WHERE key = ?", [(DECISION,), (OVER,)])
            database.execute("UPDATE games SET given_up = 0 WHERE given_up = ?", (DECIDED,))

    def record_absent(self, why: Mapping[str, str]) -> None:
        """Write who is missing, and why."""
        with self._transaction() as database:
            database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (ABSENT, json.dumps(dict(why))))

    def bench(self, name: str, why: str) -> None:
        """Write that a player gets no more games, and give up those that it has not begun."""
        with self._transaction() as database:
            database.execute("UPDATE players SET benched = ? WHERE name = ?", (why, name))
            given_up = "UPDATE games SET given_up = ? WHERE result IS NULL AND ? IN (first, second)"
            database.execute(given_up, (BENCHED, name))

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
        self._database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (READMITTED, json.dumps(forgiven)))
        self._database.execute("UPDATE players SET benched = NULL WHERE name = ?", (name,))
        self._database.execute(
            "UPDATE games SET given_up = 0 WHERE given_up = ? AND ? IN (first, second) AND NOT EXISTS "
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

    def write(self, begun: Iterable[str], void: Iterable[str], finished: Iterable[GameRecord]) -> None:
        """Write that games began, became void, and ended. One transaction; on return it is on the disk."""
        with self._transaction() as database:
            database.executemany("UPDATE games SET attempts = attempts + 1 WHERE id = ?", [(id_,) for id_ in begun])
            database.executemany("UPDATE games SET voids = voids + 1 WHERE id = ?", [(id_,) for id_ in void])
            database.executemany(
                "UPDATE games SET moves = ?, result = ?, termination = ?, detail = ?, started = ?, finished = ?, "
                "seconds_first = ?, seconds_second = ?, given_up = 0 WHERE id = ? AND result IS NULL",
                [_columns(record) for record in finished],
            )

    def _transaction(self) -> _Transaction:
        return _Transaction(self._database)


class _Transaction:
    """BEGIN IMMEDIATE … COMMIT, or ROLLBACK after an exception, which may be that of the COMMIT: a full disk, say."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def __enter__(self) -> sqlite3.Connection:
        self._database.execute("BEGIN IMMEDIATE")
        return self._database

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._database.execute("COMMIT")
        finally:
            if self._database.in_transaction:  # after some errors SQLite has rolled back already
                self._database.execute("ROLLBACK")


def find_run(text: str, results: Path = Path("results")) -> Path:
    """Return the folder of a run given as a path, or as its name under `results`.

    Raises:
        UsageError: there is none; the message names the nearest run.

    """
    for folder in (Path(text), results / text):
        if (folder / FILE).is_file():
            return folder
    known = [path.parent.name for path in results.glob(f"*/{FILE}")]
    raise UsageError(
        f"no run {text!r}: neither a folder with a {FILE} nor a name under {results}/{nearest(text, known)}"
    )


def _unusable(folder: Path, error: sqlite3.DatabaseError) -> UsageError | WorkError:
    """Return what to say of a file that SQLite cannot use: it is no run, or the disk is full or broken."""
    if error.sqlite_errorcode & 0xFF in DISK_ERRORS:
        return WorkError(f"{folder / FILE}: cannot be written: {error}")
    return UsageError(f"{folder / FILE}: cannot be read as a run: {error}")


def _version_and_tables(database: sqlite3.Connection) -> tuple[int, int]:
    version = database.execute("PRAGMA user_version").fetchone()[0]
    return version, database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def _record(row: Sequence[Any]) -> GameRecord:
    id_, number, first, second, opening, moves, *rest = row
    return GameRecord(id_, number, first, second, _moves(opening), _moves(moves), *rest)


def _planned(row: Sequence[Any]) -> PlannedGame:
    number, id_, first, second, opening, step, turn = row
    return PlannedGame(id_, number, first, second, _moves(opening), step, turn)


def _given_up(*, reopened: bool) -> str:
    return f"(given_up = {BENCHED})" if reopened else "given_up"


def _moves(text: str) -> tuple[str, ...]:
    """Return moves as one string for each different one: thousands of games hold the same few."""
    return tuple(map(sys.intern, text.split()))


def _columns(record: GameRecord) -> tuple[Any, ...]:
    return (
        *(" ".join(record.moves), record.result, record.termination, record.detail, record.started, record.finished),
        *(record.seconds_first, record.seconds_second, record.id),
    )
