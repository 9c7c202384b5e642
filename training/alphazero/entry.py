"""The log line of an iteration of AlphaZero."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from fiedler.training.recipe.entry import Entry


class AlphaZeroEntry(Entry, frozen=True, kw_only=True):
    """Self-play, then learning."""

    loss_units: ClassVar[Mapping[str, str]] = {"policy": "nats", "value": "squared error"}

    games: int
    plies: int
    samples: int
    simulations: int
    evaluations: int
    first_wins: int
    draws: int
    selfplay_seconds: float
    learning_seconds: float
    policy_loss: float
    value_loss: float
    steps: int
    rate: float
    gate_score: float | None = None
    """Of the new network against the best one; None without a gate."""
    accepted: bool = True
    """Whether the new network replaced the best one."""

    def summary(self) -> str:
        """Return speed and losses."""
        playing = max(self.selfplay_seconds, 1e-9)
        speed = f"{self.games / playing:.0f} games/s, {self.evaluations / playing / 1000:.0f} k evals/s"
        gate = (
            "" if self.gate_score is None else f", gate {self.gate_score:.2f}{'' if self.accepted else ' (kept out)'}"
        )
        return f"{speed}{gate}, {super().summary()}"
