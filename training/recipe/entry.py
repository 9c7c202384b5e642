"""The log line of an iteration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar

import msgspec

from fiedler.games.score import score_text

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


class OpponentMatch(msgspec.Struct, frozen=True):
    """The result of a match against the opponent of `[opponent]`."""

    against: str
    """The opponent, as the recipe names it."""
    option: str
    """The option of the opponent that is its level."""
    level: int
    wins: int
    draws: int
    losses: int
    score: float
    """(Wins + ½ draws) / games, 0 to 1."""
    next: int
    """The level of the following match."""

    @property
    def clean(self) -> bool:
        """Whether the model won every game."""
        return not self.draws and not self.losses

    def text(self) -> str:
        """Return `won 10:0 against mcts 3,000 simulations, next 4,000`."""
        own, other = self.wins + self.draws / 2, self.losses + self.draws / 2
        verb = "won" if own > other else "lost" if own < other else "drew"
        units = self.option.removesuffix("s") if self.level == 1 else self.option
        level = f"{self.level:,} {units}" if self.option.endswith("s") else f"{self.option} {self.level:,}"
        return f"{verb} {own:g}:{other:g} against {self.name} {level}, next {self.next:,}"

    @property
    def name(self) -> str:
        """The opponent without its options."""
        return self.against.split()[0]


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
    opponent: OpponentMatch | None = None
    """The match against the opponent of `[opponent]`; None where none was played."""

    @property
    def losses(self) -> dict[str, float]:
        """The fields whose names end in `_loss`, without that ending."""
        names = (name for name in self.__struct_fields__ if name.endswith(LOSS))
        return {name.removesuffix(LOSS): getattr(self, name) for name in names}

    @property
    def infinite(self) -> str:
        """The name of the first number that is not finite, `loss` for any loss; empty if all are."""
        for name in self.__struct_fields__:
            if isinstance(number := getattr(self, name), float) and not math.isfinite(number):
                return "loss" if name.endswith(LOSS) else name
        return ""

    def summary(self) -> str:
        """Return the result of the iteration in half a line."""
        return self.with_matches("loss: " + losses_text(self.losses))

    def with_matches(self, text: str) -> str:
        """Return the text, followed by the results against the references and the opponent."""
        found = [text, *(f"{name} {strength.text()}" for name, strength in self.strength.items())]
        return "; ".join([*found, self.opponent.text()] if self.opponent else found)


def losses_text(losses: dict[str, float]) -> str:
    """Return `policy 0.750, value 0.036`."""
    return ", ".join(f"{name} {loss:.3f}" for name, loss in losses.items())
