"""The progress of a run: a bar on a terminal, elsewhere a line for each iteration."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from fiedler.training.recipe.entry import Entry


class RunProgress:
    """The display on standard error; use as a context manager."""

    def __init__(self, name: str, iterations: int, done: int) -> None:
        self._console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:.1f}/{task.total:.0f} iterations"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[last]}"),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task(name, total=iterations, completed=done, last="")
        self._done = done

    def __enter__(self) -> RunProgress:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def playing(self, samples: int, wanted: int) -> None:
        """Show that the iteration has `samples` of the `wanted` ones."""
        self._bar.update(self._task, completed=self._done + samples / wanted)

    def finished(self, entry: Entry) -> None:
        """Show that another iteration is done."""
        self._done = entry.iteration
        self._bar.update(self._task, completed=entry.iteration, last=entry.summary())
        if not self._console.is_terminal:
            self._console.print(f"iteration {entry.iteration}: {entry.summary()}", soft_wrap=True, highlight=False)

    def note(self, line: str) -> None:
        """Print a line about the run."""
        self._console.print(line, soft_wrap=True, highlight=False, markup=False)
