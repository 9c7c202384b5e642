"""Openings: random ones distinct up to symmetry, balanced on request, or the lines of a file."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from fiedler import games
from fiedler.games.openings import Opening, candidates, from_random_starts, identity
from fiedler.support.errors import UsageError
from fiedler.support.text import counted
from fiedler.tournament.play.opening_evaluator import OpeningEvaluator
from fiedler.tournament.schedule.balance import read_balance
from fiedler.tournament.schedule.game_keys import start_of
from fiedler.tournament.schedule.opening_file import FileForm, OpeningFile, drawn_lines, form_of, opening_path
from fiedler.tournament.schedule.schedule import Schedule

REJECTED_IN_A_ROW = 500
"""Consecutive openings without balance that end the search."""
PROGRESS_PAUSE_S = 1.0
"""Least seconds between two reports of the progress."""

Report = Callable[[int, int], None]
"""report(judged, kept): the progress of judging."""


class OpeningList:
    """The openings of a run, found as they are needed.

    Finding balanced ones takes searches: `extend` and its callers block. One thread at a time.
    """

    def __init__(self, schedule: Schedule, report: Report | None = None) -> None:
        """Make an empty list; `report` receives the progress, in the thread that judges."""
        self.found: list[Opening] = []
        self.warnings: list[str] = []
        """Warnings about the file."""
        self.listed: int | None = None
        """The openings of the file, once it is read; None without a file, and of a book."""
        self._schedule = schedule
        self._game = games.any_game(schedule.tournament.game)
        self._progress = report or (lambda _judged, _kept: None)
        self._evaluator: OpeningEvaluator | None = None
        self._judged = self._kept = 0
        self._reported: int | None = None
        """The number of judged openings in the last report."""
        self._report_at = 0.0
        self._closed = False
        self._complete = False
        self._source: Iterator[Opening] | None = None

    def __call__(self, number: int) -> Opening:
        """Return the opening `number`, from 0; if there are fewer, they repeat in order."""
        self.extend(number + 1)
        return self.found[number % len(self.found)]

    def short_of(self, needed: int) -> bool:
        """Return whether the schedule asks for distinct openings and has fewer than `needed`."""
        self.extend(needed)
        table = self._schedule.openings
        return bool(table.given) and len(self.found) < needed

    def extend(self, count: int) -> None:
        """Find up to `count` openings.

        Raises:
            UsageError: there are no openings, a file is wrong, or the evaluating engine cannot be used.

        """
        if self._source is None:
            self._source = itertools.islice(self._list(), self._schedule.openings.start, None)
        most = self._schedule.openings.count
        while len(self.found) < count and len(self.found) != most and not self._complete:
            opening = next(self._source, None)
            if opening is None:
                self._complete = True
            else:
                self.found.append(opening)
        if self._reported is not None and self._reported != self._judged:
            self._report()
        if not self.found:
            raise self._none()

    def resume(self, known: Sequence[Opening]) -> bool:
        """Begin with the stored openings of a run of this schedule; return whether the list begins with them.

        Balanced openings are not evaluated again: candidates skipped before the last stored one were rejected earlier.
        """
        if self._schedule.openings.balance is None or not known:
            self.extend(len(known))
            return self.found[: len(known)] == list(known)
        source, most = self._all(), (self._schedule.openings.start + 1) * REJECTED_IN_A_ROW
        if not all(opening in itertools.islice(source, most) for opening in known):  # advances to each
            return False
        self.found = list(known)
        self._source = self._balanced(source)
        return True

    def close(self) -> None:
        """End the evaluating engine; a thread that waits for it gets an error. No more openings can be judged."""
        self._closed = True
        if self._evaluator is not None:
            self._evaluator.close()

    def _list(self) -> Iterator[Opening]:
        return self._all() if self._schedule.openings.balance is None else self._balanced(self._all())

    def _all(self) -> Iterator[Opening]:
        """Return all openings of the file, or all that can be generated or drawn from it."""
        table, seed = self._schedule.openings, self._schedule.tournament.seed
        if table.has_random_starts:
            return from_random_starts(self._game, table.plies, seed)
        if table.file is None:
            return candidates(self._game, table.plies, seed, start_of(self._schedule))
        path = opening_path(Path(self._schedule.folder), table.file)
        if form_of(path) is FileForm.BOOK:
            return drawn_lines(self._game, path, table.plies, seed)
        found = OpeningFile.read(self._game, path, table.coordinates, table.plies, self._schedule.tournament.rules)
        lines = found.openings
        self.listed = len(lines)
        self.warnings = list(found.warnings)
        repeated = symmetric_repeats(self._game, lines)
        if repeated:
            verb = "is" if repeated == 1 else "are"
            total = len(lines)
            self.warnings.append(f"openings: {repeated} of {total} in the file {verb} an earlier one up to symmetry")
        order = [*range(len(lines))]
        if table.order == "random":
            random.Random(f"order {self._game.id} {seed}").shuffle(order)
        return (lines[place] for place in order)

    def _balanced(self, source: Iterator[Opening]) -> Iterator[Opening]:
        """Yield the openings with equal chances for both sides, within the tolerance."""
        in_vain = 0
        self._report_at = time.monotonic() + PROGRESS_PAUSE_S
        for opening in source:
            even = self._deviation(opening) <= self._schedule.openings.tolerance
            self._judged, self._kept, in_vain = self._judged + 1, self._kept + even, 0 if even else in_vain + 1
            if time.monotonic() >= self._report_at:
                self._report()
            if even:
                yield opening
            elif in_vain >= REJECTED_IN_A_ROW:
                return

    def _report(self) -> None:
        self._report_at = time.monotonic() + PROGRESS_PAUSE_S
        self._reported = self._judged
        self._progress(self._judged, self._kept)

    def _deviation(self, opening: Opening) -> float:
        """Return the distance of the expected score after an opening from 0.5, 0 to 0.5."""
        try:
            if self._evaluator is None:
                balance = read_balance(self._schedule.openings.balance or "")
                self._evaluator = OpeningEvaluator(self._game.id, balance, Path(self._schedule.folder))
                if self._closed:
                    self._evaluator.close()
            return abs(self._evaluator.score(opening) - 0.5)
        except UsageError as error:
            raise self._schedule.error("openings.balance", str(error)) from error

    def _none(self) -> UsageError:
        table = self._schedule.openings
        if table.start:
            return self._schedule.error("openings.start", f"expected fewer than there are openings, got {table.start}")
        if table.balance is not None:
            wrong = f"no opening of {counted(table.plies, 'ply')} is even within {table.tolerance:g}"
            return self._schedule.error("openings.balance", wrong)
        wrong = f"every game of {self._game.id} is over after {counted(table.plies, 'ply')}"
        return self._schedule.error("openings.plies", wrong)


def symmetric_repeats(game: games.AnyGame, lines: Sequence[Opening]) -> int:
    """Return the number of openings that are the same as an earlier one up to the symmetries of the game."""
    return len(lines) - len({identity(game.position(start, moves)) for moves, start in lines})
