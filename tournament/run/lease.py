"""The right to play a game once, and its result. These structs are sent to a table on any host, and back."""

from __future__ import annotations

from msgspec import Struct

from fiedler.tournament.dispute import Dispute
from fiedler.tournament.game import GameRecord, PlannedGame


class Lease(Struct, frozen=True, tag=True):
    """The right to play one game once. Its result counts only while it is the latest lease of its game."""

    game: PlannedGame
    attempt: int
    """Number of the attempt at this game, from 1."""
    table: int
    """Number of the table, from 1."""
    start: int
    """Number of the manager's start that grants it, from 1."""
    node: str = ""
    """The node of a cluster where the table is; empty at home."""


class FinishedLease(Struct, frozen=True, tag=True):
    """A leased game that ended."""

    lease: Lease
    record: GameRecord
    credits_ms: tuple[float, float] = (0.0, 0.0)
    """Lag, in milliseconds, that was subtracted from the time of each move of the two sides."""


class VoidedLease(Struct, frozen=True, tag=True):
    """A leased game without a result: the machine or the rules failed, a player was away, or both disagree."""

    lease: Lease
    why: str
    isolated: str = ""
    """The player that failed at a shared server, and has its own process from now on, if that is the reason."""
    absent: str = ""
    """The player that was away, if that is the reason."""
    by_rules: bool = False
    """Whether the rules of a user's game failed."""
    dispute: Dispute | None = None
    """The dispute of the players, if that is the reason: the game is not played again."""


class Notice(Struct, frozen=True):
    """A remark about a player, for its author; it stops nothing, and one of each kind is enough."""

    player: str
    kind: str
    text: str
