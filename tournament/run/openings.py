"""How games begin: random openings distinct up to symmetry, balanced if that is asked for, or the lines of a file."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import games
import native
from support.errors import UsageError
from tournament.play.opening_evaluator import Judge, JudgeGoneError
from tournament.schedule.balance import read_judgement
from tournament.schedule.opening_file import Opening, read_openings
from tournament.schedule.schedule import Schedule

ENUMERATED = 5000
"""up to so many distinct openings all of them are listed and shuffled; beyond, they are drawn at random"""
DRAWS_PER_OPENING = 200
"""random draws without a new opening after which we stop drawing"""
REJECTED_IN_A_ROW = 500
"""openings that are not balanced, one after the other, after which we look for no more"""
TELLING_PAUSE_S = 1.0
"""seconds between two words about how many openings are judged, at least"""

Tell = Callable[[int, int], None]
"""tell(judged, kept): how far judging is"""


class OpeningList:
    """The openings of a run, found as they are needed.

    Finding balanced ones takes searches: `extend` and what calls it block. One thread at a time.
    """

    def __init__(self, schedule: Schedule, tell: Tell | None = None) -> None:
        """Look for nothing yet; `tell` is told, from the thread that looks, how far judging is."""
        self.found: list[Opening] = []
        self.warnings: list[str] = []
        """what a person should know about the file"""
        self._schedule = schedule
        self._game = games.game(schedule.tournament.game)
        self._tell = tell or (lambda _judged, _kept: None)
        self._judge: Judge | None = None
        self._judged = self._kept = 0
        self._told: int | None = None
        """how many were judged when that was last told"""
        self._say_at = 0.0
        self._closed = False
        self._complete = False
        self._source: Iterator[Opening] | None = None

    def __call__(self, number: int) -> Opening:
        """Return the opening `number`, from 0; openings that are too few are used again in order."""
        self.extend(number + 1)
        return self.found[number % len(self.found)]

    def short_of(self, needed: int) -> bool:
        """Return whether distinct openings, which were asked for, are fewer than that."""
        self.extend(needed)
        table = self._schedule.openings
        return bool(table.file or table.plies) and len(self.found) < needed

    def extend(self, count: int) -> None:
        """Find up to `count` openings.

        Raises:
            UsageError: there is none, a file is wrong, or the engine that judges cannot be used.

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
        if self._told is not None and self._told != self._judged:
            self._say()
        if not self.found:
            raise self._none()

    def resume(self, known: Sequence[Opening]) -> bool:
        """Begin with what a run of this schedule has found before; return whether the list does begin so.

        Balanced openings are not judged again: what comes before the last of them and is none of them was not wanted.
        """
        if self._schedule.openings.balance is None or not known:
            self.extend(len(known))
            return self.found[: len(known)] == list(known)
        source, most = self._all(), (self._schedule.openings.start + 1) * REJECTED_IN_A_ROW
        if not all(opening in itertools.islice(source, most) for opening in known):  # which goes on to where it is
            return False
        self.found = list(known)
        self._source = self._balanced(source)
        return True

    def close(self) -> None:
        """End the engine that judges; a thread that waits for it gets an error. Nothing more can be judged."""
        self._closed = True
        if self._judge is not None:
            self._judge.close()

    def _list(self) -> Iterator[Opening]:
        return self._all() if self._schedule.openings.balance is None else self._balanced(self._all())

    def _all(self) -> Iterator[Opening]:
        """Return all openings of the file, or all that can be generated."""
        table, seed = self._schedule.openings, self._schedule.tournament.seed
        if table.file is None:
            return candidates(self._game, table.plies, seed)
        lines = read_openings(self._game, Path(self._schedule.folder) / table.file, table.coordinates)
        repeated = symmetric_repeats(self._game, lines)
        if repeated:
            verb = "is" if repeated == 1 else "are"
            total = len(lines)
            self.warnings = [f"openings: {repeated} of {total} in the file {verb} an earlier one up to symmetry"]
        if table.order == "random":
            random.Random(f"order {self._game.id} {seed}").shuffle(lines)
        return iter(lines)

    def _balanced(self, source: Iterator[Opening]) -> Iterator[Opening]:
        """Yield the openings after which both sides may expect the same, within the tolerance."""
        in_vain = 0
        self._say_at = time.monotonic() + TELLING_PAUSE_S
        for opening in source:
            even = self._deviation(opening) <= self._schedule.openings.tolerance
            self._judged, self._kept, in_vain = self._judged + 1, self._kept + even, 0 if even else in_vain + 1
            if time.monotonic() >= self._say_at:
                self._say()
            if even:
                yield opening
            elif in_vain >= REJECTED_IN_A_ROW:
                return

    def _say(self) -> None:
        self._say_at = time.monotonic() + TELLING_PAUSE_S
        self._told = self._judged
        self._tell(self._judged, self._kept)

    def _deviation(self, opening: Opening) -> float:
        """Return how far the expected score after an opening is from even, 0 to 0.5."""
        try:
            if self._judge is None:
                text = self._schedule.openings.balance or ""
                self._judge = Judge(self._game.id, read_judgement(text, self._refuse_balance))
                if self._closed:
                    self._judge.close()
            return abs(self._judge.score(opening) - 0.5)
        except JudgeGoneError as error:
            raise self._schedule.error("openings.balance", str(error)) from error

    def _refuse_balance(self, wrong: str) -> NoReturn:
        raise self._schedule.error("openings.balance", wrong)

    def _none(self) -> UsageError:
        table = self._schedule.openings
        if table.start:
            return self._schedule.error("openings.start", f"expected fewer than there are openings, got {table.start}")
        if table.balance is not None:
            wrong = f"no opening of {table.plies} plies is even within {table.tolerance:g}"
            return self._schedule.error("openings.balance", wrong)
        wrong = f"every game of {self._game.id} is over after {table.plies} plies"
        return self._schedule.error("openings.plies", wrong)


