"""A game of a tournament: as it is planned, and as it is recorded once it is over."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from msgspec import Struct

from games.result import Result

FAILURES = ("illegal move", "time", "crash", "disconnect")
"""terminations that are a player's failure"""


class PlannedGame(Struct, frozen=True):
    """A game to be played: `first` moves first; `number` is its place in the schedule, from 1.

    `step` of the plan it belongs to, from 1; `turn` counts the openings of its two players, from 0.
    """

    id: str
    number: int
    first: str
    second: str
    opening: tuple[str, ...]
    step: int = 1
    turn: int = 0

    def player(self, side: int) -> str:
        """Return the name of the player that moves first (0) or second (1)."""
        return self.second if side else self.first


class GameRecord(Struct, frozen=True):
    """A finished game. `first` moves first from the start position; `moves` include the opening.

    Times are ISO 8601 in UTC with milliseconds; seconds are the wall time that each side took for its moves.
    """

    id: str
    number: int
    first: str
    second: str
    opening: tuple[str, ...]
    moves: tuple[str, ...]
    result: Result
    termination: str
    detail: str
    started: str
    finished: str
    seconds_first: float
    seconds_second: float

    @property
    def loser(self) -> str | None:
        """The name of the player that lost, None after a draw."""
        return self.result.loser(self.first, self.second)


def reason(record: GameRecord) -> str:
    """Return why a game ended: the rule, or the failure and its details."""
    return record.detail if record.termination == "rules" else f"{record.termination}: {record.detail}"


def player_seed(seed: int, game: str, side: int) -> int:
    """Return the seed that one side of a game is sent: 0 to 2³¹ - 1, made from schedule, game id and side."""
    text = f"{seed}\n{game}\n{side}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big") >> 1


def now() -> str:
    """Return the present moment as games and events carry it: ISO 8601, UTC, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
