"""The log line of an iteration of NNUE."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from fiedler.training.recipe.entry import Entry


class NnueEntry(Entry, frozen=True, kw_only=True):
    """Self-play, then learning."""

    loss_units: ClassVar[Mapping[str, str]] = {"value": "squared error"}

    games: int
    plies: int
    samples: int
    nodes: int
    """Of all searches."""
    selfplay_seconds: float
    learning_seconds: float
    value_loss: float
    steps: int
    rate: float

    def summary(self) -> str:
        """Return speed and loss."""
        speed = f"{self.samples / max(self.selfplay_seconds, 1e-9):.0f} samples/s"
        return f"{speed}, {super().summary()}"
