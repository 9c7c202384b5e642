"""The ranking so far of a run: the document of `tournament rank`, and the likelihood of superiority to the next."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NotRequired, TypedDict

from fiedler.support.numbers import without_nan
from fiedler.tournament.ratings import Answer, Rating, Results, document, rate_as
from fiedler.tournament.run.conclusion import conclude
from fiedler.tournament.run.rater import RATED_AFTER
from fiedler.tournament.run.run_state import RunState
from fiedler.tournament.run.soundness import open_sound


class StandingsRow(TypedDict):
    """A player of the ranking. Ratings are scaled Elo; an unknown number is null."""

    name: str
    elo: float | None
    """The mean over all players with games is 0, unless a rating is anchored; null without games."""
    plus: float | None
    """Length of the 95 % interval above `elo`."""
    minus: float | None
    """Length of the interval below it."""
    games: int
    score: float | None
    """Points per game, 0 to 1."""
    opponents: float | None
    """Mean Elo of the opponents, weighted by games."""
    draws: float | None
    """Drawn games, 0 to 1."""
    los: float | None
    """The likelihood that it is stronger than the next one; null for the last, and where it is unknown."""


class Standings(TypedDict):
    """The ranking so far: that of `tournament rank --json`, with `los`. At the beginning of a run it has no players."""

    games: int
    """The games that it rests on."""
    players: list[StandingsRow]
    """The best one first, those without games last."""
    advantage: NotRequired[float | None]
    """Raw Elo that the first player of a game gains."""
    draw_elo: NotRequired[float | None]
    """Raw Elo; the larger, the more draws."""
    scale: NotRequired[float | None]
    """Scaled Elo per raw Elo."""
    answer: Answer | None
    """Who is best, as a sentence and in numbers; null without games."""
    warnings: list[str]


def timed(folder: Path) -> tuple[Standings, float]:
    """Return the ranking, and the processor seconds that it took."""
    began = time.thread_time()
    found = standings(folder)
    return found, time.thread_time() - began


def standings(folder: Path) -> Standings:
    """Return the ranking of the finished games; without any, or at the beginning of a run, there are no `players`.

    Raises:
        UsageError: the run cannot be read.

    """
    with open_sound(folder) as store, store.at_one_moment():
        played, schedule, names = store.results, store.schedule, store.players
        state = RunState.of(store)
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
    return {
        "games": sum(count for *_, count in played),
        "players": found["players"],
        "advantage": found["advantage"],
        "draw_elo": found["draw_elo"],
        "scale": found["scale"],
        "answer": found["answer"],
        "warnings": found["warnings"],
    }


def _los(rating: Rating) -> list[float | None]:
    """Return for each player P(stronger than the next); None for the last, and where it is unknown."""
    table = rating.los()
    found: list[float | None] = without_nan([float(table[place, place + 1]) for place in range(len(table) - 1)])
    return [*found, None]
