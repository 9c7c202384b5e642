"""The files of a run when its manager is killed, when the power fails, and when the disk does not take a write."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fiedler.tournament.run import journal
from fiedler.tournament.run.run_file import FILE

if TYPE_CHECKING:
    from tests.simulated.world import World

WAL = f"{FILE}-wal"
LEAVE: Any = journal._Transaction.__exit__


class Disk:
    """The disk of the manager."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.fault = ""
        """What happens at the next commit: `error`, or `torn`: the power fails."""
        self._copies: dict[Path, Path] = {}

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Take the place of the commits of a journal."""
        commit = self._commit

        def leave(transaction: Any, kind: Any, *rest: object) -> None:
            commit(transaction, kind, *rest)

        patch.setattr(journal._Transaction, "__exit__", leave)

    def folder_after(self, folder: Path) -> Path:
        """Return the folder with which the successor of a manager in `folder` begins."""
        return self._copies.get(folder, folder)

    def copy(self, folder: Path, number: int) -> None:
        """Keep the files as they are now: the manager in this folder is killed."""
        if folder.exists():
            kept = self._world.folder / f"start-{number + 1}" / "test"
            shutil.copytree(folder, kept, ignore=shutil.ignore_patterns("*-shm", "*.sock"))
            self._copies[folder] = kept

    def _commit(self, transaction: Any, kind: Any, *rest: object) -> None:
        fault, self.fault = self.fault, ""
        if not fault or kind is not None:
            self.fault = fault
            LEAVE(transaction, kind, *rest)
        elif fault == "error":
            LEAVE(transaction, sqlite3.OperationalError, *rest)
            raise sqlite3.OperationalError("disk I/O error")
        else:
            self._tear(transaction)

    def _tear(self, transaction: Any) -> None:
        """Commit, but let the power fail meanwhile: only the beginning of the write is on the disk."""
        start = self._world.start
        before = _content(start.folder / WAL)
        LEAVE(transaction, None, None, None)
        after = _content(start.folder / WAL)
        self._world.kill(start)
        kept = self.folder_after(start.folder)
        if after != before and kept != start.folder:
            first = next(
                (at for at, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]), len(before)
            )
            end = self._world.chance.randint(min(first, len(after)), len(after))
            (kept / WAL).write_bytes(after[:end] + before[end:])
        log = kept / "events.jsonl"
        if log.exists():
            log.write_bytes(log.read_bytes()[: self._world.chance.randint(0, log.stat().st_size)])


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""
