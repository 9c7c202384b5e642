"""The tables of run.sqlite, the seal of every row and the numbers of rows, which reveal damage."""

from __future__ import annotations

import functools
import itertools
import json
import sqlite3
import zlib
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from fiedler.games.game import START
from fiedler.support.errors import UsageError, printable, quoted_input
from fiedler.support.text import counted
from fiedler.tournament.run.rows import row_name, wrong_row

VERSION = 7
"""Version of the schema; it rises with every change of a table."""
READABLE = (4, 5, 6, VERSION)
"""The versions that are read; `upgrade.py` makes the newest of them before the first write.

Version 4 does not count its rows; before version 6 a game has no start and no node, and the reasons of void attempts
are missing; before version 7 every game begins at the start position, and its sides take turns.
"""
COUNTED, PLACED, POSITIONED = 5, 6, 7
"""The first versions that count their rows, that know the start and the node of an attempt, and the position at which a
game begins.
"""
LATER = {
    "start": (PLACED, "0"),
    "node": (PLACED, "''"),
    "start_position": (POSITIONED, f"'{START}'"),
    "sides": (POSITIONED, "''"),
}
"""Column -> the first version that has it, and its value in an earlier one, in SQL."""

_ATTEMPT = "start INTEGER NOT NULL DEFAULT 0, node TEXT NOT NULL DEFAULT '',"
_POSITION = f"start_position TEXT NOT NULL DEFAULT '{START}',"
_SIDES = "sides TEXT NOT NULL DEFAULT '',"
_VOIDS = """CREATE TABLE void_attempts (
    place INTEGER PRIMARY KEY, game TEXT NOT NULL, attempt INTEGER NOT NULL, start INTEGER NOT NULL,
    node TEXT NOT NULL, at TEXT NOT NULL, why TEXT NOT NULL, seal INTEGER, UNIQUE (game, attempt)
);
"""

SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, seal INTEGER);
CREATE TABLE players (
    place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, identity TEXT NOT NULL, benched TEXT, seal INTEGER
);
CREATE TABLE steps (number INTEGER PRIMARY KEY, at TEXT NOT NULL, note TEXT NOT NULL, seal INTEGER);
CREATE TABLE pairs (
    place INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL, target INTEGER NOT NULL, seal INTEGER, UNIQUE (a, b)
);
CREATE TABLE openings (place INTEGER PRIMARY KEY, moves TEXT NOT NULL, {_POSITION} seal INTEGER);
CREATE TABLE games (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    first TEXT NOT NULL, second TEXT NOT NULL, opening TEXT NOT NULL,
    step INTEGER NOT NULL, turn INTEGER NOT NULL, given_up INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0, voids INTEGER NOT NULL DEFAULT 0,
    {_ATTEMPT} {_POSITION} {_SIDES}
    moves TEXT, result TEXT CHECK (result IN ('1-0', '0-1', '1/2-1/2')), termination TEXT, detail TEXT,
    started TEXT, finished TEXT, seconds_first REAL, seconds_second REAL, evaluations TEXT,
    seal INTEGER,
    CHECK ((result IS NULL) = (moves IS NULL) AND (result IS NULL) = (finished IS NULL))
);
CREATE INDEX unsealed ON games (seal) WHERE seal IS NULL;
{_VOIDS}"""

SEALED = {
    "meta": "key, value",
    "players": "place, name, identity, benched",
    "steps": "number, at, note",
    "pairs": "place, a, b, target",
    "openings": "place, moves, start_position",
    "games": (
        "number, id, first, second, opening, step, turn, given_up, attempts, voids, start, node, "
        "start_position, sides, "
        "moves, result, termination, detail, started, finished, seconds_first, seconds_second, "
        "evaluations"
    ),
    "void_attempts": "place, game, attempt, start, node, at, why",
}
"""Table -> the columns that the seal of a row covers."""
ROWS = "rows"
"""Key of `meta`: table -> the number of its rows, so that removed ones are missed."""
STEPS, STEPS_PER_BYTE = 20_000_000, 20
"""Steps of SQLite's machine for a query, and more of them for each byte of the file: a sound file needs far fewer."""
STEPS_AT_A_TIME = 100_000


def connect(path: str, *, uri: bool = False) -> sqlite3.Connection:
    """Open a run's file, for any thread and without Python's implicit transactions."""
    return sqlite3.connect(path, uri=uri, isolation_level=None, check_same_thread=False)


