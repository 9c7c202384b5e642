"""The list of runs, as rows of a table."""

from __future__ import annotations

from fiedler.support.errors import UsageError
from fiedler.training.loop.folder import TrainingFolder
from fiedler.training.recipe.rows import Row

COLUMNS = ("name", "system", "game", "iterations", "of", "state", "seconds", "losses")


def rows(folders: list[TrainingFolder]) -> list[Row]:
    """Return one row for each run: its progress, and the losses of its last iteration (None before the first).

    A run whose files cannot be read has the state `damaged`, its name, and None in place of all else.
    """
    return [_row(folder) for folder in folders]


def _row(folder: TrainingFolder) -> Row:
    try:
        recipe, log = folder.recipe(), folder.log()
    except UsageError:
        return {**dict.fromkeys(COLUMNS), "name": folder.path.name, "state": "damaged"}
    last = log[-1] if log else None
    return {
        "name": recipe.name,
        "system": recipe.system,
        "game": recipe.game,
        "iterations": last.iteration if last else 0,
        "of": recipe.iterations,
        "state": _state(folder, finished=last is not None and last.iteration >= recipe.iterations),
        "seconds": last.seconds if last else 0.0,
        "losses": last.losses if last else None,
    }


def _state(folder: TrainingFolder, *, finished: bool) -> str:
    if folder.is_running:
        return "running"
    return "finished" if finished else "unfinished"