def symmetric_repeats(game: games.Game, lines: Sequence[Opening]) -> int:
    """Return how many openings are the same as an earlier one up to the symmetries of the game."""
    return len(lines) - len({canonical_key(game.position(moves=moves)) for moves in lines})


def openings(game: games.Game, plies: int, count: int, seed: int) -> list[Opening]:
    """Return up to `count` openings of `plies` random moves. Fewer than `count` only if there are no more."""
    return list(itertools.islice(candidates(game, plies, seed), count))


def candidates(game: games.Game, plies: int, seed: int) -> Iterator[Opening]:
    """Yield openings of `plies` random moves, distinct up to the game's symmetries, none of them over."""
    if plies == 0:
        return iter([()])
    rng = random.Random(f"openings {game.id} {plies} {seed}")
    every = _enumerate(game, plies)
    if every is None:
        return _draw(game, plies, rng)
    rng.shuffle(every)
    return iter(every)


def canonical_key(position: native.Position) -> int:
    """Return a 64-bit number that is the same for positions that are symmetric to each other."""
    return min(position.transformed(symmetry).key for symmetry in range(position.num_symmetries))


def _enumerate(game: games.Game, plies: int) -> list[Opening] | None:
    """Return every opening, one of each class, in a fixed order; None if there are more than ENUMERATED on the way."""
    level: dict[int, tuple[native.Position, Opening]] = {0: (game.position(), ())}
    for _ in range(plies):
        following: dict[int, tuple[native.Position, Opening]] = {}
        for position, moves in level.values():
            for child, move in _children(position):
                following.setdefault(canonical_key(child), (child, (*moves, move)))
            if len(following) > ENUMERATED:
                return None
        level = following
        if not level:
            break
    return [moves for _, moves in level.values()]


def _children(position: native.Position) -> Iterator[tuple[native.Position, str]]:
    for move in position.legal_moves():
        child = position.copy()
        child.play(move)
        if child.result is None:
            yield child, position.move_text(move)


def _draw(game: games.Game, plies: int, rng: random.Random) -> Iterator[Opening]:
    seen: set[int] = set()
    failures = 0
    while failures < DRAWS_PER_OPENING:
        position, moves = _random_line(game, plies, rng)
        key = canonical_key(position)
        if position.result is not None or key in seen:
            failures += 1
            continue
        failures = 0
        seen.add(key)
        yield moves


def _random_line(game: games.Game, plies: int, rng: random.Random) -> tuple[native.Position, Opening]:
    position = game.position()
    moves: list[str] = []
    while len(moves) < plies and position.result is None:
        move = rng.choice(position.legal_moves())
        moves.append(position.move_text(move))
        position.play(move)
    return position, tuple(moves)
