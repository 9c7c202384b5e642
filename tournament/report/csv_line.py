"""A line of CSV that no spreadsheet takes for a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

Cell = str | int | float | None
FORMULA = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")
"""The beginning of a text that a spreadsheet would compute (OWASP, CSV Injection), or of such a text made harmless."""


def csv_line(cells: Sequence[Cell]) -> str:
    """Return a line; a text that begins like a formula gets an apostrophe in front, which spreadsheets do not show."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([_harmless(cell) for cell in cells])
    return line.getvalue()


def _harmless(cell: Cell) -> Cell:
    return f"'{cell}" if isinstance(cell, str) and FORMULA.match(cell) else cell
