"""Simulated players of known strength, to measure the error of ratings."""

from fiedler.tournament.simulation.comparison import Effort, compare
from fiedler.tournament.simulation.trial import Summary, Trial

__all__ = ["Effort", "Summary", "Trial", "compare"]
