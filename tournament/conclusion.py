"""What a run was played for: its answer, as its method of pairing gives one."""

from __future__ import annotations

from dataclasses import replace

from tournament.ratings import Answer, Rating, Results, answer
from tournament.schedule import Schedule


def conclude(schedule: Schedule, over: str, rating: Rating, results: Results) -> Answer:
    """Say who is best; of a sequential test its verdict, and with a stopping rule also why the run is `over`."""
    if schedule.pairing.method == "sprt":
        return Answer(over or "undecided: neither hypothesis is accepted so far", decided=" is accepted" in over)
    found = answer(rating, results)
    if schedule.pairing.stop is None or not over:
        return found
    return replace(found, text=f"{found.text}; {over}")
