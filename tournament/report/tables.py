"""Games as CSV and as JSON lines, failures as JSON, for other programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence

import msgspec

from tournament.report.run import Run
from tournament.report.statistics import Failing


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
    """Yield one JSON object per game with all its stored data."""
    for game in run.games():
        yield msgspec.json.encode(game).decode() + "\n"


def failures_json(failures: Sequence[tuple[str, str, Failing]]) -> str:
    """Return the file failures.json: an array of objects, one for each player and kind of failure."""
    found = [
        {"player": name, "kind": kind, "games": one.games, "last_game": one.number, "last_detail": one.detail}
        for name, kind, one in failures
    ]
    return json.dumps(found, ensure_ascii=False) + "\n"
