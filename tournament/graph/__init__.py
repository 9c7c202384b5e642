"""The meeting graph: the choice of the pairs that play."""

from tournament.graph.design import Design, design
from tournament.graph.errors import DesignError
from tournament.graph.problem import Beliefs, Criterion, DegreeCap, DesignGoal

__all__ = ["Beliefs", "Criterion", "DegreeCap", "Design", "DesignError", "DesignGoal", "design"]
