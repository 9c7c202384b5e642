"""A program whose start fails half-way is not left behind."""

from __future__ import annotations

import asyncio
import errno
import os
import sys
from contextlib import closing
from pathlib import Path

import pytest

from fiedler.client.child import Child, ExhaustedError, StartError
from fiedler.support.reaper import Reaper

pytestmark = pytest.mark.programs
HANDLES = Path("/proc/self/fd")
NO_CORE = frozenset({100_000})


def handles() -> set[Path]:
    """Return the open file handles of this process."""
    return set(HANDLES.iterdir())


def fail_to_start(cores: frozenset[int] | None, expected: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    """Start a program that would run for an hour, and fail: it has ended, and nobody waits for its end."""
    watched: list[int] = []

    async def start() -> None:
        with closing(Reaper()) as reaper:
            watch = reaper.watch

            def noted(group: int, mark: str) -> None:
                watched.append(group)
                watch(group, mark)

            monkeypatch.setattr(reaper, "watch", noted)
            before = handles()
            child = Child(reaper, lambda _: None)
            with pytest.raises(expected):
                child.start([sys.executable, "-S", "-c", "import time; time.sleep(3600)"], cores=cores)
            assert handles() == before
            assert not reaper._groups
            child.kill()  # has no one to kill

    asyncio.run(start())
    (number,) = watched
    with pytest.raises(ProcessLookupError):
        os.kill(number, 0)


def test_a_program_for_cores_that_are_missing_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_to_start(NO_CORE, StartError, monkeypatch)


def test_a_program_without_a_handle_for_its_end_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(_: int) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(os, "pidfd_open", exhausted)
    fail_to_start(None, ExhaustedError, monkeypatch)
