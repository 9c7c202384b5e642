"""The list of runs, as text and as rows for programs."""

from __future__ import annotations

from collections.abc import Sequence

from support.errors import UsageError
from training.entry import losses_text
from training.folder import TrainingFolder
from training.recipe import Row

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


def as_table(found: Sequence[Row], columns: Sequence[str] = COLUMNS) -> str:
    """Return the rows as lines of text under the names of the columns."""
    lines = [tuple(columns), *(tuple(_word(row[key]) for key in columns) for row in found)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    return "\n".join("  ".join(word.ljust(w) for word, w in zip(line, widths, strict=True)).rstrip() for line in lines)


def as_line(row: Row) -> str:
    """Return the names of the columns, each with its word."""
    return ", ".join(f"{key} {_word(value)}" for key, value in row.items() if value is not None)


def _word(value: str | float | dict[str, float] | None) -> str:
    if value is None:
        return "-"
    return losses_text(value) if isinstance(value, dict) else str(value)
