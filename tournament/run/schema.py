"""The tables of run.sqlite, and the seal of every row, which reveals damage."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable
from pathlib import Path

from support.errors import UsageError, printable

VERSION = 4
"""Version of the schema; it rises with every change of a table."""

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, seal INTEGER);
CREATE TABLE players (
    place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, identity TEXT NOT NULL, benched TEXT, seal INTEGER
);
CREATE TABLE steps (number INTEGER PRIMARY KEY, at TEXT NOT NULL, note TEXT NOT NULL, seal INTEGER);
CREATE TABLE pairs (
    place INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL, target INTEGER NOT NULL, seal INTEGER, UNIQUE (a, b)
);
CREATE TABLE openings (place INTEGER PRIMARY KEY, moves TEXT NOT NULL, seal INTEGER);
CREATE TABLE games (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    first TEXT NOT NULL, second TEXT NOT NULL, opening TEXT NOT NULL,
    step INTEGER NOT NULL, turn INTEGER NOT NULL, given_up INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0, voids INTEGER NOT NULL DEFAULT 0,
    moves TEXT, result TEXT CHECK (result IN ('1-0', '0-1', '1/2-1/2')), termination TEXT, detail TEXT,
    started TEXT, finished TEXT, seconds_first REAL, seconds_second REAL, evaluations TEXT,
    seal INTEGER,
    CHECK ((result IS NULL) = (moves IS NULL) AND (result IS NULL) = (finished IS NULL))
);
CREATE INDEX unsealed ON games (seal) WHERE seal IS NULL;
"""

SEALED = {
    "meta": "key, value",
    "players": "place, name, identity, benched",
    "steps": "number, at, note",
    "pairs": "place, a, b, target",
    "openings": "place, moves",
    "games": (
        "number, id, first, second, opening, step, turn, given_up, attempts, voids, "
        "moves, result, termination, detail, started, finished, seconds_first, seconds_second, "
        "evaluations"
    ),
}
"""Table -> the columns that the seal of a row covers."""


def connect(path: str, *, uri: bool = False) -> sqlite3.Connection:
    """Open a run's file, for any thread and without Python's implicit transactions."""
    return sqlite3.connect(path, uri=uri, isolation_level=None, check_same_thread=False)


def version_and_tables(database: sqlite3.Connection) -> tuple[int, int]:
    """Return the version of a file, 0 before the first write, and its number of tables and indices."""
    version = database.execute("PRAGMA user_version").fetchone()[0]
    return version, database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def refuse_version(path: Path, version: int) -> UsageError:
    """Return the error for a run whose schema has another version; 0 is a database that another program made."""
    if version == 0:
        return UsageError(f"{path}: expected a run of Fiedler, got a database of another program")
    if version > VERSION:
        return UsageError(
            f"{path}: schema {version} is of a newer Fiedler, this one reads {VERSION}: upgrade to read it"
        )
    old = f"schema {version} is of an older Fiedler, this one reads {VERSION}"
    return UsageError(f"{path}: {old}: read it with the version that wrote it, or play it again with --fresh")


def _seal(values: tuple[float | str | None, ...]) -> int:
    """Return a checksum of the values of a row, 32 bits.

    Not a function of SQLite's: an interrupt in one would reach its caller as an error of the file.
    """
    return zlib.crc32(ascii(values).encode("ascii"))


def seal(database: sqlite3.Connection, tables: Iterable[str]) -> None:
    """Seal the rows of these tables without a seal: every write leaves it out or removes it."""
    for table in tables:
        rows = database.execute(f"SELECT rowid, {SEALED[table]} FROM {table} WHERE seal IS NULL").fetchall()  # noqa: S608
        seals = [(_seal(tuple(values)), row) for row, *values in rows]
        database.executemany(f"UPDATE {table} SET seal = ? WHERE rowid = ?", seals)  # noqa: S608


def damage(database: sqlite3.Connection) -> str:
    """Return the damage of a run's file; empty if there is none.

    Raises:
        sqlite3.Error: it cannot be read.

    """
    (found,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        return printable(str(found).splitlines()[-1])
    for table, columns in SEALED.items():
        rows = database.execute(f"SELECT seal, {columns} FROM {table}")  # noqa: S608
        if any(written != _seal(tuple(values)) for written, *values in rows):
            return f"a row of the table {table} is not as it was written"
    return ""
