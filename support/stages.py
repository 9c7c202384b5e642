"""The stages of a long computation and its progress, for a listener, which never changes the result."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.progress import Progress


class Listener(Protocol):
    """Hears of a computation, in the thread that computes."""

    def begin(self, what: str, steps: int | None) -> None:
        """Hear that a stage of at most or about so many steps begins; None: nobody knows."""

    def step(self) -> None:
        """Hear that a step of the stage is done."""


_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Tell of all that is computed inside the block."""
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)


def begin(what: str, steps: int | None = None) -> None:
    """Tell that a stage of at most or about so many steps begins."""
    if (listener := _LISTENER.get()) is not None:
        listener.begin(what, steps)


def step() -> None:
    """Tell that a step of the stage is done."""
    if (listener := _LISTENER.get()) is not None:
        listener.step()


@contextmanager
def shown(what: str, after: float = 0.0) -> Iterator[None]:
    """Show on a terminal at standard error what goes on inside the block, once that has taken so many seconds.

    `what` stands there until the first stage begins.
    """
    from support.bar import bar  # its library takes its time

    progress = bar()
    timer = threading.Timer(after, progress.start)
    timer.daemon = True
    if after and not progress.disable:
        timer.start()
    elif not progress.disable:
        progress.start()
    try:
        with heard_by(_Bar(progress, what)):
            yield
    finally:
        timer.cancel()
        if timer.is_alive():
            timer.join()
        progress.stop()


class _Bar:
    """A bar for the present stage."""

    def __init__(self, progress: Progress, what: str) -> None:
        self._progress = progress
        self._task = progress.add_task(what, total=None)

    def begin(self, what: str, steps: int | None) -> None:
        """Show a stage."""
        self._progress.remove_task(self._task)
        self._task = self._progress.add_task(what, total=steps)

    def step(self) -> None:
        """Show a step; where there are more than was thought, the bar stays open."""
        self._progress.advance(self._task)
        (task,) = self._progress.tasks
        if task.total is not None and task.completed > task.total:
            self._progress.update(self._task, total=task.completed)
