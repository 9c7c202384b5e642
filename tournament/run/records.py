"""The records that a store reads, and the choice of some games."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from fiedler.games.openings import Opening
from fiedler.games.result import Result
from fiedler.tournament.game import GameRecord, PlannedGame
from fiedler.tournament.termination import Termination

OUTCOMES = {"won": ("1-0", "0-1"), "drawn": ("1/2-1/2", "1/2-1/2"), "lost": ("0-1", "1-0")}
"""Outcome for a player -> the result if it moves first, and if it moves second."""
RECORD = (
    "id, number, first, second, opening, moves, result, termination, detail, started, finished, "
    "seconds_first, seconds_second, evaluations, start_position, sides"
)
OPENING = "moves, start_position"
PLANNED = "number, id, first, second, opening, step, turn, start_position"


class PlannedStep(Struct, frozen=True):
    """A step of the plan: its number from 1, its time, its purpose, its games and the finished ones.

    Games that were given up are not among the games.
    """

    number: int
    at: str
    note: str
    games: int
    finished: int
    given_up: int = 0


class Counts(Struct, frozen=True):
    """The progress of a run: games scheduled, finished, running, given up, and void attempts.

    Games that were given up, because a player was benched or the run decided, are not among the scheduled ones.
    """

    scheduled: int
    finished: int
    begun: int
    void: int
    given_up: int = 0
    void_given_up: int = 0
    """The void attempts at games that are given up now."""

    @property
    def planned(self) -> int:
        """All games of the plan: finished, left, or given up."""
        return self.scheduled + self.given_up

    @property
    def left(self) -> int:
        """Games without a result."""
        return self.scheduled - self.finished


class GameFilter(NamedTuple):
    """Some finished games. An empty text chooses all."""

    player: str = ""
    """Of either side."""
    opponent: str = ""
    """The other player."""
    outcome: str = ""
    """`won`, `drawn` or `lost` by the player; without one of the first player."""
    termination: str = ""

    def condition(self) -> tuple[str, tuple[str, ...]]:
        """Return a condition of SQL, and its values."""
        parts, values = ["result IS NOT NULL"], list[str]()
        for name in filter(None, (self.player, self.opponent)):
            parts.append("? IN (first, second)")
            values.append(name)
        if self.termination:
            parts.append("termination = ?")
            values.append(self.termination)
        if self.outcome:
            parts.append("result = CASE WHEN second = ? THEN ? ELSE ? END")
            first, second = OUTCOMES[self.outcome]
            values += [self.player, second, first]
        return " AND ".join(parts), tuple(values)


def record_of(row: Sequence[Any]) -> GameRecord:
    """Return the finished game of a row with the columns RECORD."""
    id_, number, first, second, opening, moves, result, termination, *rest = row
    return GameRecord(
        id_, number, first, second, _moves(opening), _moves(moves), Result(result), Termination(termination), *rest
    )


def planned_of(row: Sequence[Any]) -> PlannedGame:
    """Return the planned game of a row with the columns PLANNED."""
    number, id_, first, second, opening, step, turn, start = row
    return PlannedGame(id_, number, first, second, _moves(opening), step, turn, start)


def opening_of(row: Sequence[Any]) -> Opening:
    """Return the opening of a row with the columns OPENING."""
    moves, start = row
    return Opening(_moves(moves), start)


def _moves(text: str) -> tuple[str, ...]:
    """Return moves with one string object per distinct move: thousands of games share few of them."""
    return tuple(map(sys.intern, text.split()))
