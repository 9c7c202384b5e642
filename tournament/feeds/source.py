"""What a feed publishes of a run: lines of its log, its standings, its running games, its progress."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Generic, Protocol, Self, TypeVar

from fiedler.support.errors import UsageError
from fiedler.support.lock import is_locked
from fiedler.tournament.feeds.live_reader import LiveLine, LiveReader
from fiedler.tournament.feeds.progress import Progress, complete_log, progress
from fiedler.tournament.feeds.tail import LogLine, Tail

LOOK_S = 1.0
"""Seconds between two looks at the progress, at least."""
SHARE = 0.02
"""Of the time that these looks may take."""
LOCK_S = 0.2
"""Seconds between two looks whether a manager is at work."""


class ReplacedError(Exception):
    """The run was started anew."""


class Positions(Protocol):
    """What takes the positions of the running games."""

    def receive(self, line: LiveLine) -> None:
        """Take the new positions, and remove the games that have ended."""

    def clear(self) -> None:
        """Remove all games: no manager is at work."""


Taker = TypeVar("Taker", bound=Positions)


class Source(Generic[Taker]):
    """A context manager around a run's folder, without a connection."""

    def __init__(self, folder: Path, tables: Taker) -> None:
        """`tables` takes the running games. Raises UsageError if the run cannot be read."""
        self._folder = folder
        complete_log(folder)
        self.progress: Progress = progress(folder)
        self.tail = Tail(folder)
        self.tables = tables
        self.standings: LogLine | None = None
        """The last ranking that has been published as an event."""
        self.published = 0
        """The number of the last event that has arrived at the broker."""
        self._live = LiveReader(folder)
        self._look_at = self._lock_at = 0.0

    def __enter__(self) -> Self:
        self.tail.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.close()
        self.tail.__exit__()

    @property
    def state(self) -> str:
        """The state of the run: a manager that failed has written so in its last line."""
        failed = self.progress.state == "interrupted" and self.tail.ended == "failed"
        return "failed" if failed else self.progress.state

    def start_after(self, seq: int) -> None:
        """Leave out what was published earlier."""
        while (lines := self.tail.lines()) and lines[0].seq <= seq:
            self.arrived([line for line in lines if line.seq <= seq])

    def look(self, *, at_once: bool = False) -> None:
        """Bring the progress and the running games up to date; `at_once`: look for the manager in any case.

        Raises ReplacedError if the run was started anew.
        """
        self.look_at_run(at_once=at_once)
        self.look_at_games()

    @property
    def is_due(self) -> bool:
        """Whether it is time for `look_at_run`."""
        return time.monotonic() >= min(self._lock_at, self._look_at)

    def look_at_run(self, *, at_once: bool = False) -> None:
        """Bring the progress up to date, which reads the disk; another thread may do it. Raises as `look`."""
        now = time.monotonic()
        if at_once or now >= self._lock_at:
            self._lock_at = now + LOCK_S
            self._look_at_manager(now)
        if now >= self._look_at:
            self._look(now)

    def look_at_games(self) -> None:
        """Bring the running games up to date."""
        for line in self._live.read():
            self.tables.receive(line)
        if not self._live.is_connected:
            self.tables.clear()

    def arrived(self, lines: Sequence[LogLine]) -> None:
        """Note that these lines have been published."""
        for line in lines:
            self.published = line.seq
            if line.event == "rated":
                self.standings = line
        self.tail.advance(len(lines))

    def _look_at_manager(self, now: float) -> None:
        if self.tail.is_replaced:
            raise ReplacedError
        is_running = is_locked(self._folder)
        if is_running:
            self._live.connect()
        if is_running != self.progress.is_running:
            if not is_running:
                complete_log(self._folder)
            self._look(now)

    def _look(self, now: float) -> None:
        try:
            seen = progress(self._folder)
        except UsageError:  # it is being moved away
            return
        if seen.birth != self.progress.birth:
            raise ReplacedError
        if not seen.is_running:
            self._live.close()
        self.progress = seen
        self._look_at = now + max(LOOK_S, (time.monotonic() - now) / SHARE)
