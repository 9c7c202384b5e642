"""The curve of a training run."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fiedler.ratings import Columns
from fiedler.support.errors import UsageError, system_reason

if TYPE_CHECKING:
    import pandas

LOG = "log.jsonl"
"""The file of a run with a line for each iteration."""
_NUMBERED = re.compile(r".*?(\d{1,9})")


def training_curve(folder: str | Path, ratings: pandas.DataFrame | Columns | None = None) -> dict[str, list[Any]]:
    """Return the iterations of a training run as columns, for `pandas.DataFrame(…)` or a plot.

    Args:
        folder: The folder of the run, such as `results/training/NAME`, or a copy of its `log.jsonl`.
        ratings: The strength of its checkpoints: the table of `rate`, with players whose names end in the number of
            an iteration.

    Returns:
        The columns of the log: `iteration` (from 1), `seconds` since the run began, a column for each loss
        (`policy_loss` …) and the other numbers of the learning system; None where a line has no such number. With
        `ratings` also `elo`, nan for iterations without a rated checkpoint.

    Raises:
        UsageError: There is no log, a line of it is damaged, or `ratings` lack `name` or `elo`.
    """
    path = Path(folder)
    path = path / LOG if path.is_dir() else path
    rows = _rows(path)
    keys = dict.fromkeys(key for row in rows for key in row)
    columns = {key: [row.get(key) for row in rows] for key in keys}
    if ratings is not None:
        elo = _elo(ratings)
        columns["elo"] = [elo.get(row["iteration"], math.nan) for row in rows]
    return columns


def _rows(path: Path) -> list[dict[str, Any]]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = system_reason(error) if isinstance(error, OSError) else "it is not text"
        raise UsageError(f"{path}: cannot be read: {why}") from None
    try:
        rows = [json.loads(line) for line in lines]
    except ValueError:
        rows = [None]
    if not all(isinstance(row, dict) and "iteration" in row for row in rows):
        raise UsageError(f"{path}: expected a JSON object with an iteration on each line")
    return rows


def _elo(ratings: pandas.DataFrame | Columns) -> dict[int, float]:
    """Return the Elo of players by the number at the end of their name."""
    for column in ("name", "elo"):
        if column not in ratings:
            raise UsageError(f"ratings: expected the columns name and elo; {column} is missing")
    found = {}
    for name, elo in zip(ratings["name"], ratings["elo"], strict=True):
        if numbered := _NUMBERED.fullmatch(str(name)):
            found[int(numbered[1])] = float(elo)
    return found
