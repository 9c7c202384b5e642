"""The payloads of a run's topics. docs/protocols/mqtt.md describes every field."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from fiedler.games.game import START
from fiedler.support.mqtt.topics import VERSION
from fiedler.tournament.run.events import RatedPlayer


class Payload(Struct, frozen=True, kw_only=True):
    """The fields of every payload."""

    v: int = VERSION
    at: str
    """ISO 8601, UTC, milliseconds."""
    run: str
    session: str
    """`RUN-CONNECTION`: the first part changes when a run starts anew, the second with every connection."""


class StatePayload(Payload, frozen=True, kw_only=True):
    """Of `runs/R/state`."""

    state: str
    """`running`, `finished`, `interrupted`, `failed`, `gone` or `lost`."""
    game: str
    players: tuple[str, ...]
    scheduled: int
    finished: int
    void: int
    given_up: int
    """Games that a benched player or a decision took from the plan; they are not among the scheduled ones."""
    games_per_minute: float
    """Finished games of the last minute, or since the feed began."""
    seq: int
    """The last event that has arrived at the broker."""
    url: str | None = None
    """The address of the run's web page."""


class StandingsPayload(Payload, frozen=True, kw_only=True):
    """Of `runs/R/standings`."""

    seq: int
    """The event that this ranking comes from."""
    players: tuple[RatedPlayer, ...]
    """Best first."""


class TablePayload(Payload, frozen=True, kw_only=True):
    """Of `runs/R/tables/T`."""

    number: int
    """Of the game in the schedule, from 1."""
    id: str
    first: str
    second: str
    opening: tuple[str, ...]
    moves: tuple[str, ...]
    """With those of the opening."""
    ply: int
    to_move: int
    """0: the first player, 1: the second."""
    clock_ms: tuple[int, int] | None
    score: int | None
    """Centipawns, from the view of the player that reported it."""
    depth: int | None
    nps: int | None
    start: str = START
    """The position before the first move, in one word."""
    sides: str = ""
    """The side of each move, `0` or `1`; empty if they took turns from the first player on."""
    node: str | None = None
    """The machine of the game; null: that of the manager."""


encode = msgspec.json.encode
