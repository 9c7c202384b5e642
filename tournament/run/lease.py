"""The right to play a game once, and its result. These structs travel to a table on any host, and back."""

from __future__ import annotations

from msgspec import Struct

from tournament.game import GameRecord, PlannedGame


class Lease(Struct, frozen=True, tag=True):
    """The right to play one game once. What comes of it counts only while it is the latest lease of its game."""

    game: PlannedGame
    attempt: int
    """of this game, from 1"""
    table: int
    """from 1"""
    session: int
    """the start of the run that grants it, from 1"""


class Finished(Struct, frozen=True, tag=True):
    """A leased game that ended."""

    lease: Lease
    record: GameRecord


class Voided(Struct, frozen=True, tag=True):
    """A leased game that does not count: the machine failed, not a player."""

    lease: Lease
    why: str


class Notice(Struct, frozen=True):
    """Something about a player that its author should know and that stops nothing; one of each kind is enough."""

    player: str
    kind: str
    text: str
