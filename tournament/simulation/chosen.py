"""The player that a goal chooses beside the truth: its loss, the stop, and whether that was right."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, median

from msgspec import Struct

from fiedler.tournament.pairing.goal import GoalPlanner
from fiedler.tournament.pairing.plan import History, Played
from fiedler.tournament.schedule.schedule import BEST_PLAYER
from fiedler.tournament.simulation.estimate import standard_error
from fiedler.tournament.simulation.play import SimulatedPlayers

MARKS = (1_000, 3_000, 5_000, 10_000, 20_000, 30_000)
"""Numbers of games after which the loss of the chosen player is noted."""


class ChosenPlayer(Struct, frozen=True):
    """The choice of one repetition. Losses are true raw Elo that the chosen player lacks to the best one."""

    stopped: bool
    games: int
    """At the stop, or of all."""
    loss: float
    """There."""
    right: bool
    """Whether it is at most the `best` of the goal, in scaled Elo; 10 without that key."""
    losses: dict[int, float]
    """By number of games; from the stop on, if nothing was played after it, that of the stop."""
    style_sd: float
    """The deviation of pair effects at the end, given or estimated, in raw Elo."""

    @classmethod
    def of(cls, planner: GoalPlanner, history: History, field: SimulatedPlayers) -> ChosenPlayer:
        """Return the choice of a goal after these games, which may go beyond the stop."""
        games, decision = history.settled, history.decision
        end = len(games) if decision is None else decision.games
        loss = _loss(planner, games[:end], field)
        known = planner.beliefs(sorted(games), planner.present(history))
        limit = planner.rule.best or BEST_PLAYER.best or 0.0
        most = planner.schedule.pairing.games or 0
        return cls(
            stopped=decision is not None,
            games=end,
            loss=loss,
            right=loss * (1.0 if known is None else known.scale) <= limit,
            losses={mark: _loss(planner, games[:mark], field) for mark in MARKS if mark <= most},
            style_sd=0.0 if known is None else known.style_sd,
        )


class ChosenPlayers(Struct, frozen=True):
    """The choices of all repetitions: means, with their standard errors."""

    stopped: int
    """Repetitions that stopped."""
    right: int
    """Those of them that were right."""
    games: float
    """Median number of games at the stop, infinite if fewer than half of the repetitions stopped."""
    loss: float
    """At the stop, or at the end."""
    loss_se: float | None
    losses: dict[int, float]
    """By number of games."""
    losses_se: dict[int, float | None]
    style_sd: float

    @classmethod
    def of(cls, found: Sequence[ChosenPlayer]) -> ChosenPlayers | None:
        """Return the summary of repetitions; None without any."""
        if not found:
            return None
        by_mark: Mapping[int, list[float]] = {mark: [one.losses[mark] for one in found] for mark in found[0].losses}
        losses = [one.loss for one in found]
        return cls(
            stopped=sum(one.stopped for one in found),
            right=sum(one.stopped and one.right for one in found),
            games=median(one.games if one.stopped else math.inf for one in found),
            loss=fmean(losses),
            loss_se=standard_error(losses),
            losses={mark: fmean(values) for mark, values in by_mark.items()},
            losses_se={mark: standard_error(values) for mark, values in by_mark.items()},
            style_sd=fmean(one.style_sd for one in found),
        )


def _loss(planner: GoalPlanner, games: Sequence[Played], field: SimulatedPlayers) -> float:
    """Return the loss of the player that is chosen after these games; nan if none is."""
    found = planner.standing(games)
    return math.nan if found is None else float(field.elo.max() - field.elo[field.names.index(found.player)])
