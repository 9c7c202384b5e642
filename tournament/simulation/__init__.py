"""The same tournament with players of known strength in place of engines, which tells how precise its ratings are."""

from tournament.simulation.comparison import Settings, compare
from tournament.simulation.trial import Summary, Trial

__all__ = ["Settings", "Summary", "Trial", "compare"]
