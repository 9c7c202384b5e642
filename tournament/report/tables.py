"""Games as CSV and as JSON lines, failures as JSON, for other programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import msgspec

from fiedler.tournament.report.csv_line import csv_line
from fiedler.tournament.report.run import Run
from fiedler.tournament.report.statistics import Failing


def as_csv(run: Run) -> Iterator[str]:
    """Yield the header `white,black,result` and one row per game; White moved first. `tournament rank` reads it."""
    yield csv_line(("white", "black", "result"))
    for game in run.games():
        yield csv_line((game.first, game.second, game.result))


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
