"""Simulated players of known strength, to measure the error of ratings."""

from tournament.simulation.comparison import Effort, compare
from tournament.simulation.trial import Summary, Trial

__all__ = ["Effort", "Summary", "Trial", "compare"]
