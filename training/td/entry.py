"""The log line of an iteration of TD(0)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from fiedler.support.text import counted
from fiedler.training.recipe.entry import Entry


class TdEntry(Entry, frozen=True, kw_only=True):
    """Games, and the learning from them."""

    loss_units: ClassVar[Mapping[str, str]] = {"td": "squared error", "move": "share of positions"}

    games: int
    """The games of the run so far."""
    updates: int
    """The targets that the games of this iteration gave."""
    positions: int
    """The positions in the tables, or kept for the network."""
    epsilon: float
    """The share of random moves."""
    rate: float
    """The learning rate."""
    td_loss: float
    """Mean squared difference between values and their targets."""
    move_loss: float
    """The share of all running positions in which the best move by the values loses value against exact play."""

    def summary(self) -> str:
        """Return the share of exact moves and the losses."""
        exact = f"{1 - self.move_loss:.2%} of the moves preserve the value"
        return f"{counted(self.games, 'game')}, {exact}, {super().summary()}"
