"""The keys `plan` and `goal` of `[pairing]`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from fiedler.support.complaints import Complaint, wrong_choice
from fiedler.support.text import counted
from fiedler.tournament.schedule.schedule import GOALS, ML, PLANS, POSTERIOR, Pairing, Schedule

ONLY_WITHOUT = {
    "stop": "a goal is the rule that ends the tournament",
    "batches": "a batch has 15 % of the games so far",
}
"""Keys of `[pairing]` that a goal excludes, and why."""

GOAL_PLAYERS = 3
"""Least players of a goal: of two players a sequential test finds the better one."""
MOST_PLAYERS = 2_000
"""Most players of batches that are planned on results, which takes matrices of all pairs."""


def wrong_plan(schedule: Schedule) -> Iterator[Complaint]:
    """Yield what is wrong with `plan` and `goal`; keys of another method have their own complaint."""
    pairing, players = schedule.pairing, len(schedule.players)
    if not pairing.kind.spends:
        return
    if pairing.plan is not None and pairing.plan not in PLANS:
        yield wrong_choice("pairing.plan", pairing.plan, PLANS)
    if players > MOST_PLAYERS:
        needed = f"expected at most {MOST_PLAYERS} players for {pairing.method!r}"
        yield "pairing.method", f"{needed}, got {counted(players, 'player')}"
    if pairing.goal is None:
        return
    yield from _wrong_goal(pairing)
    if pairing.plan == ML:
        yield "pairing.plan", f"expected {POSTERIOR!r} beside goal, got {ML!r}"
    if players < GOAL_PLAYERS:
        yield "pairing.goal", f"expected at least {GOAL_PLAYERS} players, got {counted(players, 'player')}"


def _wrong_goal(pairing: Pairing) -> Iterator[Complaint]:
    if isinstance(pairing.goal, str):
        if pairing.goal not in GOALS:
            yield wrong_choice("pairing.goal", pairing.goal, GOALS)
    elif pairing.goal is not None and pairing.goal.best is None and pairing.goal.loss is None:
        yield "pairing.goal", "expected best, loss or both, got none"


def with_plan(schedule: Schedule, plan: str) -> Schedule:
    """Return the schedule with this `plan` if its method has one and it names none."""
    pairing = schedule.pairing
    if pairing.plan is not None or not pairing.kind.spends:
        return schedule
    return replace(schedule, pairing=replace(pairing, plan=plan))


def excluded_by_goal(pairing: Mapping[str, Any]) -> Iterator[Complaint]:
    """Yield the keys of a table `[pairing]` that a goal excludes, also with their default values."""
    if "goal" in pairing:
        for key, why in ONLY_WITHOUT.items():
            if key in pairing:
                yield f"pairing.{key}", f"not with goal: {why}"
