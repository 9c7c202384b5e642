"""Ratings of tables of games."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from fiedler.games.result import Result
from fiedler.runs import RunGame
from fiedler.support.errors import UsageError
from fiedler.tournament.ratings import Results
from fiedler.tournament.ratings import rate as rate_results
from fiedler.tournament.ratings.model import DEFAULT_ADVANTAGE, DEFAULT_DRAW_ELO, DEFAULT_PRIOR, Parameter, PlayerRating
from fiedler.tournament.ratings.posterior import Posterior, PriorKind
from fiedler.tournament.ratings.posterior import posterior as posterior_ratings
from fiedler.tournament.schedule.schedule import RatingSection

if TYPE_CHECKING:
    import pandas

COLUMNS = ("white", "black", "result")
"""The columns of a table of games; White moves first."""
_POINTS = {1.0: Result.FIRST_WIN, 0.5: Result.DRAW, 0.0: Result.SECOND_WIN}
_TEXTS = {one.value: one for one in Result} | {"1/2": Result.DRAW, "½-½": Result.DRAW}

Columns = Mapping[str, Collection[Any]]
"""A table: columns of the same length by name."""
Rows = Sequence[RunGame]
"""A table: the games of a run."""


def rate(
    games: pandas.DataFrame | Columns | Rows,
    *,
    model: str = "bayeselo",
    advantage: Parameter = DEFAULT_ADVANTAGE,
    draw_elo: Parameter = DEFAULT_DRAW_ELO,
    prior: float = DEFAULT_PRIOR,
    anchors: Mapping[str, float] | None = None,
    posterior: PriorKind | None = None,
) -> pandas.DataFrame | dict[str, list[Any]]:
    """Rate the players of a table of games by Bayes-Elo.

    Args:
        games: A DataFrame, or a mapping of columns, with `white`, `black` (names; White moves first) and `result`
            (White's points, 1, 0.5 or 0; or 1-0, 1/2-1/2, 0-1). Other columns are ignored. Or the rows that
            `fiedler.played_games` returns.
        model: `bayeselo` or `davidson`, the model of draws.
        advantage: Elo that White gains by moving first; `fit` estimates it.
        draw_elo: The draw parameter in Elo, above 0; `fit` estimates it.
        prior: Virtual draws per player, at least 0.
        anchors: Given Elo by name. One shifts all ratings, several are held.
        posterior: `population` or `curve`: also rate the players with a prior that is learned (docs/ratings.md).

    Returns:
        The players by falling Elo: a DataFrame for a DataFrame, else a dictionary of columns. The columns are `name`,
        `elo` (mean 0 without anchors), `plus` and `minus` (the 95 % interval), `games`, `score` (points per game, 0 to
        1), `opponents` (their mean Elo) and `draws` (0 to 1); nan is an unknown number. With `posterior`, also
        `posterior` and `posterior_sd`, its Elo and standard deviation; a warning has all that it assumes.

    Raises:
        UsageError: A column is missing, a result is unknown, or an argument is out of range.

    Doubts about the ratings, such as groups that never met, are warnings (UserWarning).
    """
    results = results_of(games)
    found = rate_results(results, model=model, advantage=advantage, draw_elo=draw_elo, prior=prior, anchors=anchors)
    doubts, rows = list(found.warnings), [asdict(player) for player in found.players]
    columns = {field.name: [row[field.name] for row in rows] for field in fields(PlayerRating)}
    if posterior is not None:
        section = RatingSection(
            model=model, advantage=advantage, draw_elo=draw_elo, prior=prior, anchor=dict(anchors or {})
        )
        beside = posterior_ratings(results, kind=posterior, options=section)
        doubts += [f"posterior: {one}" for one in (f"assumes that {beside.assumed.words}", *beside.warnings)]
        columns |= _posterior_columns(beside, columns["name"])
    for doubt in doubts:
        warnings.warn(doubt, stacklevel=2)
    loaded = sys.modules.get("pandas")  # as it is if there is a DataFrame
    if loaded is None or not isinstance(games, loaded.DataFrame):
        return columns
    frame: pandas.DataFrame = loaded.DataFrame(columns, index=loaded.RangeIndex(1, len(rows) + 1, name="rank"))
    return frame


def _posterior_columns(found: Posterior, names: Sequence[str]) -> dict[str, list[float]]:
    """Return the columns of a posterior for these players; nan without games."""
    by_name = {player.name: (player.elo, player.sd) for player in found.players}
    known = [by_name.get(name, (math.nan, math.nan)) for name in names]
    return {"posterior": [elo for elo, _ in known], "posterior_sd": [sd for _, sd in known]}


def results_of(games: pandas.DataFrame | Columns | Rows) -> Results:
    """Count the games of a table; see `rate`.

    Raises:
        UsageError: A column or a name is missing, or a result is unknown.
    """
    if isinstance(games, Sequence):
        games = {name: [getattr(game, name) for game in games] for name in COLUMNS}
    missing = [name for name in COLUMNS if name not in games]
    if missing:
        raise UsageError(f"games: expected the columns {', '.join(COLUMNS)}; {missing[0]} is missing")
    white, black, results = ([*games[name]] for name in COLUMNS)
    if not len(white) == len(black) == len(results):
        raise UsageError(f"games: expected columns of one length, got {len(white)}, {len(black)} and {len(results)}")
    texts = [_result(value, row) for row, value in enumerate(results)]
    names = [[_name(value, row) for row, value in enumerate(column)] for column in (white, black)]
    return Results.from_games(zip(*names, texts, strict=True))


def _name(value: object, row: int) -> str:
    """Return a name of the table; a missing one is None or not a number."""
    if value is None or value != value:
        raise UsageError(f"games: row {row}: expected a name, got {value!r}")
    return str(value)


def _result(value: object, row: int) -> str:
    """Return a result of the table in the words of PGN."""
    text = str(value).strip()
    found = _TEXTS.get(text)
    if found is None:
        try:
            found = _POINTS.get(float(text))
        except ValueError:
            found = None
    if found is None:
        raise UsageError(f"games: row {row}: expected a result 1, 0.5 or 0, or 1-0, 1/2-1/2 or 0-1, got {value!r}")
    return found.value
