"""A figure of the report: the picture, its numbers, and its notes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from fiedler.tournament.report.csv_line import Cell, csv_line


@dataclass(frozen=True)
class Figure:
    """A picture that is also a file `NAME.svg`, with its numbers in `NAME.csv` and `NAME.json`."""

    name: str
    svg: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    hover: dict[str, Any] = field(default_factory=dict)
    """For a mosaic: the texts of the cells for the script of the page."""

    def csv(self) -> Iterator[str]:
        """Yield the numbers as CSV, a line at a time; an unknown number is empty. See `csv_line`."""
        for row in (self.columns, *self.rows):
            yield csv_line([_exact(cell) for cell in row])

    def json(self) -> Iterator[str]:
        """Yield the numbers as a JSON array of objects, one a line; an unknown number is null."""
        separator = "["
        for row in self.rows:
            document = {key: _exact(cell) for key, cell in zip(self.columns, row, strict=True)}
            yield f"{separator}\n{json.dumps(document, ensure_ascii=False, allow_nan=False)}"
            separator = ","
        yield "[]\n" if separator == "[" else "\n]\n"


def _exact(cell: Cell) -> Cell:
    """Return a number for a file, with ten digits."""
    if isinstance(cell, float):
        return float(f"{cell:.10g}") if math.isfinite(cell) else None
    return cell
