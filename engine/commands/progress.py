"""The progress of a long command, on a terminal."""

from __future__ import annotations

import threading
from types import TracebackType

from rich.console import Console

from fiedler.protocol.words import excerpt
from fiedler.support.bar import LINE_ROOM, bar, line

PATIENCE_SECONDS = 2.0
"""The bar appears after this time."""


class StepProgress:
    """A bar on standard error that appears after a while and leaves nothing behind; use as a context manager.

    If standard error is not a terminal, nothing is shown.
    """

    def __init__(
        self, title: str, console: Console | None = None, *, names_steps: bool = False, takes_output: bool = True
    ) -> None:
        """`names_steps`: a text about each step is shown in place of the bar. `takes_output`: as for `bar`."""
        self._bar = line(console) if names_steps else bar(console, takes_output=takes_output)
        self._task = self._bar.add_task(title, total=None)
        self._timer = threading.Timer(PATIENCE_SECONDS, self._bar.start)
        self._timer.daemon = True

    def __call__(self, done: int, of: int) -> None:
        """Show that `done` of `of` steps are done."""
        self._bar.update(self._task, completed=done, total=of)

    def describe(self, text: str) -> None:
        """Show this text about the current step."""
        self._bar.update(self._task, description=excerpt(text, max(1, self._bar.console.width - LINE_ROOM)))

    def __enter__(self) -> StepProgress:
        if not self._bar.disable:
            self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._bar.disable:
            self._timer.cancel()
            self._timer.join()
            self._bar.stop()
