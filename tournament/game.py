"""A game of a tournament: its plan, and its record."""

from __future__ import annotations

import hashlib
from collections.abc import Container
from datetime import UTC, datetime

from msgspec import Struct

from fiedler.games.game import START
from fiedler.games.result import Result
from fiedler.games.sides import side_at
from fiedler.tournament.termination import Termination


class PlannedGame(Struct, frozen=True):
    """A game to be played: `first` has the side that moves first in the game's own start position.

    `number` is its place in the schedule, from 1; `step` is its step of the plan, from 1; `turn` counts the openings of
    its two players, from 0.
    """

    id: str
    number: int
    first: str
    second: str
    opening: tuple[str, ...]
    step: int = 1
    turn: int = 0
    start: str = START
    """The position that the opening begins at, in one word."""

    def player(self, side: int) -> str:
        """Return the name of the player of the first side (0) or the second (1)."""
        return self.second if side else self.first

    def among(self, names: Container[str]) -> tuple[str, ...]:
        """Return its players that are among these names."""
        return tuple(name for name in (self.first, self.second) if name in names)


class GameRecord(Struct, frozen=True):
    """A finished game. `first` has the first side, see `PlannedGame`; `moves` include the opening.

    Times are ISO 8601 in UTC with milliseconds; seconds are the wall time that each side took for its moves.
    `evaluations` has a word for each move after the opening, `SCORE/DEPTH/MS`: `tournament/evaluation.py` reads it.
    `start` is the position before the first move, in one word. `sides` are the sides that moved: `games/sides.py`.
    """

    id: str
    number: int
    first: str
    second: str
    opening: tuple[str, ...]
    moves: tuple[str, ...]
    result: Result
    termination: Termination
    detail: str
    started: str
    finished: str
    seconds_first: float
    seconds_second: float
    evaluations: str = ""
    start: str = START
    sides: str = ""

    def side(self, ply: int) -> int:
        """Return the side that made a move, 0 or 1; plies count from 0."""
        return side_at(self.sides, ply)

    def moves_of(self, side: int) -> int:
        """Return the number of moves of a side after the opening."""
        begin, end = len(self.opening), len(self.moves)
        return self.sides.count(str(side), begin) if self.sides else len(range(begin, end)[(begin + side) % 2 :: 2])

    @property
    def loser(self) -> str | None:
        """The name of the player that lost, None after a draw."""
        return self.result.loser(self.first, self.second)


def reason(record: GameRecord) -> str:
    """Return the reason of a game's end: the rule, or the failure and its details."""
    if record.termination == Termination.RULES:
        return record.detail
    return f"{record.termination}: {record.detail}" if record.detail else record.termination.value


def player_seed(seed: int, game: str, side: int) -> int:
    """Return the seed of one side of a game, 0 to 2³¹ - 1, from the schedule's seed, the game's id and the side."""
    text = f"{seed}\n{game}\n{side}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big") >> 1


def now() -> str:
    """Return the present moment in the form of games and events: ISO 8601, UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
