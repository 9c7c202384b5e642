"""The writing side of a run's store, for its manager: each event in one transaction."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec

from fiedler.games.openings import Opening
from fiedler.support.errors import UsageError, WorkError
from fiedler.tournament.dispute import Dispute, WithdrawnDispute
from fiedler.tournament.game import GameRecord, PlannedGame, now
from fiedler.tournament.pairing.chosen_player import Standing
from fiedler.tournament.pairing.disputes import end_by_disputes, stopped_pairs
from fiedler.tournament.pairing.plan import Decision
from fiedler.tournament.run import schema
from fiedler.tournament.run.given_up import DECIDED, DISPUTED, ELSEWHERE, mark_given_up
from fiedler.tournament.run.metadata import (
    ABSENT,
    ADDED,
    ANNULLED,
    AWAY,
    CREDITS,
    DECISION,
    DISPUTES,
    OVER,
    READMITTED,
    STANDING,
    UNDECIDED,
    WITHDRAWN,
)
from fiedler.tournament.run.records import OPENING, PLANNED
from fiedler.tournament.run.run_file import FILE, readable
from fiedler.tournament.run.schema import (
    READABLE,
    SCHEMA,
    SEALED,
    VERSION,
    connect,
    refuse_version,
    seal,
    version_and_tables,
)
from fiedler.tournament.run.store import Store
from fiedler.tournament.run.upgrade import upgrade
from fiedler.tournament.schedule.pairs import Pair
from fiedler.tournament.schedule.schedule import PlayerEntry, Schedule

BESIDE = ("events.jsonl", "schedule.toml", "ranking.txt", "games.pgn")
"""Files of a run beside its store."""

OUTCOME = (
    *("moves", "result", "termination", "detail", "started", "finished"),
    *("seconds_first", "seconds_second", "evaluations"),
)
"""The columns of a game that its end fills, and `sides`, which is empty before."""

ENDED = "the manager has ended"
"""The reason of an attempt that was under way when a manager was killed."""


class Attempt(NamedTuple):
    """An attempt at a game."""

    game: str
    """The id of the game."""
    number: int
    """Number of the attempt, from 1."""
    start: int
    """Number of the manager's start that granted it, from 1."""
    node: str = ""
    """The place where it is played; empty: the machine of the manager."""


class VoidAttempt(NamedTuple):
    """An attempt that ended without a result."""

    attempt: Attempt
    at: str
    """The time of its end, ISO 8601."""
    why: str


