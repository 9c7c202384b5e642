"""The ranking so far of a run: the document of `tournament rank`, and the likelihood of superiority to the next."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from fiedler.support.numbers import without_nan
from fiedler.tournament.ratings import Rating, Results, document, rate_as
from fiedler.tournament.run.conclusion import conclude
from fiedler.tournament.run.rater import RATED_AFTER
from fiedler.tournament.run.run_state import RunState
from fiedler.tournament.run.soundness import open_sound


def timed(folder: Path) -> tuple[dict[str, Any], float]:
    """Return the ranking, and the processor seconds that it took."""
    began = time.thread_time()
    found = standings(folder)
    return found, time.thread_time() - began


def standings(folder: Path) -> dict[str, Any]:
    """Return the ranking of the finished games; without any, or at the beginning of a run, there are no `players`.

    Raises:
        UsageError: the run cannot be read.

    """
    with open_sound(folder) as store, store.at_one_moment():
        played, schedule, names = store.results, store.schedule, store.players
        state = RunState(store.over, store.decision is not None, store.benched.keys(), store.standing)
        is_early = store.state == "running" and store.counts.finished < RATED_AFTER
    if not played or is_early:
        return {"games": 0, "players": [], "answer": None, "warnings": []}
    met = Results.from_counts(((first, second, result), count) for first, second, result, count in played)
    idle = tuple(name for name in names if name not in set(met.names))
    results = Results(met.names + idle, met.rows)
    rating = rate_as(schedule.rating, results)
    found = document(rating, conclude(schedule, state, rating, results), rating.warnings)
    for player, los in zip(found["players"], _los(rating), strict=True):
        player["los"] = los
    return {"games": sum(count for *_, count in played), **found}


def _los(rating: Rating) -> list[float | None]:
    """Return for each player P(stronger than the next); None for the last, and where it is unknown."""
    table = rating.los()
    found: list[float | None] = without_nan([float(table[place, place + 1]) for place in range(len(table) - 1)])
    return [*found, None]
