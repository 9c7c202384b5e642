"""What a manager and its table processes say to each other: messages, each behind its length, on two pipes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct

from tournament.run.affinity import Cores
from tournament.run.lease import Notice
from tournament.run.live import Board
from tournament.schedule.schedule import Schedule

LENGTH = 4
"""bytes that say how long a message is, the highest first"""

Message = TypeVar("Message")


class Setup(Struct, frozen=True, tag=True):
    """The first message to a table process: where it plays, and what."""

    schedule: Schedule
    tables: dict[int, Cores | None]
    """by its number, the cores of the programs at each table; None: any"""
    starts: int
    """programs that may be starting at the same time"""
    log: str | None
    """file that takes down what is said to players and by them"""
    log_began: float
    """the moment from which that file counts seconds, on the system's monotonic clock"""
    number: int
    """of the process, from 1: no two of a run have the same"""


class Probe(Struct, frozen=True, tag=True):
    """Start these players and say which cannot be used."""

    names: tuple[str, ...]


class Probed(Struct, frozen=True, tag=True):
    """What is wrong with the players that were asked for, by the names of those that cannot be used."""

    why: dict[str, str]
    machine: str = ""
    """why the machine cannot start them; then nothing is known of players"""


class Cleared(Struct, frozen=True, tag=True):
    """The players of the last game have left a table, which may be used again."""

    table: int
    notices: tuple[Notice, ...]


class Watch(Struct, frozen=True, tag=True):
    """Show the running games from now on, or no more."""

    period_s: float | None
    """Seconds between two looks at the games; None: no more."""


class Shown(Struct, frozen=True, tag=True):
    """Running games with a new move."""

    boards: tuple[Board, ...]


class Frames(Generic[Message]):
    """Cuts what comes through a pipe into messages."""

    def __init__(self, decoder: msgspec.msgpack.Decoder[Message]) -> None:
        self._decoder = decoder
        self._unread = bytearray()

    def receive(self, data: bytes) -> Iterator[Message]:
        """Yield the messages that are whole now."""
        self._unread += data
        while len(self._unread) >= LENGTH:
            end = LENGTH + int.from_bytes(self._unread[:LENGTH])
            if len(self._unread) < end:
                return
            body = bytes(self._unread[LENGTH:end])
            del self._unread[:end]
            yield self._decoder.decode(body)


def frame(message: Struct) -> bytes:
    """Return the bytes of a message, its length before them."""
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(LENGTH) + body
