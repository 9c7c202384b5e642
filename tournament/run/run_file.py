"""The file of a run: its place, its size, and its errors in words."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from fiedler.support.errors import UsageError, WorkError, nearest, printable
from fiedler.tournament.run.training_run import training_of_run

FILE = "run.sqlite"
RESULTS = Path("results")
"""The folder of the runs by default."""
ENDLESS = "a query takes more steps than a file of its size can need"
COMPANIONS = ("-journal", "-wal", "-shm")
"""Endings of the files that SQLite has beside its own."""
DISK_ERRORS = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)


class NoRunError(UsageError):
    """The folder has no run, or one without a plan."""


def refuse_absence(folder: Path) -> None:
    """Check that there is a run: its folder may have been moved since it was opened.

    Raises:
        NoRunError: there is none.

    """
    if not (Path(folder) / FILE).is_file():
        raise not_begun(folder, f"no run here: expected a file {FILE}")


def not_begun(folder: Path, otherwise: str) -> NoRunError:
    """Return the error about a folder without a plan: that of a ladder waits for its training."""
    if training := training_of_run(folder):
        otherwise = f"the run has not begun, it waits for {training.awaited}"
    return NoRunError(f"{folder}: {otherwise}")


def refuse_pipes(folder: Path) -> None:
    """Refuse anything but a file in the place of one of SQLite's own: it would wait for the other end of a pipe."""
    for ending in COMPANIONS:
        path = folder / f"{FILE}{ending}"
        if path.exists() and not path.is_file():
            raise UsageError(f"{path}: expected a file")


def find_run(text: str, results: Path = RESULTS) -> Path:
    """Return the folder of a run given as a path, or as its name under `results`.

    That of a ladder may not be there yet, if its training is.

    Raises:
        UsageError: it is not there; the message names the nearest run.

    """
    for folder in (Path(text), results / text):
        if (folder / FILE).is_file() or training_of_run(folder) is not None:
            return folder
    known = [path.parent.name for path in results.glob(f"*/{FILE}") if path.is_file()]
    raise UsageError(
        f"no run {text!r}: neither a folder with a {FILE} nor a name under {results}/{nearest(text, known)}"
    )


def results_option(folder: Path) -> list[str]:
    """Return the option by which a command finds the run in `folder` by its name; none where it is the default."""
    return [] if folder.parent == RESULTS else ["--results", os.fspath(folder.parent)]


def file_size(folder: Path) -> int:
    """Return the bytes of a run's file and its log of writes."""
    return sum(found.st_size for found in file_stats(folder))


def file_stats(folder: Path) -> list[os.stat_result]:
    """Return the states of a run's file and its log of writes, as far as they are there."""
    found = []
    for name in (FILE, f"{FILE}-wal"):
        with contextlib.suppress(OSError):
            found.append((folder / name).stat())
    return found


@contextlib.contextmanager
def readable(folder: Path) -> Iterator[None]:
    """Turn SQLite's errors into ours: the file is not a run, or the disk is full or broken."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except (sqlite3.Error, UnicodeDecodeError) as error:  # a message that quotes the file
        code = getattr(error, "sqlite_errorcode", 0)  # errors of Python have none
        wrong = ENDLESS if code == sqlite3.SQLITE_INTERRUPT else printable(str(error))
        if code & 0xFF in DISK_ERRORS:
            raise WorkError(f"{folder / FILE}: cannot be written: {wrong}") from error
        raise UsageError(f"{folder / FILE}: cannot be read as a run: {wrong}") from error
