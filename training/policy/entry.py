"""The log line of an iteration of the policy network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from fiedler.support.text import counted
from fiedler.training.recipe.entry import Entry


class PolicyEntry(Entry, frozen=True, kw_only=True):
    """New games, then learning."""

    loss_units: ClassVar[Mapping[str, str]] = {"policy": "nats", "value": "squared error"}
    curves: ClassVar[Mapping[str, str]] = {"top1": "held out, top 1", "top5": "held out, top 5"}

    games: int
    """Games so far, held-out ones included."""
    wrong: int
    """Wrong games of the files, which were left out."""
    positions: int
    """Positions to learn, with shifted copies."""
    held_out: int
    """Positions of held-out games."""
    playing_seconds: float
    learning_seconds: float
    policy_loss: float
    """Mean cross entropy with the moves."""
    value_loss: float
    """Mean squared error of the value."""
    steps: int
    rate: float
    top1: float | None = None
    """The share of the positions of held-out games whose move is the network's likeliest; null without such games."""
    top5: float | None = None
    """The share whose move is one of the five likeliest."""
    held_out_value: float | None = None
    """Mean squared error of the value in the positions of held-out games."""

    def summary(self) -> str:
        """Return the size of the data, the losses and the accuracy."""
        wrong = f" ({counted(self.wrong, 'wrong one')} left out)" if self.wrong else ""
        text = f"{counted(self.games, 'game')}{wrong}, {counted(self.positions, 'position')}, {super().summary()}"
        if self.top1 is None or self.top5 is None:
            return text
        return f"{text}, held out: top 1 {self.top1:.1%}, top 5 {self.top5:.1%}"
