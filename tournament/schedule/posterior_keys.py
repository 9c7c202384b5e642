"""The keys `posterior` and `series` of `[rating]`."""

from __future__ import annotations

from collections.abc import Iterator

from support.complaints import Complaint, wrong_choice
from support.text import counted
from tournament.schedule.schedule import Schedule

POSTERIORS = ("population", "curve")
"""Values of `posterior`."""
LEAST_PLAYERS = 10
"""Least players of a posterior."""


def wrong_posterior(schedule: Schedule) -> Iterator[Complaint]:
    """Yield what is wrong with a wanted posterior."""
    rating, players = schedule.rating, len(schedule.players)
    if rating.posterior is None:
        if rating.series:
            yield "rating.series", 'expected rating.posterior = "curve" beside it, got none'
        return
    if rating.posterior not in POSTERIORS:
        yield wrong_choice("rating.posterior", rating.posterior, POSTERIORS)
    elif rating.series and rating.posterior != "curve":
        yield "rating.series", f'expected rating.posterior = "curve" beside it, got {rating.posterior!r}'
    if rating.backend == "bayeselo":
        yield "rating.posterior", 'expected rating.backend = "builtin", got "bayeselo", which has no posterior'
    if schedule.pairing.kind.is_test:
        yield "rating.posterior", f"expected a method that rates players, got {schedule.pairing.method!r}"
    elif players < LEAST_PLAYERS:
        yield "rating.posterior", f"expected at least {LEAST_PLAYERS} players, got {counted(players, 'player')}"
