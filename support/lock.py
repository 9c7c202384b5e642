"""One process per run: a lock on the run's folder that the kernel releases at any end of the process."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fiedler.support.errors import UsageError, system_reason

FILE = "lock"
TRIES, PAUSE_S = 4, 0.05
"""Attempts at a lock and the seconds between them: `is_locked` holds a lock for an instant."""


@contextmanager
def run_lock(folder: Path, command: str) -> Iterator[None]:
    """Hold the lock of a folder of runs of this command; a missing folder or lock file is made.

    Raises:
        UsageError: Another process holds it, or the folder cannot be made.
    """
    for _ in range(TRIES):
        with _opened(folder) as handle:
            if _locked_now(handle) and _is_still_there(folder / FILE, handle):
                yield
                return
        time.sleep(PAUSE_S)
    raise UsageError(f"{folder}: another `{command}` is at work on this run")


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    """Give the lock file of a folder, both made if they are missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / FILE, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {system_reason(error)}") from error
    try:
        yield handle
    finally:
        os.close(handle)


def _locked_now(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_still_there(path: Path, handle: int) -> bool:
    """Return whether the opened file is still at `path`: another process may have removed it at its end."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def is_locked(folder: Path) -> bool:
    """Return whether a process is at work in this folder."""
    try:
        handle = os.open(folder / FILE, os.O_RDONLY | os.O_NONBLOCK)  # something else may have this name
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
