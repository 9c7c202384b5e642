"""The pairing methods, step by step. `planner(schedule)` makes the method of a schedule."""

from __future__ import annotations

from tournament.pairing.adaptive import AdaptivePlanner
from tournament.pairing.goal import GoalPlanner
from tournament.pairing.graph import (
    FixedPlanner,
    believed,
    choose_pairs,
    free_games,
    known_before,
    lambda2,
    meeting_graph,
    predicted_rms,
)
from tournament.pairing.knockout import KnockoutPlanner
from tournament.pairing.ladder import LadderPlanner
from tournament.pairing.planner import Over, Planner, Step, Wait
from tournament.pairing.sprt import SprtPlanner
from tournament.pairing.swiss import SwissPlanner
from tournament.schedule.schedule import Schedule

__all__ = [
    "Over",
    "Planner",
    "Step",
    "Wait",
    "believed",
    "choose_pairs",
    "free_games",
    "known_before",
    "lambda2",
    "meeting_graph",
    "planner",
    "predicted_rms",
]

PLANNERS: dict[str, type[Planner]] = {
    "meeting-graph": FixedPlanner,
    "round-robin": FixedPlanner,
    "gauntlet": FixedPlanner,
    "adaptive": AdaptivePlanner,
    "ladder": LadderPlanner,
    "swiss": SwissPlanner,
    "knockout": KnockoutPlanner,
    "sprt": SprtPlanner,
}
"""The planner of each `method` of `[pairing]`."""


def planner(schedule: Schedule) -> Planner:
    """Return the planner of a schedule's pairing method."""
    pairing = schedule.pairing
    return GoalPlanner(schedule) if pairing.goal is not None else PLANNERS[pairing.method](schedule)
