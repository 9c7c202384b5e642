"""The keys `posterior` and `series` of `[rating]`."""

from __future__ import annotations

from collections.abc import Iterator

from fiedler.support.complaints import Complaint, wrong_choice
from fiedler.support.text import counted
from fiedler.tournament.elo import LEAST_PLAYERS
from fiedler.tournament.schedule.schedule import Schedule

POSTERIORS = ("population", "curve")
"""Values of `posterior`."""


def wrong_posterior(schedule: Schedule) -> Iterator[Complaint]:
    """Yield the first thing that is wrong with these keys."""
    rating, players = schedule.rating, len(schedule.players)
    if rating.posterior is not None and rating.posterior not in POSTERIORS:
        yield wrong_choice("rating.posterior", rating.posterior, POSTERIORS)
    elif rating.series and rating.posterior != "curve":
        got = "none" if rating.posterior is None else repr(rating.posterior)
        yield "rating.series", f"expected rating.posterior = 'curve' beside it, got {got}"
    elif rating.posterior is None:
        return
    elif rating.backend == "bayeselo":
        yield "rating.posterior", "expected rating.backend = 'builtin', got 'bayeselo', which has no posterior"
    elif schedule.pairing.kind.is_test:
        yield "rating.posterior", f"expected a method that rates players, got {schedule.pairing.method!r}"
    elif players < LEAST_PLAYERS:
        yield "rating.posterior", f"expected at least {LEAST_PLAYERS} players, got {counted(players, 'player')}"
