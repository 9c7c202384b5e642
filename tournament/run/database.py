"""The database of a run: opened, refused if it is damaged, and queried within bounds."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from fiedler.support.errors import UsageError
from fiedler.tournament.run.metadata import wrong_identity, wrong_metadata
from fiedler.tournament.run.records import OPENING
from fiedler.tournament.run.replayed import wrong_opening
from fiedler.tournament.run.run_file import FILE, file_size, not_begun, readable, refuse_absence, refuse_pipes
from fiedler.tournament.run.schema import (
    READABLE,
    ROWS,
    connect,
    damage,
    difference,
    limit_steps,
    readable_columns,
    refuse_version,
    version_and_tables,
)

LONGEST = 1 << 26
"""Bytes of the longest text or row that a reader takes, into memory: a sound one has a tenth of that."""


class RunDatabase:
    """The database of a run, for its readers. A context manager."""

    def __init__(self, folder: Path, database: sqlite3.Connection) -> None:
        self.folder = folder
        self._database = database
        self._is_trusted = False

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the database of an existing run for reading, after a check for damage.

        Raises:
            NoRunError: the folder has no run, or nothing is planned yet.
            UsageError: the run has another version or is damaged, or the file is not a run.

        """
        store = cls.open_again(folder)
        with contextlib.ExitStack() as stack:
            stack.callback(store.close)
            store.refuse_damage()
            stack.pop_all()
        return store

    @classmethod
    def open_again(cls, folder: Path) -> Self:
        """Open the database of a run that was just checked for damage; raises as `open`."""
        path = Path(folder) / FILE
        refuse_absence(folder)
        refuse_pipes(Path(folder))
        with contextlib.ExitStack() as stack, readable(Path(folder)):
            database = connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
            stack.callback(database.close)
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
            version, tables = version_and_tables(database)
            if not tables:
                begin = "the same `tournament run` command starts it"
                raise not_begun(folder, f"the run has not begun, it has no plan yet: {begin}")
            if version not in READABLE:
                raise refuse_version(path, version)
            store = cls(Path(folder), database)
            store._refuse_other_tables()
            stack.pop_all()
        return store

    def refuse_damage(self) -> None:
        """Check all tables, rows and numbers of rows.

        Raises:
            UsageError: one differs from the written one, or is not of this version.

        """
        self._refuse_other_tables()
        with readable(self.folder), self.at_one_moment():
            self._limit()
            wrong = damage(self._database)
        if wrong:
            raise UsageError(f"{self.folder / FILE}: cannot be read as a run: it is damaged: {wrong}")
        self._refuse_other_data()

    def _refuse_other_tables(self) -> None:
        with readable(self.folder), self.at_one_moment():
            self._limit()
            wrong = difference(self._database)
        if wrong:
            raise UsageError(f"{self.folder / FILE}: cannot be read as a run: {wrong}")

    def _refuse_other_data(self) -> None:
        """Refuse sound rows that another version, or another program, has written."""
        columns = self._columns(f"place, {OPENING}")
        openings = self._rows(f"SELECT {columns} FROM openings ORDER BY place")  # noqa: S608
        wrong = wrong_metadata(self._meta_rows()) or wrong_identity(self._identity_rows())
        wrong = wrong or wrong_opening(json.loads(dict(self._meta_rows())["game"]), openings)
        if wrong:
            raise UsageError(
                f"{self.folder / FILE}: cannot be read as a run: its data are not of this version: {wrong}"
            )

    def trust(self) -> None:
        """Read without a limit of steps from now on: the file is our own."""
        self._is_trusted = True
        self._database.set_progress_handler(None, 0)

    def _limit(self) -> None:
        """Bound the next query: a damaged file, or one of somebody else, may hold one that never ends."""
        if not self._is_trusted:
            limit_steps(self._database, file_size(self.folder))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    @contextlib.contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Read the run as it is now; keep the block short, for a manager may wait."""
        self._database.execute("BEGIN")
        try:
            yield
        finally:
            self._database.rollback()

    def _rows(self, sql: str, values: Sequence[int | str] = ()) -> list[Any]:
        with readable(self.folder):
            self._limit()
            return self._database.execute(sql, values).fetchall()

    def _columns(self, columns: str) -> str:
        """Return columns as this file is asked for them, which may be of an older version."""
        return readable_columns(columns, version_and_tables(self._database)[0])

    def _meta_rows(self) -> list[tuple[str, str]]:
        return self._rows("SELECT key, value FROM meta WHERE key != ?", (ROWS,))

    def _identity_rows(self) -> list[tuple[int, str, str]]:
        return self._rows("SELECT place, name, identity FROM players ORDER BY place")
