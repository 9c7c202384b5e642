"""The progress of `tournament compare`, on standard error: a live table on a terminal, elsewhere lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import click

from fiedler.support.errors import UsageError
from fiedler.support.text import counted
from fiedler.tournament.game import GameRecord
from fiedler.tournament.run.events import Event, Finished, Remarked, Subscriber, Warned
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.schedule import Schedule

GAMES_OF_A_LINE = 100


class ProgressLines:
    """A subscriber that prints warnings, and the state of the test after each GAMES_OF_A_LINE games."""

    def __init__(self, schedule: Schedule) -> None:
        self._is_test = schedule.pairing.kind.is_test

    def __call__(self, event: Event) -> None:
        """Print the event, if it has a line."""
        with suppress(OSError):  # the reader is gone
            if isinstance(event, Warned):
                click.echo(f"warning: {event.text}", err=True)
            elif isinstance(event, Remarked) and event.games % GAMES_OF_A_LINE == 0:
                click.echo(event.text, err=True)
            elif isinstance(event, Finished) and not self._is_test and event.finished % GAMES_OF_A_LINE == 0:
                click.echo(f"{event.finished} of {counted(event.scheduled, 'game')}", err=True)


@contextmanager
def progress(schedule: Schedule, folder: Path, *, fresh: bool, quiet: bool) -> Iterator[Sequence[Subscriber]]:
    """Give the subscribers that show the progress of a run; with `quiet` there are none."""
    if quiet:
        yield ()
        return
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield (ProgressLines(schedule),)
        return
    from fiedler.tournament.commands.progress import LiveTable

    with LiveTable(console, schedule, () if fresh else _finished(folder), run=folder) as table:
        yield (table,)


def _finished(folder: Path) -> Sequence[GameRecord]:
    """Return the finished games of a run; none if there is no run yet."""
    with suppress(UsageError), closing(Store.open(folder)) as store:
        return store.games()
    return ()
