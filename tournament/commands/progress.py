"""The display of a running tournament: a live table on a terminal, one line per event elsewhere."""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from fiedler.support.text import counted
from fiedler.tournament.game import GameRecord
from fiedler.tournament.ratings.table import percent
from fiedler.tournament.run.event_text import event_text
from fiedler.tournament.run.events import (
    Added,
    Annulled,
    Awaiting,
    Away,
    Back,
    Began,
    Benched,
    Decided,
    Disputed,
    Ended,
    Event,
    Finished,
    Joined,
    Judged,
    Planned,
    Predicted,
    Probing,
    Rated,
    Readmitted,
    Receiving,
    Remarked,
    Started,
    Voided,
    Waiting,
    Warned,
    Withdrawn,
)
from fiedler.tournament.run.interim import (
    SHOWN_PLAYERS,
    expected_games,
    games_text,
    is_time_to_look,
    look,
    time_left,
    waiting_text,
)
from fiedler.tournament.run.rater import PlayerTally
from fiedler.tournament.run.run_state import RunState
from fiedler.tournament.schedule.schedule import Pairing, Schedule

FRAMES_PER_S = 4
BEFORE = (Judged, Predicted, Probing, Receiving, Awaiting)
STEERED = (Benched, Readmitted, Added, Annulled, Withdrawn)
PRINTED = (*BEFORE, *STEERED, Voided, Disputed, Warned, Planned, Decided, Joined, Away, Back, Waiting)
"""Events with their own line above the live table."""


class Lines:
    """A subscriber that prints one stable line per event on standard output, and from time to time the ranking so far.

    For logs and scripts. Without `each_game` single games have no lines.
    """

    def __init__(
        self, schedule: Schedule, earlier: Iterable[GameRecord] = (), *, each_game: bool = True, run: Path | None = None
    ) -> None:
        """Start with the games that `earlier` managers finished; `run` is its folder, for commands."""
        self._schedule = schedule
        self._run = run
        self._each_game = each_game
        self._pace = Pace(schedule.pairing)
        self._games = [(record.first, record.second, record.result) for record in earlier]
        self._players = 0
        self._known = RunState()
        self._remark, self._remarked = "", 0
        """The state of a sequential test, and the games that had finished by then."""
        self._is_due = False
        """Whether it is time to show the ranking."""
        self._looking: threading.Thread | None = None

    def __call__(self, event: Event) -> None:
        """Print the event."""
        text = event_text(event, self._schedule.pairing, self._run)
        if text and (self._each_game or not isinstance(event, Started | Finished | Remarked)):
            with _reader_may_be_gone():
                click.echo(text)
        self._pace.take(event)
        self._known = self._known.after(event)
        if isinstance(event, Remarked):
            self._remark, self._remarked = _beside_answer(event), event.games
        elif isinstance(event, Began):
            self._players = len(event.players)
        elif isinstance(event, Finished):
            self._games.append((event.game.first, event.game.second, event.game.result))
            self._is_due |= is_time_to_look(event.finished, self._players) and event.finished < self._pace.total
        elif isinstance(event, Annulled):
            self._games.remove((event.game.first, event.game.second, event.game.result))
        elif isinstance(event, Ended) and self._looking is not None:
            self._looking.join()
        if self._is_due and self._is_up_to_date():
            self._is_due = False
            self._look()

    def _is_up_to_date(self) -> bool:
        """Return whether the state of a sequential test, if there is one, has all finished games."""
        return not self._schedule.pairing.kind.is_test or self._remarked == self._pace.finished

    def _look(self) -> None:
        """Show the ranking, computed in its own thread, so that it does not delay the clocks of games."""
        if self._looking is None or not self._looking.is_alive():
            heading = f"After {self._pace.text()}:"
            seen = (heading, list(self._games), self._known, self._remark)
            self._looking = threading.Thread(target=self._show, args=seen)
            self._looking.start()

    def _show(self, heading: str, games: Sequence[tuple[str, str, str]], known: RunState, remark: str) -> None:
        text = look(self._schedule, games, known, remark)
        with _reader_may_be_gone():
            click.echo(f"{heading}\n{text}")


class Pace:
    """The finished and the planned games of a run, and the time that the rest takes."""

    def __init__(self, pairing: Pairing) -> None:
        self._pairing = pairing
        self.finished = self._scheduled = self._at_start = self._given_up = 0
        self._is_all = False
        """No more games will be planned."""
        self._waits_for: Sequence[str] = ()
        self._began = time.monotonic()

    @property
    def total(self) -> int:
        """The games of the run, as far as they are known."""
        return self._scheduled if self._is_all else expected_games(self._pairing, self._scheduled)

    def take(self, event: Event) -> None:
        """Count an event."""
        if isinstance(event, Benched | Readmitted | Annulled | Disputed | Withdrawn):  # games are lost, or back
            self._given_up += self._scheduled - event.scheduled
        elif isinstance(event, Decided):
            self._given_up += event.given_up
        if isinstance(event, (Began, Planned, Decided, Disputed, Ended, *STEERED)):
            self._scheduled = event.scheduled
            self._is_all = isinstance(event, Decided) or (isinstance(event, Ended) and event.state == "finished")
        if isinstance(event, Began):
            self._given_up = event.given_up
            self.finished = self._at_start = event.finished
            self._began = time.monotonic()
        elif isinstance(event, Finished | Annulled):
            self.finished = event.finished
        if isinstance(event, Finished | Started | Waiting):
            self._waits_for = _waits_for(event)

    def per_second(self) -> float:
        """Return finished games per second of this manager, 0 before the first."""
        return (self.finished - self._at_start) / max(time.monotonic() - self._began, 1e-6)

    def games_text(self) -> str:
        """Return the finished and the planned games as `168 of 600 games`."""
        given_up = self._given_up
        return games_text(self._pairing, self.finished, self._scheduled, is_all=self._is_all, given_up=given_up)

    def text(self) -> str:
        """Return games and time left as `168 of 600 games, about 3 min 10 s left`."""
        text, pace = self.games_text(), self.per_second()
        if self._waits_for:
            return f"{text}, {waiting_text(self._waits_for)}"
        left = self.total - self.finished
        return f"{text}, {time_left(self._pairing, left, left / pace)}" if pace else text


