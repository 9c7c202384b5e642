"""The meeting graph: the choice of the pairs that play."""

from fiedler.tournament.graph.design import Design, design
from fiedler.tournament.graph.errors import DesignError
from fiedler.tournament.graph.problem import Beliefs, Criterion, DegreeCap, DesignGoal

__all__ = ["Beliefs", "Criterion", "DegreeCap", "Design", "DesignError", "DesignGoal", "design"]
