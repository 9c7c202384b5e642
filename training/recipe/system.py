"""The interface of every learning system: it iterates, exports its model, and saves and restores its state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from fiedler.native import EvaluationError
from fiedler.training.recipe.entry import Entry
from fiedler.training.recipe.recipe import Recipe
from fiedler.training.recipe.rows import OnRow, Row

OnProgress = Callable[[int, int], None]
"""Receives the number of samples of this iteration so far, and the number wanted."""
OnStep = Callable[[str, int, int], None]
"""Receives the name of the step that begins, the number of finished steps, and that of all steps."""
Comparison = Callable[[OnStep, OnRow], list[Row]]
"""Returns a row for each architecture, that of the recipe first; the receiver gets only rows that are new."""
Kind = TypeVar("Kind", bound=Recipe)
"""The recipes of a system."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """The run in the metadata of its model."""

    seconds: float = 0.0
    """The time of training, without pauses."""
    commit: str = "unknown"
    """The commit of the checkout that trained it."""


class DivergedError(EvaluationError):
    """Learning has left the range of numbers. The text is a statement: `the loss is not finite`."""


class Memory(Protocol):
    """The samples that a system learns from: large, so they have their own file."""

    def dump(self) -> bytes:
        """Return it as bytes for this machine."""

    def load(self, dumped: bytes, /) -> None:
        """Restore a dump.

        Raises:
            ValueError: The dump is damaged or does not fit.
        """


class System(ABC, Generic[Kind]):
    """One way to learn, with one recipe. The same recipe and the same calls give the same model."""

    def __init__(self, recipe: Kind) -> None:
        """Begin with an untrained model."""
        self.recipe = recipe

    @classmethod
    def untrained(cls, recipe: Kind) -> bytes:
        """Return the untrained model as a file for the recipe's player. Experts and games are not read."""
        with closing(cls(recipe)) as system:
            return system.export(Stamp())

    @abstractmethod
    def iterate(self, iteration: int, on_progress: OnProgress) -> Entry:
        """Play and learn once; `iteration` counts from 0.

        Raises:
            DivergedError: The network has no whole numbers or no finite answers any more.
            native.EvaluationError: The network cannot be evaluated; do not use the system after that.
        """

    @abstractmethod
    def export(self, stamp: Stamp) -> bytes:
        """Return the present model as a file for the recipe's player.

        Raises:
            DivergedError: Its answers are not finite, or its weights do not fit into the file.
        """

    @abstractmethod
    def state(self) -> bytes:
        """Return the input of the next iteration, without the memory."""

    @abstractmethod
    def restore(self, state: bytes) -> None:
        """Continue from a `state`.

        Raises:
            ValueError: The state is damaged.
        """

    def check(self) -> None:
        """Look at every number of the state.

        Raises:
            DivergedError: One is not finite.
        """

    @property
    def memory(self) -> Memory | None:
        """The samples for learning; None if the system keeps none."""
        return None

    def close(self) -> None:
        """End its threads."""