def version_and_tables(database: sqlite3.Connection) -> tuple[int, int]:
    """Return the version of a file, 0 before the first write, and its number of tables and indices."""
    version = database.execute("PRAGMA user_version").fetchone()[0]
    return version, database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def limit_steps(database: sqlite3.Connection, size: int) -> None:
    """Have the next query of a file of this size interrupted if it takes more steps than a sound file can need.

    No line of Python runs meanwhile: a Ctrl-C in one would reach its caller as an error of the file.
    """
    steps = STEPS + STEPS_PER_BYTE * size
    answers = itertools.chain(itertools.repeat(0, steps // STEPS_AT_A_TIME), itertools.repeat(1))
    database.set_progress_handler(answers.__next__, STEPS_AT_A_TIME)


def sealed_by(version: int) -> dict[str, str]:
    """Return the tables of a file of this version, each with the columns that the seal of a row covers."""
    tables = {table: _known(columns, version) for table, columns in SEALED.items()}
    if version < PLACED:
        del tables["void_attempts"]
    return tables


def _known(columns: str, version: int) -> str:
    """Return those of some columns that a file of this version has."""
    return ", ".join(column for column in columns.split(", ") if LATER.get(column, (0,))[0] <= version)


def readable_columns(columns: str, version: int) -> str:
    """Return columns as a file of this version is asked for them: a later one has its value of before."""
    later = {column: value for column, (since, value) in LATER.items() if since > version}
    return ", ".join(f"{later[one]} AS {one}" if one in later else one for one in columns.split(", "))


def difference(database: sqlite3.Connection) -> str:
    """Return a table, index, view or trigger that differs from those of a run, in words; empty if none does."""
    version, _ = version_and_tables(database)
    found, expected = _objects(database), _expected(version)
    for kind, name in found:
        if (kind, name) not in expected:
            return f"expected the tables of a run, got the {printable(kind)} {quoted_input(name)}"
    for (kind, name), statement in expected.items():
        if (kind, name) not in found:
            return f"it lacks the {kind} {name}"
        if found[kind, name] != statement:
            return f"the {kind} {name} is not that of a run"
    return ""


@functools.cache
def _expected(version: int) -> Mapping[tuple[str, str], str]:
    missing = [
        *([_POSITION, _SIDES] if version < POSITIONED else []),
        *([_ATTEMPT, _VOIDS] if version < PLACED else []),
    ]
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(functools.reduce(lambda text, part: text.replace(part, ""), missing, SCHEMA))
        return _objects(database)


def _objects(database: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """Return the kind and the name of each object of a file -> its statement; without those of SQLite itself."""
    rows = database.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    found = {(str(kind), str(name)): " ".join(str(sql).split()) for kind, name, sql in rows}
    return {key: sql for key, sql in found.items() if not key[1].startswith("sqlite_")}


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


def count(database: sqlite3.Connection, tables: Iterable[str]) -> None:
    """Write the numbers of rows of these tables, `meta` among them; without earlier numbers those of all tables."""
    known = _numbers(database)
    numbers = {**(known or {}), **_counted(database, tables if known is not None else SEALED)}
    numbers["meta"] += known is None  # the row of this key
    database.execute(
        "INSERT INTO meta (key, value) VALUES (?, ?) "
        "ON CONFLICT DO UPDATE SET value = excluded.value, seal = NULL WHERE value != excluded.value",
        (ROWS, json.dumps(numbers)),
    )


def _numbers(database: sqlite3.Connection) -> dict[str, int] | None:
    row = database.execute("SELECT value FROM meta WHERE key = ?", (ROWS,)).fetchone()
    return None if row is None else dict(json.loads(row[0]))


def _counted(database: sqlite3.Connection, tables: Iterable[str]) -> dict[str, int]:
    sql = "SELECT count(*) FROM {}"
    return {table: database.execute(sql.format(table)).fetchone()[0] for table in tables}


def damage(database: sqlite3.Connection) -> str:
    """Return the damage of a run's file; empty if there is none.

    Raises:
        sqlite3.Error: it cannot be read.

    """
    (found,) = database.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        return printable(str(found).splitlines()[-1])
    version, _ = version_and_tables(database)
    sealed = sealed_by(version)
    for table, columns in sealed.items():
        rows = database.execute(f"SELECT seal, {columns} FROM {table}")  # noqa: S608
        changed = next((row for row in rows if row[0] != _seal(row[1:])), None)
        if changed is not None:
            return f"{row_name(table, changed[1])} is not as it was written"
    missing = "" if version < COUNTED else _missing(database, sealed)
    return missing or wrong_row(database, tuple(sealed))


def _missing(database: sqlite3.Connection, tables: Iterable[str]) -> str:
    try:
        written = _numbers(database)
    except (TypeError, ValueError, RecursionError):  # of another program that knows the seals
        return "the numbers of its rows cannot be read"
    if written is None:
        return "the numbers of its rows are missing"
    for table, number in _counted(database, tables).items():
        if number != written.get(table):
            return f"the table {table} has {counted(number, 'row')}, not {written.get(table)} as when it was written"
    return ""
