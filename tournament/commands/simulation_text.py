"""The result of a simulation as text and as JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from fiedler.support.numbers import without_nan
from fiedler.support.text import counted
from fiedler.tournament.simulation.schemes import OWN
from fiedler.tournament.simulation.trial import Conditions, Summary

HEADER = f"{'method':<28} {'RMS error':>13} {'predicted':>9} {'tau':>6} {'worst':>6} {'games':>7} {'pairs':>6} {'s':>6}"
INTERVALS = (
    f"{'method':<28} {'coverage':>8} {'loss':>6} {'posterior RMS':>14} {'coverage':>8} {'loss':>6} {'curve':>6} "
    f"{'evidence':>8}"
)

LEGEND = (
    "RMS error: of the ratings, in Elo, ± its standard error; predicted: the same from the games and the true Elo",
    "tau: Kendall's rank correlation of ranking and truth, 1 is the right order; worst: the largest error of a player",
    "games, pairs: of a repetition; s: seconds of a repetition on one core; all numbers are means",
    "coverage: share of players within their 95 % interval; loss: true Elo that the chosen player lacks to the best",
    "posterior RMS, coverage, loss: the same with --posterior; curve: share of repetitions that show one",
    "evidence: nats for the prior against the next simpler one",
)
"""The columns in words."""


def simulation_title(conditions: Conditions, repetitions: int) -> str:
    """Return the title of the picture."""
    players, games = counted(conditions.population.players, "player"), counted(conditions.games, "game")
    return f"Error of the ratings: {players}, {games}, {counted(repetitions, 'repetition')}"


def simulation_text(found: Sequence[Summary], conditions: Conditions, repetitions: int, seconds: float) -> list[str]:
    """Return the result as a table, the schedule's own method on top, then the most precise first."""
    head = f"{counted(conditions.population.players, 'player')}, {counted(repetitions, 'repetition')}, {seconds:.0f} s"
    tests = [_tested(one) for one in found if one.accepted is not None]
    ordered = sorted(found, key=lambda one: (one.method != OWN, one.rms))
    table = [HEADER, *(_line(one) for one in ordered)]
    intervals = [INTERVALS, *(_interval_line(one) for one in ordered)]
    goals = [line for one in ordered for line in _chosen_lines(one)]
    more = [line for part in (goals, tests) if part for line in ("", *part)]
    return [head, "", *table, "", *intervals, "", *LEGEND, *more]


def _chosen_lines(one: Summary) -> list[str]:
    """Return the stops of a goal, and the true losses of its chosen players; none without a goal."""
    found = one.chosen
    if found is None:
        return []
    median = f"after {found.games:.0f} games in the median" if math.isfinite(found.games) else "too few for a median"
    stops = f"stopped in {found.stopped} of {counted(one.repetitions, 'repetition')}, {median}"
    by_games = [
        f"{loss:.1f}{_unsure(found.losses_se[games])} after {counted(games, 'game')}"
        for games, loss in found.losses.items()
    ]
    losses = ", ".join([f"{found.loss:.1f}{_unsure(found.loss_se)} Elo at the end", *by_games])
    return [
        f"{one.label}: {stops}; right in {found.right}",
        f"loss of the chosen player: {losses}; deviation of the effects of pairs: {found.style_sd:.0f} Elo",
    ]


def _tested(one: Summary) -> str:
    """Return the verdicts of a sequential test, and its numbers of games."""
    assert one.accepted is not None
    ended = ", ".join(f"{kind} {number}" for kind, number in one.accepted.items())
    spread = "" if one.games_sd is None else f", standard deviation {one.games_sd:.0f}"
    return (
        f"{one.label}: accepted in {counted(one.repetitions, 'repetition')}: {ended}; "
        f"games: {one.games:.0f} on average{spread}, {one.games_least} to {one.games_most}"
    )


def _line(one: Summary) -> str:
    tau = "-" if math.isnan(one.tau) else f"{one.tau:.3f}"
    return (
        f"{one.label:<28} {error_text(one):>13} {one.predicted:>9.2f} {tau:>6} {one.worst:>6.0f} "
        f"{one.games:>7.0f} {one.pairs:>6.0f} {one.seconds:>6.1f}"
    )


def _interval_line(one: Summary) -> str:
    line = f"{one.label:<28} {one.coverage:>8.3f} {one.loss:>6.1f}"
    found = one.posterior
    if found is None:
        return line
    rms = f"{found.rms:.2f}{_unsure(found.rms_se, 2)}"
    return f"{line} {rms:>14} {found.coverage:>8.3f} {found.loss:>6.1f} {found.curve:>6.0%} {found.evidence:>8.1f}"


def simulation_document(
    found: Sequence[Summary], conditions: Conditions, repetitions: int, seconds: float
) -> dict[str, Any]:
    """Return the document of `--json`; numbers that do not exist are null."""
    return {
        "players": conditions.population.players,
        "truth": conditions.population.shape or "schedule",
        "games": conditions.games,
        "repetitions": repetitions,
        "seed": conditions.seed,
        "prior_sd": conditions.prior_sd,
        "prior": conditions.schedule.rating.prior,
        "style_sd": conditions.style_sd,
        "order": conditions.population.order,
        "posterior": conditions.posterior,
        "plan": conditions.plan,
        "play_on": conditions.plays_on,
        "methods": [without_nan(msgspec.to_builtins(one)) for one in found],
        "seconds": seconds,
    }


def error_text(summary: Summary) -> str:
    """Return the error of the ratings with its standard error."""
    return f"{summary.rms:.2f}{_unsure(summary.rms_se, 2)}"


def _unsure(error: float | None, digits: int = 1) -> str:
    return "" if error is None else f" ± {error:.{digits}f}"