class Journal(Store):
    """A run for its manager. At most one per folder: its maker holds the folder's lock.

    All methods block for a disk write. They may be called from any thread, but from one at a time.
    """

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the run in `folder` for writing, or make an empty one there.

        Raises:
            UsageError: the file is not a run, a damaged one, or one of another version.
            WorkError: the disk is full or broken.

        """
        _refuse_emptied(folder)
        with contextlib.ExitStack() as stack, readable(folder):
            database = connect(str(folder / FILE))
            stack.callback(database.close)
            version, tables = version_and_tables(database)
            if version not in (0, *READABLE) or (version == 0 and tables):
                raise refuse_version(folder / FILE, version)
            journal = cls(folder, database)
            if version:
                journal.refuse_damage()
            journal.trust()
            if version and version < VERSION:
                upgrade(folder, database, version)
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("PRAGMA synchronous=FULL")
            stack.pop_all()
        return journal

    def close(self) -> None:
        """Close the file, without a WAL, so that readers need no right to write."""
        with contextlib.suppress(sqlite3.DatabaseError):  # while another program reads, the WAL stays
            self._database.execute("PRAGMA journal_mode=DELETE")
        super().close()

    _forgets = False
    _seen: int | None = None

    def begin_reading(self) -> None:
        """Note the state of the file: a start that is planned on it follows no other one."""
        self._seen = self._state_elsewhere()

    def _state_elsewhere(self) -> int:
        """Return a number that changes with each transaction of another connection."""
        return int(self._database.execute("PRAGMA data_version").fetchone()[0])

    @property
    def is_new(self) -> bool:
        """Whether nothing has been written yet, or the next start replaces a plan without a finished game."""
        return self._forgets or self.is_empty

    @property
    def is_empty(self) -> bool:
        """Whether nothing has been written yet."""
        with readable(self.folder):
            return _is_new(self._database)

    def record_start(self, meta: dict[str, Any], identities: dict[str, Any]) -> None:
        """Write the metadata and players of a new run, or the new ones of a resumed run; known players do not change.

        One transaction, as are the others.

        Raises:
            WorkError: another manager, which may have lost its lock, has written since `begin_reading`.

        """
        with self._transaction() as database:
            if self._seen not in (None, self._state_elsewhere()):
                raise WorkError(
                    f"{self.folder}: another manager has written to this run meanwhile; the same command resumes it"
                )
            if self._forgets:
                meta = {**meta, "starts": [*self.starts, *meta["starts"]]}
                _drop_tables(database)
            if self.is_new:
                _make_tables(database)
            self._put(meta)
            players = [(name, json.dumps(identity)) for name, identity in identities.items()]
            database.executemany("INSERT OR IGNORE INTO players (name, identity) VALUES (?, ?)", players)
            disputed = json.dumps([dispute.id for dispute in self.disputes])
            begun = "result IS NULL AND attempts > voids AND id NOT IN (SELECT value FROM json_each(?))"
            columns = "game, attempt, start, node, at, why"
            ended = f"SELECT id, attempts, start, node, ?, ? FROM games WHERE {begun}"  # noqa: S608
            database.execute(f"INSERT INTO void_attempts ({columns}) {ended}", (now(), ENDED, disputed))
            database.execute(f"UPDATE games SET voids = attempts, seal = NULL WHERE {begun}", (disputed,))  # noqa: S608
        self._forgets = False

    @contextlib.contextmanager
    def making(self, meta: Mapping[str, Any]) -> Iterator[sqlite3.Connection]:
        """Make a whole run with this metadata, whose tables the block fills; one transaction."""
        with self._transaction() as database:
            _make_tables(database)
            self._put(meta)
            yield database

    def put(self, key: str, value: object) -> None:
        """Write a row of the metadata, as a part of a transaction."""
        self._put({key: value})

    def record_step(
        self,
        at: str,
        note: str,
        pairs: Mapping[Pair, int],
        openings: Sequence[Opening],
        games: Iterable[PlannedGame],
        undecided: int = 0,
        standing: Standing | None = None,
    ) -> None:
        """Write a step of the plan: the pairs that meet, all openings so far, and the step's games.

        After the first `undecided` steps of the plan nothing was decided; a goal had this `standing` then.
        """
        schedule, stopped = self.schedule, stopped_pairs(self.disputes)

        def given_up(game: PlannedGame) -> int:
            if not schedule.plays(game.number):
                return ELSEWHERE
            return DISPUTED if frozenset((game.first, game.second)) in stopped else 0

        with self._transaction() as database:
            database.execute("DELETE FROM meta WHERE key = ?", (OVER,))
            self._put({UNDECIDED: undecided, **_stored(standing)} if undecided else {})
            database.execute("INSERT INTO steps (at, note) VALUES (?, ?)", (at, note))
            known = {frozenset(pair): pair for pair in self.pairs}
            targets = [(*known.get(frozenset(pair), pair), target) for pair, target in pairs.items()]
            database.executemany(
                "INSERT INTO pairs (a, b, target) VALUES (?, ?, ?) "
                "ON CONFLICT DO UPDATE SET target = excluded.target, seal = NULL",
                targets,
            )
            texts = [(place, " ".join(moves), start) for place, (moves, start) in enumerate(openings, start=1)]
            database.executemany(f"INSERT OR IGNORE INTO openings (place, {OPENING}) VALUES (?, ?, ?)", texts)  # noqa: S608
            database.executemany(
                f"INSERT INTO games ({PLANNED}, given_up) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608
                [
                    (*(g.number, g.id, g.first, g.second, " ".join(g.opening), g.step, g.turn, g.start), given_up(g))
                    for g in games
                ],
            )

    def record_end(self, note: str, standing: Standing | None = None) -> None:
        """Write the end of the plan and its reason, and the standing of a goal that is not met."""
        with self._transaction():
            self._put({OVER: note, **_stored(standing)})

    def decide(self, decision: Decision) -> None:
        """Write a decision, and give up the games without a result; the running ones count again when they end."""
        with self._transaction() as database:
            self._put({DECISION: msgspec.to_builtins(decision), OVER: decision.why, **_stored(decision.standing)})
            left = "result IS NULL AND NOT given_up"
            database.execute(f"UPDATE games SET given_up = ?, seal = NULL WHERE {left}", (DECIDED,))  # noqa: S608

    def reopen(self) -> None:
        """Remove the decision, and restore the games that it gave up."""
        with self._transaction() as database:
            database.executemany("DELETE FROM meta WHERE key = ?", [(DECISION,), (OVER,), (STANDING,)])
            database.execute("UPDATE games SET given_up = 0, seal = NULL WHERE given_up = ?", (DECIDED,))
            self._mark_given_up()

    def record_absent(self, why: Mapping[str, str]) -> None:
        """Write the missing players and the reasons."""
        with self._transaction():
            self._put({ABSENT: dict(why)})

    def record_away(self, since: Mapping[str, str]) -> None:
        """Write the players that are away, and the times since when."""
        with self._transaction("meta"):
            self._put({AWAY: dict(since)})

    def bench(self, name: str, why: str) -> None:
        """Bench a player, and give up its games that have not begun."""
        with self._transaction() as database:
            database.execute("UPDATE players SET benched = ?, seal = NULL WHERE name = ?", (why, name))
            self._mark_given_up()

    def readmit(self, name: str) -> None:
        """Let a benched player play again, also the games that were given up.

        Its earlier failures do not bench it again.
        """
        with self._transaction():
            self._readmit(name)

    @contextlib.contextmanager
    def supposing_readmitted(self, names: Iterable[str]) -> Iterator[None]:
        """Read the run as if these players were readmitted; nothing is written."""
        with self.at_one_moment():
            for name in names:
                self._readmit(name)
            yield

    def _readmit(self, name: str) -> None:
        forgiven = {**self.meta.get(READMITTED, {}), name: self.counts.finished}
        self._put({READMITTED: forgiven})
        self._database.execute("UPDATE players SET benched = NULL, seal = NULL WHERE name = ?", (name,))
        self._mark_given_up()

    def _mark_given_up(self) -> None:
        """Mark the games that are given up now, as a part of a transaction."""
        mark_given_up(self._database, self.schedule, self.disputes)

    def add_players(self, schedule: Schedule, identities: Mapping[str, Any], added: Sequence[PlayerEntry]) -> None:
        """Write players that were added by hand, and the schedule with them."""
        with self._transaction() as database:
            self._put({"schedule": msgspec.to_builtins(schedule)})
            self._put({ADDED: msgspec.to_builtins((*self.added, *added))})
            players = [(player.name, json.dumps(identities[player.name])) for player in added]
            database.executemany("INSERT INTO players (name, identity) VALUES (?, ?)", players)

    def take_back(self, end: GameRecord | Dispute, at: str, why: str) -> None:
        """Let the end of a game count no more, and plan it again; see `annul` and `withdraw`."""
        if isinstance(end, Dispute):
            self.withdraw(end, at, why)
        else:
            self.annul(end, at, why)

    def annul(self, record: GameRecord, at: str, why: str) -> None:
        """Let a finished game count no more, and plan it again, unless its players are benched or meet no more.

        Its record stays in the metadata.
        """
        with self._transaction() as database:
            self._put({ANNULLED: [*self.annulled, {"at": at, "why": why, **msgspec.to_builtins(record)}]})
            database.execute("DELETE FROM meta WHERE key = ?", (OVER,))
            nothing = ", ".join(f"{column} = NULL" for column in OUTCOME)
            sql = f"UPDATE games SET {nothing}, sides = '', voids = attempts, seal = NULL WHERE id = ?"  # noqa: S608
            database.execute(sql, (record.id,))
            self._mark_given_up()

    def withdraw(self, dispute: Dispute, at: str, why: str) -> None:
        """Let a dispute count no more, and plan its game again, with those that only this dispute ended."""
        with self._transaction() as database:
            self._put({DISPUTES: msgspec.to_builtins([one for one in self.disputes if one.id != dispute.id])})
            self._put({WITHDRAWN: msgspec.to_builtins([*self.withdrawn, WithdrawnDispute(at, why, dispute)])})
            database.execute("DELETE FROM meta WHERE key = ?", (OVER,))
            database.execute("UPDATE games SET voids = attempts, seal = NULL WHERE id = ?", (dispute.id,))
            self._mark_given_up()

    def forget_plan(self) -> None:
        """Let the next start replace the plan of a run without a finished game.

        Its starts stay: an earlier one may still have games under way at a node.
        """
        assert not self.has_begun
        self._forgets = True

    def write(
        self,
        begun: Iterable[Attempt],
        void: Iterable[VoidAttempt],
        finished: Iterable[tuple[GameRecord, Attempt]],
        credits_ms: Sequence[tuple[str, float]] = (),
        disputed: Sequence[tuple[Dispute, Attempt]] = (),
    ) -> set[Attempt]:
        """Write starts, voids and ends of games, each at an attempt. On return they are on the disk.

        One transaction. A record, or a dispute, counts only at the latest attempt of its game, of the same start, and
        only while that is not void; the attempts of others are returned, and nothing of them is written. Of a start
        that another one has followed nothing counts: a manager that was frozen may have lost its lock on the folder.
        `credits_ms` are lag credits, in milliseconds per move, each of one player in one game.
        """
        void = list(void)
        changes_meta = credits_ms or void or disputed
        tables = ["games", *(["meta"] if changes_meta else []), *(["void_attempts"] if void else [])]
        with _Transaction(self._database, tables, [table for table in tables if table != "games"]) as database:
            if credits_ms:
                self._put({CREDITS: self._credits_with(credits_ms)})
            newest = _newest_start(database)
            _begin(database, [attempt for attempt in begun if attempt.start >= newest])
            _void(database, [one for one in void if one.attempt.start >= newest])
            refused = {
                attempt
                for record, attempt in finished
                if attempt.start < newest or not _finish(database, record, attempt)
            }
            return refused | {
                attempt
                for dispute, attempt in disputed
                if attempt.start < newest or not self._dispute(database, dispute, attempt)
            }

    def _dispute(self, database: sqlite3.Connection, dispute: Dispute, attempt: Attempt) -> bool:
        """Give up the game of a dispute if its attempt is the present one, and the games that it ends."""
        done = database.execute(
            "UPDATE games SET given_up = ?, seal = NULL "
            "WHERE id = ? AND result IS NULL AND attempts = ? AND start = ? AND voids < attempts",
            (DISPUTED, dispute.id, attempt.number, attempt.start),
        )
        if not done.rowcount:
            return False
        disputes = [*self.disputes, dispute]
        self._put({DISPUTES: msgspec.to_builtins(disputes)})
        if over := end_by_disputes(self.schedule, disputes):
            self._put({OVER: over})
        self._mark_given_up()
        return True

    def _credits_with(self, credits_ms: Iterable[tuple[str, float]]) -> dict[str, tuple[int, float]]:
        """Return the games with lag credits of each player, and the sum of the credits."""
        sums: dict[str, tuple[int, float]] = self.meta.get(CREDITS, {})
        for name, credit in credits_ms:
            games, total = sums.get(name, (0, 0.0))
            sums[name] = games + 1, round(total + credit, 3)
        return sums

    def _put(self, meta: Mapping[str, Any]) -> None:
        texts = [(key, json.dumps(value)) for key, value in meta.items()]
        self._database.executemany("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", texts)

    def _transaction(self, *tables: str) -> _Transaction:
        """Begin a transaction that writes into these tables; without names into all."""
        return _Transaction(self._database, tables or tuple(SEALED))


class _Transaction:
    """BEGIN IMMEDIATE … COMMIT, or ROLLBACK after an exception, also of the COMMIT on a full disk."""

    def __init__(self, database: sqlite3.Connection, tables: Sequence[str], grow: Sequence[str] = ()) -> None:
        """Seal the rows that are written into these `tables`, of which those in `grow` get more; by default all."""
        self._database = database
        self._tables = tables
        self._grow = grow or tables

    def __enter__(self) -> sqlite3.Connection:
        self._database.execute("BEGIN IMMEDIATE")
        return self._database

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                if not _is_new(self._database):
                    self._complete()
                self._database.execute("COMMIT")
        finally:
            if self._database.in_transaction:  # after some errors SQLite has rolled back already
                self._database.execute("ROLLBACK")

    def _complete(self) -> None:
        """Seal the rows, and count them; a game that ends adds none."""
        if "meta" in self._tables:
            schema.count(self._database, self._grow)
            self._database.execute(f"PRAGMA user_version = {VERSION}")
        seal(self._database, self._tables)


def _refuse_emptied(folder: Path) -> None:
    """Refuse an empty file beside others of a run: that run would silently start anew."""
    beside = [name for name in BESIDE if (folder / name).is_file()]
    if beside and (folder / FILE).is_file() and not (folder / FILE).stat().st_size:
        wrong = f"it is empty beside {beside[0]} of a run; restore it, or move the folder away"
        raise UsageError(f"{folder / FILE}: cannot be read as a run: {wrong}")


def _drop_tables(database: sqlite3.Connection) -> None:
    for table in SEALED:
        database.execute(f"DROP TABLE {table}")
    database.execute("PRAGMA user_version = 0")


def _make_tables(database: sqlite3.Connection) -> None:
    for statement in SCHEMA.split(";\n"):
        database.execute(statement)
    database.execute(f"PRAGMA user_version = {VERSION}")


def _is_new(database: sqlite3.Connection) -> bool:
    return bool(database.execute("PRAGMA user_version").fetchone()[0] == 0)


def _newest_start(database: sqlite3.Connection) -> int:
    found = database.execute("SELECT json_array_length(value) FROM meta WHERE key = 'starts'").fetchone()
    return int(found[0]) if found else 0


def _begin(database: sqlite3.Connection, begun: Iterable[Attempt]) -> None:
    """Write the attempts that are later than the ones of their games so far."""
    database.executemany(
        "UPDATE games SET attempts = ?, start = ?, node = ?, seal = NULL "
        "WHERE id = ? AND attempts < ? AND result IS NULL",
        [(number, start, node, game, number) for game, number, start, node in begun],
    )


def _stored(standing: Standing | None) -> Mapping[str, Any]:
    """Return the row of the chosen player of a goal, if there is one."""
    return {} if standing is None else {STANDING: msgspec.to_builtins(standing)}


def _void(database: sqlite3.Connection, void: Iterable[VoidAttempt]) -> None:
    """Write attempts without a result, as far as their start is the present one."""
    for (game, number, start, node), at, why in void:
        done = database.execute(
            "UPDATE games SET voids = ?, seal = NULL "
            "WHERE id = ? AND voids < ? AND attempts >= ? AND start = ? AND result IS NULL",
            (number, game, number, number, start),
        )
        if done.rowcount:
            database.execute(
                "INSERT INTO void_attempts (game, attempt, start, node, at, why) VALUES (?, ?, ?, ?, ?, ?)",
                (game, number, start, node, at, why),
            )


def _finish(database: sqlite3.Connection, record: GameRecord, attempt: Attempt) -> bool:
    """Write a record if its attempt is the present one."""
    done = database.execute(
        "UPDATE games SET moves = ?, result = ?, termination = ?, detail = ?, started = ?, finished = ?, "
        "seconds_first = ?, seconds_second = ?, evaluations = ?, sides = ?, given_up = 0, seal = NULL "
        "WHERE id = ? AND result IS NULL AND attempts = ? AND start = ? AND voids < attempts",
        (
            *(" ".join(record.moves), record.result, record.termination, record.detail),
            *(record.started, record.finished, record.seconds_first, record.seconds_second),
            *(record.evaluations, record.sides),
            *(record.id, attempt.number, attempt.start),
        ),
    )
    return done.rowcount > 0
