"""What a search is doing and how far it is, told to whoever listens; it never changes what is found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Listener(Protocol):
    """Hears of a search, in the thread that searches."""

    def begin(self, what: str, steps: int) -> None:
        """Hear that a stage of at most so many steps begins."""

    def step(self) -> None:
        """Hear that a step of the stage is done."""


_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Tell of all searches inside the block."""
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)


def begin(what: str, steps: int) -> None:
    """Tell that a stage of at most so many steps begins."""
    if (listener := _LISTENER.get()) is not None:
        listener.begin(what, steps)


def step() -> None:
    """Tell that a step of the stage is done."""
    if (listener := _LISTENER.get()) is not None:
        listener.step()
