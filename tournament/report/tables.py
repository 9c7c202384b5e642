"""Games as CSV and as JSON lines, for other programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import msgspec

from tournament.report.run import Run


def as_csv(run: Run) -> Iterator[str]:
    """Yield the header `white,black,result` and one row per game; White moved first. `tournament rank` reads it."""
    yield _row(("white", "black", "result"))
    for game in run.games():
        yield _row((game.first, game.second, game.result))


def _row(fields: tuple[str, ...]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(fields)
    return line.getvalue()


def as_jsonl(run: Run) -> Iterator[str]:
    """Yield one JSON object per game with all that the store holds of it."""
    for game in run.games():
        yield msgspec.json.encode(game).decode() + "\n"
