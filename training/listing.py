"""The list of runs, as text and as rows for programs."""

from __future__ import annotations

from training.folder import RunFolder

COLUMNS = ("name", "game", "iterations", "of", "state", "seconds", "policy_loss", "value_loss")
Row = dict[str, str | int | float | None]


def rows(folders: list[RunFolder]) -> list[Row]:
    """Return one row a run: how far it came, and the losses of its last iteration (None before the first)."""
    return [_row(folder) for folder in folders]


def _row(folder: RunFolder) -> Row:
    recipe, log = folder.recipe(), folder.log()
    last = log[-1] if log else None
    return {
        "name": recipe.name,
        "game": recipe.game,
        "iterations": len(log),
        "of": recipe.iterations,
        "state": "finished" if len(log) >= recipe.iterations else "unfinished",
        "seconds": last.seconds if last else 0.0,
        "policy_loss": last.policy_loss if last else None,
        "value_loss": last.value_loss if last else None,
    }


def as_table(found: list[Row]) -> str:
    """Return the rows as lines of text under a heading."""
    lines = [COLUMNS, *(tuple("-" if row[key] is None else str(row[key]) for key in COLUMNS) for row in found)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(COLUMNS))]
    return "\n".join("  ".join(word.ljust(w) for word, w in zip(line, widths, strict=True)).rstrip() for line in lines)
