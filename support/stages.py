"""The stages of a long computation and its progress, for a listener, which never changes the result."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress


LINE_S = 10.0
"""Seconds between two lines of progress where there is no terminal."""


class Listener(Protocol):
    """Receives the progress of a computation, in the thread that computes."""

    def begin(self, title: str, steps: int | None) -> None:
        """Note the begin of a stage of at most or about `steps` steps; None: unknown."""

    def step(self) -> None:
        """Note the end of a step."""


_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def reported_to(listener: Listener) -> Iterator[None]:
    """Report all computations inside the block."""
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)


def begin(title: str, steps: int | None = None) -> None:
    """Report the begin of a stage of at most or about `steps` steps."""
    if (listener := _LISTENER.get()) is not None:
        listener.begin(title, steps)


def step() -> None:
    """Report the end of a step."""
    if (listener := _LISTENER.get()) is not None:
        listener.step()


@contextmanager
def shown(title: str, after: float = 0.0) -> Iterator[None]:
    """Show the progress of the block on a terminal at standard error, from `after` seconds on.

    Elsewhere a line is printed there every ten seconds. `title` is shown until the first stage begins. The block prints
    nothing on standard output, and may replace it.
    """
    from fiedler.support.bar import bar  # its library takes its time

    progress = bar(takes_output=False)
    if progress.disable:
        with progress_lines(title, sys.stderr):
            yield
        return
    timer = threading.Timer(after, progress.start)
    timer.daemon = True
    if after:
        timer.start()
    else:
        progress.start()
    try:
        with reported_to(_Bar(progress, title)):
            yield
    finally:
        timer.cancel()
        if timer.is_alive():
            timer.join()
        progress.stop()


@contextmanager
def progress_lines(title: str, output: TextIO, every_s: float = LINE_S) -> Iterator[None]:
    """Print a line of the progress of the block every `every_s` seconds."""
    shown, ended = _Line(title), threading.Event()

    def run() -> None:
        while not ended.wait(every_s):
            print(shown.text, file=output, flush=True)

    printing = threading.Thread(target=run, daemon=True)
    printing.start()
    try:
        with reported_to(shown):
            yield
    finally:
        ended.set()
        printing.join()


class _Line:
    """The present stage as a line."""

    def __init__(self, title: str) -> None:
        self._start = time.monotonic()
        self.begin(title, None)

    def begin(self, title: str, steps: int | None) -> None:
        """Note a stage."""
        self._title, self._steps, self._done = title, steps, 0

    def step(self) -> None:
        """Note a step."""
        self._done += 1

    @property
    def text(self) -> str:
        """The stage, its steps if their number is known, and the time since the begin of the block."""
        steps = "" if self._steps is None else f"{self._done} of {max(self._steps, self._done)}, "
        return f"{self._title}: {steps}{time.monotonic() - self._start:.0f} s"


class _Bar:
    """A bar for the present stage."""

    def __init__(self, progress: Progress, title: str) -> None:
        self._progress = progress
        self._task = progress.add_task(title, total=None)

    def begin(self, title: str, steps: int | None) -> None:
        """Show a stage."""
        self._progress.remove_task(self._task)
        self._task = self._progress.add_task(title, total=steps)

    def step(self) -> None:
        """Show a step; if there are more than expected, the bar stays open."""
        self._progress.advance(self._task)
        (task,) = self._progress.tasks
        if task.total is not None and task.completed > task.total:
            self._progress.update(self._task, total=task.completed)
