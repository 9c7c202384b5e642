"""The progress of a run, for its feed."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path
from typing import NamedTuple

from fiedler.support.errors import UsageError
from fiedler.support.lock import is_locked, run_lock
from fiedler.tournament.run.event_log import EventLog
from fiedler.tournament.run.records import Counts
from fiedler.tournament.run.run_file import refuse_absence
from fiedler.tournament.run.store import Store


class Progress(NamedTuple):
    """A run at one moment."""

    state: str
    """`running`, `finished` or `interrupted`."""
    game: str
    players: tuple[str, ...]
    counts: Counts
    birth: str
    """Eight digits that change when the run starts anew."""

    @property
    def is_running(self) -> bool:
        """Whether a manager is at work."""
        return self.state == "running"


def progress(folder: Path) -> Progress:
    """Return the progress of a run. Raises UsageError if it cannot be read or was moved meanwhile."""
    with Store.open_again(folder) as store, store.at_one_moment():
        meta = store.meta
        birth = hashlib.blake2b(f"{meta.get('created')} {meta.get('seed')}".encode(), digest_size=4).hexdigest()
        found = Progress(store.state, meta["game"], store.players, store.counts, birth)
        refuse_absence(folder)  # a run that was moved has no lock, and looks finished
        return found


def complete_log(folder: Path) -> None:
    """Append the lines that a killed manager did not write; a manager at work does it itself."""
    if is_locked(folder):
        return
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(run_lock(folder, "tournament run"))
        except (UsageError, OSError):  # a manager has just begun, or we may only read here
            return
        log, store = stack.enter_context(EventLog(folder)), stack.enter_context(Store.open_again(folder))
        log.complete(store)
