"""The self-play of one iteration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from fiedler.training.recipe.system import OnProgress


class PlayCounts(Protocol):
    """The counts that every call of self-play returns."""

    @property
    def games(self) -> int:
        """Finished ones."""

    @property
    def plies(self) -> int:
        """Of all games."""

    @property
    def samples(self) -> int:
        """New ones."""


@dataclass
class SelfPlayed:
    """Sums of the counts that each call of self-play returns, by their names; systems add counts of their own."""

    games: int = 0
    plies: int = 0
    samples: int = 0

    def collect(self, play: Callable[[int], PlayCounts], wanted: int, chunk: int, on_progress: OnProgress) -> None:
        """Play until there are at least `wanted` samples; a call of `play` is asked for at most `chunk` of them."""
        while self.samples < wanted:
            counts = play(min(chunk, wanted - self.samples))
            for name in vars(self):
                setattr(self, name, getattr(self, name) + getattr(counts, name))
            on_progress(min(self.samples, wanted), wanted)
