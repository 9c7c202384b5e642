"""Ratings by the table `[rating]` of a schedule: the one way from results to a rating.

`rate_as` uses our own code and every key of the table but `backend`. The live table, the log, `tournament status`,
stopping rules, pairing and simulation use it, because they rate often. The original program is slow to start, so only
the report of a run and `tournament rank` use it (`rate_by_original`). If it fails, the report falls back to `rate_as`
with a warning, and `tournament rank` ends with the error.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from fiedler.support.errors import UsageError
from fiedler.tournament.ratings.anchors import playing
from fiedler.tournament.ratings.bayeselo import TOTAL_S, rate_with_bayeselo
from fiedler.tournament.ratings.intervals import Kind
from fiedler.tournament.ratings.model import Rating, rate
from fiedler.tournament.ratings.results import Results


class Section(Protocol):
    """The keys of `[rating]`, which the struct of a schedule has. This folder does not import schedules."""

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
        """Whether to repeat the early-stopping iteration of the original program."""

    @property
    def model(self) -> str:
        """`bayeselo` or `davidson`."""

    @property
    def anchor(self) -> Mapping[str, float]:
        """Scaled Elo by name of player."""


def rate_as(section: Section, results: Results, *, intervals: Kind = "covariance") -> Rating:
    """Rate the players with our own code.

    Parameters
    ----------
    section : Section
        The table `[rating]`; anchors without games are left out.
    results : Results
        All games.
    intervals : {"covariance", "variance", "exact"}
        The kind of the intervals.

    Returns
    -------
    Rating

    Raises
    ------
    UsageError
        A parameter is out of range.

    Examples
    --------
    >>> from fiedler.tournament.ratings import Results, rate_as
    >>> from fiedler.tournament.schedule.schedule import RatingSection
    >>> results = Results(("Ann", "Bob"), ((0, 1, 6, 3, 1), (1, 0, 4, 2, 4)))
    >>> rating = rate_as(RatingSection(anchor={"Bob": 1500.0}), results)
    >>> [(player.name, round(player.elo)) for player in rating.players]
    [('Ann', 1575), ('Bob', 1500)]

    """
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
    """Rate the players with the original program.

    Parameters
    ----------
    section, results, intervals
        As in `rate_as`.
    program, total_s
        As in `rate_with_bayeselo`.

    Returns
    -------
    Rating

    Raises
    ------
    UsageError
        The program does not have the model, there is no program, or a parameter is out of range.
    WorkError
        The program failed, did not answer in time, or gave an unexpected answer.

    """
    if section.model != "bayeselo":
        raise UsageError(f"model: expected 'bayeselo', the only model of the original program, got {section.model!r}")
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
