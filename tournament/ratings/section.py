"""Ratings as the table `[rating]` of a schedule says: the one way from results to a rating.

`rate_as` is our own code and follows every key of the table but `backend`. Whoever rates again and again uses it: the
live table, the log, `tournament status`, stopping rules, pairing and simulation. The original program is slow to start,
so only the report of a run and `tournament rank` use it (`rate_by_original`). If it fails, the report falls back to
`rate_as` with a warning, and `tournament rank` ends with the error.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from support.errors import UsageError
from tournament.ratings.anchors import playing
from tournament.ratings.bayeselo import TOTAL_S, rate_with_bayeselo
from tournament.ratings.intervals import Kind
from tournament.ratings.model import Rating, rate
from tournament.ratings.results import Results


class Section(Protocol):
    """The keys of `[rating]`. The struct of a schedule has them; this room does not know schedules."""

    @property
    def advantage(self) -> float | str:
        """Elo of moving first, or `fit`."""

    @property
    def draw_elo(self) -> float | str:
        """Elo, the larger the more draws, or `fit`."""

    @property
    def prior(self) -> float:
        """Virtual draws of each player."""

    @property
    def imitate(self) -> bool:
        """Whether to stop where the original program stops."""

    @property
    def model(self) -> str:
        """`bayeselo` or `davidson`."""

    @property
    def anchor(self) -> Mapping[str, float]:
        """Scaled Elo by name of player."""


def rate_as(section: Section, results: Results, *, intervals: Kind = "covariance") -> Rating:
    """Rate the players with our own code. Anchors without games are left out. Raises as `rate` does."""
    options = _options(section, results)
    return rate(results, model=section.model, imitate=section.imitate, intervals=intervals, **options)


def rate_by_original(
    section: Section,
    results: Results,
    *,
    program: Path | None = None,
    intervals: Kind = "covariance",
    total_s: float = TOTAL_S,
) -> Rating:
    """Let the original program rate the players, as `rate_with_bayeselo` does.

    Raises as that does, and UsageError for a model that the program does not have.
    """
    if section.model != "bayeselo":
        raise UsageError(f"model: expected 'bayeselo', the only one of the original program, got {section.model!r}")
    options = _options(section, results)
    return rate_with_bayeselo(results, program=program, intervals=intervals, total_s=total_s, **options)


def _options(section: Section, results: Results) -> dict[str, Any]:
    """Return the arguments that our code and the original program share."""
    return {
        "advantage": section.advantage,
        "draw_elo": section.draw_elo,
        "prior": section.prior,
        "anchors": playing(section.anchor, results),
    }
