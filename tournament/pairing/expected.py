"""Expected strengths that chose the pairs: a posterior must know them too (docs/ratings.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fiedler.support.errors import UsageError
from fiedler.tournament.ratings import Results
from fiedler.tournament.ratings.posterior import KINDS, Posterior, posterior
from fiedler.tournament.schedule.schedule import Pairing, PlayerEntry, RatingSection, Schedule

DEFAULT_SD = 100.0
"""Standard deviation in Elo of an expected strength without `elo_sd`."""
BY_ELO = frozenset({"adaptive", "ladder"})
"""Methods that pair by `elo`, at least at their beginning, without a goal; a meeting graph does with some criteria."""


def chosen_by_elo(pairing: Pairing) -> bool:
    """Return whether the `elo` of the players takes part in the choice of pairs."""
    informed = pairing.method == "meeting-graph" and pairing.criterion in ("precision", "order")
    return informed or (pairing.method in BY_ELO and pairing.goal is None)


def expected_strengths(players: Sequence[PlayerEntry]) -> dict[str, tuple[float, float]]:
    """Return expected Elo and its standard deviation by name, for the players that have an `elo`."""
    known = [(player.name, player.elo, player.elo_sd) for player in players]
    return {name: (elo, sd or DEFAULT_SD) for name, elo, sd in known if elo is not None}


def posterior_beside(section: RatingSection, results: Results, schedules: Sequence[Schedule]) -> Posterior:
    """Return the posterior of `section.posterior` for the games of these schedules.

    Expected strengths enter if they chose the pairs of a schedule.

    Raises:
        UsageError: a schedule is a sequential test, there are fewer than 10 players with games, a stem is unknown, or
            the original program rates.

    """
    (kind,) = (kind for kind in KINDS if kind == section.posterior)
    if section.backend == "bayeselo":
        raise UsageError("rating.posterior: expected the backend 'builtin', got 'bayeselo', which has no posterior")
    for schedule in schedules:
        if schedule.pairing.kind.is_test:
            raise schedule.error(
                "rating.posterior", f"expected a method that rates players, got {schedule.pairing.method!r}"
            )
    known = {
        name: strength
        for schedule in schedules
        if chosen_by_elo(schedule.pairing)
        for name, strength in expected_strengths(schedule.players).items()
    }
    found = posterior(results, kind=kind, options=section, series=section.series, known=known)
    return replace(found, warnings=found.warnings + _assumed_sd(schedules))


def _assumed_sd(schedules: Sequence[Schedule]) -> tuple[str, ...]:
    """Return a warning if a strength that chose the pairs came without its deviation."""
    untold = any(
        player.elo is not None and player.elo_sd is None
        for schedule in schedules
        if chosen_by_elo(schedule.pairing)
        for player in schedule.players
    )
    return (f"elo without elo_sd chose pairs: its deviation is taken as {DEFAULT_SD:.0f} Elo",) if untold else ()
