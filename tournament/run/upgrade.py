"""The file of a run in an older version, brought to the newest one: a copy of it stays beside it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from fiedler.support.errors import unwritable
from fiedler.tournament.run.run_file import FILE
from fiedler.tournament.run.schema import SCHEMA, SEALED, VERSION, count, readable_columns, seal, sealed_by


def copy_of(folder: Path, version: int) -> Path:
    """Return the path of the copy of a run's file that an upgrade from this version makes."""
    return folder / f"{FILE}.schema-{version}"


def upgrade(folder: Path, database: sqlite3.Connection, version: int) -> None:
    """Bring a sound file of this version to the newest one, in one transaction after a copy.

    A kill at any moment leaves a file of the one version or of the other.

    Raises:
        WorkError: the copy cannot be written; the file is as it was.
        sqlite3.Error: the disk does not take it; the file is as it was.

    """
    _copy(database, copy_of(folder, version))
    database.execute("BEGIN IMMEDIATE")
    try:
        _rebuild(database, version)
        database.execute(f"PRAGMA user_version = {VERSION}")
        count(database, SEALED)
        seal(database, SEALED)
        database.execute("COMMIT")
    finally:
        if database.in_transaction:
            database.execute("ROLLBACK")


def _copy(database: sqlite3.Connection, copy: Path) -> None:
    """Write a copy whole, then name it: an earlier one was of the same file, before a kill."""
    unfinished = copy.with_name(f"{copy.name}.new")
    try:
        unfinished.unlink(missing_ok=True)
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as target:
            database.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")
        unfinished.replace(copy)
    except OSError as error:
        raise unwritable(copy, error) from error


def _rebuild(database: sqlite3.Connection, version: int) -> None:
    """Make the tables and indices that differ anew; the rows of these tables are to be sealed again."""
    before = sealed_by(version)
    changed = [table for table, columns in before.items() if columns != SEALED[table]]
    for table in changed:
        database.execute(f"ALTER TABLE {table} RENAME TO {table}_before")
    database.execute("DROP INDEX unsealed")
    anew = [*(f"TABLE {table} " for table in SEALED if table in changed or table not in before), "INDEX unsealed "]
    for statement in SCHEMA.split(";\n"):
        if any(name in statement for name in anew):
            database.execute(statement)
    for table in changed:
        columns = SEALED[table]
        values = readable_columns(columns, version)
        database.execute(f"INSERT INTO {table} ({columns}) SELECT {values} FROM {table}_before")  # noqa: S608
        database.execute(f"DROP TABLE {table}_before")
