"""Rows of tables: printed as text, or written as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fiedler.training.recipe.entry import losses_text

Row = Mapping[str, str | int | float | dict[str, float] | None]
"""A row by its columns."""
OnRow = Callable[[Row], None]
"""Receives a row as soon as it is there."""


def as_table(found: Sequence[Row], columns: Sequence[str]) -> str:
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
