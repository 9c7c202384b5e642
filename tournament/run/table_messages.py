"""The messages between a manager and its table processes, each after its length, on two pipes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct

from fiedler.tournament.run.affinity import Cores
from fiedler.tournament.run.lease import Notice
from fiedler.tournament.run.live import Board
from fiedler.tournament.schedule.schedule import Schedule

LENGTH = 4
"""Bytes of the length of a message, the highest first."""

Message = TypeVar("Message")


class ProcessSetup(Struct, frozen=True, tag=True):
    """The first message to a table process: its tables and the schedule."""

    schedule: Schedule
    tables: dict[int, Cores | None]
    """Number of a table -> cores of the programs at it; None: all."""
    starts: int
    """Programs that may start at the same time."""
    log: str | None
    """The file of the traffic log."""
    log_began: float
    """The zero of the seconds in that file, on the system's monotonic clock."""
    number: int
    """Number of the process, from 1, different for all processes of a run."""
    fence_s: float | None = None
    """Seconds without a message after which the process ends its players and itself, since its manager may have given
    its games to others; None: it ends with its input alone."""


class Enrol(Struct, frozen=True, tag=True):
    """Prepare for further players, of this schedule."""

    schedule: Schedule
    names: tuple[str, ...]


class Probe(Struct, frozen=True, tag=True):
    """Start these players and report those that cannot be used."""

    names: tuple[str, ...]


class Probed(Struct, frozen=True, tag=True):
    """The failures of probed players, by the names of those that cannot be used."""

    why: dict[str, str]
    machine: str = ""
    """The reason that the machine cannot start them; then nothing is known of the players."""


class Cleared(Struct, frozen=True, tag=True):
    """The players of the last game have left a table, which is free again."""

    table: int
    notices: tuple[Notice, ...]


class Heard(Struct, frozen=True, tag=True):
    """The manager is there, and has the words of the process."""


class Alive(Struct, frozen=True, tag=True):
    """The process is there: with `fence_s`, once in a while."""

    plies: int
    """The moves of the games under way."""


class Watch(Struct, frozen=True, tag=True):
    """Show the running games from now on, or stop."""

    period_s: float | None
    """Seconds between two looks at the games; None: stop."""


class Shown(Struct, frozen=True, tag=True):
    """Running games with a new move."""

    boards: tuple[Board, ...]


class MessageReader(Generic[Message]):
    """Cuts the data of a pipe into messages."""

    def __init__(self, decoder: msgspec.msgpack.Decoder[Message]) -> None:
        self._decoder = decoder
        self._unread = bytearray()

    def receive(self, data: bytes) -> Iterator[Message]:
        """Yield the messages that are complete now."""
        self._unread += data
        while len(self._unread) >= LENGTH:
            end = LENGTH + int.from_bytes(self._unread[:LENGTH])
            if len(self._unread) < end:
                return
            body = bytes(self._unread[LENGTH:end])
            del self._unread[:end]
            yield self._decoder.decode(body)


def whole(data: bytes | bytearray) -> int:
    """Return the length of the messages that are complete in data that begin with one."""
    end = 0
    while len(data) >= end + LENGTH:
        after = end + LENGTH + int.from_bytes(data[end : end + LENGTH])
        if after > len(data):
            break
        end = after
    return end


def encoded(message: Struct) -> bytes:
    """Return the bytes of a message, its length before them."""
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(LENGTH) + body
