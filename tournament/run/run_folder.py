"""The folder of a run while a manager works on it: locked, with its journal open."""

from __future__ import annotations

import contextlib
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from fiedler.support import lock
from fiedler.support.errors import UsageError, system_reason
from fiedler.support.lock import run_lock
from fiedler.tournament.run import nodes
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.run_file import FILE

SCHEDULE_FILE = "schedule.toml"


class RunFolder:
    """A context manager around `results/NAME/`: makes it if it is missing, and removes it if it stays empty."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stack = ExitStack()
        self._journal: Journal | None = None

    def __enter__(self) -> Self:
        """Lock the folder.

        Raises:
            UsageError: it cannot be made, another manager works there, or its file is not a run.

        """
        with ExitStack() as stack:
            try:
                self._take(stack)
            except OSError as error:
                raise UsageError(f"{self.folder}: cannot be made: {system_reason(error)}") from error
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        empty = self.journal.is_empty
        self.journal.close()
        if empty:
            _remove_what_is_ours(self.folder)
        self._stack.close()

    @property
    def journal(self) -> Journal:
        """The journal of the run."""
        assert self._journal is not None
        return self._journal

    def start_anew(self) -> None:
        """Move an existing run to NAME.old-1, NAME.old-2 or the next free name."""
        if self.journal.is_new:
            return
        self.journal.close()
        self.folder.rename(_free_name(self.folder))
        self._take(self._stack)

    def keep_schedule(self, source: Path) -> None:
        """Put a copy of the schedule's file beside the journal, or replace it atomically."""
        unfinished = self.folder / f"{SCHEDULE_FILE}.new"
        unfinished.write_bytes(source.read_bytes())
        unfinished.replace(self.folder / SCHEDULE_FILE)

    def _take(self, stack: ExitStack) -> None:
        stack.enter_context(run_lock(self.folder, "tournament run"))
        self._journal = Journal.open(self.folder)


def _remove_what_is_ours(folder: Path) -> None:
    """Remove the files of a run that never began; other files in the folder stay."""
    for file in (*folder.glob(f"{FILE}*"), *folder.glob(f"{nodes.FILE}*"), folder / lock.FILE):
        file.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        folder.rmdir()


def _free_name(folder: Path) -> Path:
    number = 1
    while (aside := folder.with_name(f"{folder.name}.old-{number}")).exists():
        number += 1
    return aside
