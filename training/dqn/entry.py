"""The log line of an iteration of the Q-network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from fiedler.support.text import counted
from fiedler.training.recipe.entry import Entry


class DqnEntry(Entry, frozen=True, kw_only=True):
    """Games, then epochs over them."""

    curves: ClassVar[Mapping[str, str]] = {
        "random_score": "score, random",
        "osp_score": "score, osp",
        "random_length": "plies, random",
        "mean_length": "plies, training",
    }

    games: int
    samples: int
    """Positions of these games, random openings not counted."""
    mean_length: float
    """Plies of a game, its opening counted."""
    epsilon: float
    """The share of random moves in these games."""
    playing_seconds: float
    learning_seconds: float
    q_loss: float
    """Mean cross entropy of the last epoch."""
    steps: int
    rate: float
    random_score: float | None = None
    """Score of the network against random, 0 to 1; null in iterations without a measurement."""
    random_length: float | None = None
    """Mean plies of the games of that measurement."""
    osp_score: float | None = None
    """Score of the network against osp, 0 to 1."""

    def summary(self) -> str:
        """Return the loss, and the scores where there are new ones."""
        text = f"{counted(self.games, 'game')}, {super().summary()}"
        if self.random_score is None or self.osp_score is None:
            return text
        return f"{text}, against random {self.random_score:.1%}, osp {self.osp_score:.1%}"
