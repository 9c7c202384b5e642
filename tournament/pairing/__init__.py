"""The pairing methods, step by step. `planner(schedule)` makes the method of a schedule."""

from __future__ import annotations

from fiedler.tournament.pairing.adaptive import AdaptivePlanner
from fiedler.tournament.pairing.goal import GoalPlanner
from fiedler.tournament.pairing.graph import (
    FixedPlanner,
    believed,
    choose_pairs,
    free_games,
    known_before,
    lambda2,
    meeting_graph,
    predicted_rms,
)
from fiedler.tournament.pairing.knockout import KnockoutPlanner
from fiedler.tournament.pairing.ladder import LadderPlanner
from fiedler.tournament.pairing.planner import Over, Planner, Step, Wait
from fiedler.tournament.pairing.sprt import SprtPlanner
from fiedler.tournament.pairing.swiss import SwissPlanner
from fiedler.tournament.schedule.schedule import Schedule

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
