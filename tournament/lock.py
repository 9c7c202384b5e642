"""One manager per run: a lock on the run's folder that the kernel gives back however the manager ends."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from games import UsageError

FILE = "lock"
TRIES, PAUSE_S = 4, 0.05
"""`is_locked` holds a lock for an instant: one failure proves nothing"""


@contextmanager
def run_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a run's folder, whose lock file is made if it is missing.

    Raises:
        UsageError: another manager holds it.

    """
    handle = os.open(folder / FILE, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not any(_locked_now(handle) for _ in range(TRIES)):
            raise UsageError(f"{folder}: another `tournament run` is at work on this run")
        yield
    finally:
        os.close(handle)


def _locked_now(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        time.sleep(PAUSE_S)
        return False
    return True


def is_locked(folder: Path) -> bool:
    """Return whether a manager is at work in this folder."""
    try:
        handle = os.open(folder / FILE, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
