"""The log line of an iteration of Descent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from fiedler.training.recipe.entry import Entry


class DescentEntry(Entry, frozen=True, kw_only=True):
    """Self-play, then learning."""

    loss_units: ClassVar[Mapping[str, str]] = {"value": "squared error"}

    games: int
    plies: int
    samples: int
    expansions: int
    """Positions whose replies were all evaluated."""
    first_wins: int
    draws: int
    selfplay_seconds: float
    learning_seconds: float
    value_loss: float
    steps: int
    rate: float
    greedy: float
    """Of the ordinal choice of moves: 1 plays the best one, 0 any with equal probability."""
    expert_share: float = 0.0
    """The share of the searches that an expert evaluates, 0 to 1."""
    opponent_score: float | None = None
    """Of the network against its older version in self-play, 0 to 1; None without one."""
    gate_score: float | None = None
    """Of the new network against the one before, 0 to 1; None without a gate."""
    accepted: bool = True
    """Whether the update was kept."""

    def summary(self) -> str:
        """Return speed and loss."""
        playing = max(self.selfplay_seconds, 1e-9)
        speed = f"{self.games / playing:.0f} games/s, {self.expansions / playing / 1000:.0f} k expansions/s"
        gate = (
            "" if self.gate_score is None else f", gate {self.gate_score:.2f}{'' if self.accepted else ' (kept out)'}"
        )
        return f"{speed}{gate}, {super().summary()}"
