"""A progress bar for long commands, on a terminal at standard error; nothing elsewhere."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn

LINE_ROOM = 16
"""The columns of the counts and the time before the text of a line."""


def bar(console: Console | None = None, *, takes_output: bool = True) -> Progress:
    """Return a display of the done steps, of their number and of the time; it disappears at its end.

    `takes_output`: text that is printed meanwhile appears above it.
    """
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    return _display(console, *columns, takes_output=takes_output)


def line(console: Console | None = None) -> Progress:
    """Return the same with a text in place of the bar. A text beyond `LINE_ROOM` less than the terminal is cut off."""
    return _display(console, MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))


def _display(console: Console | None, *columns: ProgressColumn, takes_output: bool = True) -> Progress:
    console = console or Console(stderr=True, highlight=False, soft_wrap=True)
    return Progress(
        *columns,
        console=console,
        transient=True,
        disable=not console.is_terminal,
        redirect_stdout=takes_output,
        redirect_stderr=takes_output,
    )
