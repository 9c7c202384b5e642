"""The log line of an iteration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import msgspec

from games.score import score_text

LOSS = "_loss"
"""The ending of the fields that are losses."""


class Strength(msgspec.Struct, frozen=True):
    """The result of a match against a reference."""

    score: float
    """(Wins + ½ draws) / games, 0 to 1."""
    low: float
    """The 95 % interval of the score, 0 to 1."""
    high: float
    games: int

    def text(self) -> str:
        """Return `98.5 ± 1.2 %`."""
        return score_text(self.score, (self.low, self.high), 1)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of log.jsonl: one iteration. Each system adds its own fields."""

    loss_units: ClassVar[Mapping[str, str]] = {}
    """The units of its losses, by their names."""
    curves: ClassVar[Mapping[str, str]] = {}
    """Further fields for the picture of a run, with the labels of their axes; a field may be null."""

    iteration: int = 0
    """The number of the iteration, from 1; set by the run."""
    seconds: float = 0.0
    """The time since the run began, without pauses and evaluations; set by the run."""
    strength: dict[str, Strength] = {}
    """The results against the references of `[evaluation]`, by their names; empty where none was played."""

    @property
    def losses(self) -> dict[str, float]:
        """The fields whose names end in `_loss`, without that ending."""
        names = (name for name in self.__struct_fields__ if name.endswith(LOSS))
        return {name.removesuffix(LOSS): getattr(self, name) for name in names}

    def summary(self) -> str:
        """Return the result of the iteration in half a line."""
        return self.with_strength("loss: " + losses_text(self.losses))

    def with_strength(self, text: str) -> str:
        """Return the text, followed by the results against the references."""
        return "; ".join((text, *(f"{name} {strength.text()}" for name, strength in self.strength.items())))


def losses_text(losses: dict[str, float]) -> str:
    """Return `policy 0.750, value 0.036`."""
    return ", ".join(f"{name} {loss:.3f}" for name, loss in losses.items())
