"""The runs of a folder."""

from __future__ import annotations

import os
from pathlib import Path

from fiedler.support.lock import is_locked
from fiedler.tournament.run.run_file import FILE


class Listing:
    """Finds runs by their names: a name that is not in the folder finds nothing, so none can be a path."""

    def __init__(self, results: Path) -> None:
        self._results = results

    def names(self) -> list[str]:
        """Return the names of all runs, in order."""
        found = (path.parent.name for path in self._results.glob(f"*/{FILE}") if path.is_file())
        return sorted(name for name in found if name.isprintable())  # a name outside UTF-8 cannot be sent

    def folder(self, name: str) -> Path | None:
        """Return the folder of a run, also of one that is about to begin; None if there is no such run."""
        try:
            with os.scandir(self._results) as entries:
                found = next((entry.name for entry in entries if entry.name == name), None)
        except FileNotFoundError:
            return None
        folder = self._results / found if found is not None else None
        return folder if folder is not None and ((folder / FILE).is_file() or is_locked(folder)) else None