def _waits_for(event: Finished | Started | Waiting) -> Sequence[str]:
    """Return the players that all games wait for."""
    if isinstance(event, Waiting):
        return event.players
    return event.waits_for if isinstance(event, Finished) else ()


@contextmanager
def _reader_may_be_gone() -> Iterator[None]:
    """Stop the output, not the games, once its reader is gone: after `| head`, or because the terminal was closed."""
    try:
        yield
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class LiveTable:
    """A subscriber and a context manager: the table on a terminal, drawn by its own thread."""

    def __init__(
        self, console: Console, schedule: Schedule, earlier: Iterable[GameRecord] = (), *, run: Path | None = None
    ) -> None:
        """Start with the games that `earlier` managers finished; `run` is its folder, for commands."""
        self._console = console
        self._run = run
        self._schedule = schedule
        self._pace = Pace(schedule.pairing)
        self._tally = PlayerTally(earlier)
        self._players: tuple[str, ...] = ()
        self._elo: dict[str, tuple[float, float]] = {}
        self._rated = 0
        self._remark = self._answer = ""
        self._live = Live(get_renderable=self._render, console=console, refresh_per_second=FRAMES_PER_S)

    def __enter__(self) -> LiveTable:
        return self

    def __exit__(self, *_: object) -> None:
        with _reader_may_be_gone():
            self._live.stop()

    def __call__(self, event: Event) -> None:
        """Show an event in the table; those in PRINTED also print a line above it."""
        with _reader_may_be_gone():
            self._take(event)

    def _take(self, event: Event) -> None:
        self._pace.take(event)
        if isinstance(event, Began):
            self._players = event.players
            self._live.start()
        elif isinstance(event, Added):
            self._players = (*self._players, *event.players)
        elif isinstance(event, Finished):
            self._tally.add(event.game)
        elif isinstance(event, Annulled):
            self._tally.take_back(event.game)
        elif isinstance(event, Rated):
            self._elo = {one.name: (_known(one.elo), _known(one.plus)) for one in event.players}
            self._answer, self._rated = event.answer, event.games
        elif isinstance(event, Remarked):
            self._remark = _beside_answer(event)
        if isinstance(event, PRINTED) and event_text(event, self._schedule.pairing, self._run):
            self._console.print(event_text(event, self._schedule.pairing, self._run), markup=False, highlight=False)
        elif isinstance(event, Ended):
            self._live.stop()
            self._console.print(event_text(event, self._schedule.pairing, self._run), markup=False, highlight=False)

    def _render(self) -> RenderableType:
        bar = Table.grid()  # ends the line of the bar
        bar.add_row(ProgressBar(total=max(1, self._pace.total), completed=self._pace.finished, width=40))
        below = "\n".join(filter(None, (self._answered(), self._remark)))
        return Group(Text(self._headline()), bar, self._table(), Text(below))

    def _answered(self) -> str:
        """Return the answer, with the number of games behind it if more are finished by now."""
        older = f"\nratings and answer after {counted(self._rated, 'game')}"
        return f"{self._answer}{older if 0 < self._rated < self._pace.finished else ''}"

    def _headline(self) -> str:
        pace = self._pace.per_second()
        return self._pace.text() + (f"   {pace:.1f} games/s" if pace else "")

    def _table(self) -> Table:
        tally, elo = self._tally, self._elo
        table = Table("Player", box=None, pad_edge=False)
        for heading in ("Elo", "±", "score", "games", "failures"):
            table.add_column(heading, justify="right")
        order = sorted(self._players, key=self._place)
        for name in order[:SHOWN_PLAYERS]:
            shown = ["?" if math.isnan(value) else f"{value:.0f}" for value in elo.get(name, ())] or ["", ""]
            games, failures = tally.games.get(name, 0), tally.failures.get(name, 0)
            score = percent(tally.score(name)) if games else ""
            table.add_row(Text(name), *shown, score, str(games), str(failures or ""))
        if len(order) > SHOWN_PLAYERS:
            table.add_row(f"… and {len(order) - SHOWN_PLAYERS} more")
        return table

    def _place(self, name: str) -> tuple[float, bool, float]:
        """Return the key of a player: by falling Elo, without one by falling score, without games last."""
        rating = self._elo.get(name, (math.nan, math.nan))[0]
        return math.inf if math.isnan(rating) else -rating, not self._tally.games.get(name), -self._tally.score(name)


def _beside_answer(event: Remarked) -> str:
    """Return the line below the answer: that about a goal is the answer itself."""
    return event.text if event.standing is None else ""


def _known(value: float | None) -> float:
    return math.nan if value is None else value
