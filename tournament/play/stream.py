"""The bytes of a session: paused on their way to the player, counted on their way from it, logged both ways."""

from __future__ import annotations

import asyncio
from typing import Protocol

from fiedler.protocol.flood import UNASKED, Flood
from fiedler.tournament.play.rest import Rest
from fiedler.tournament.play.traffic_log import RECEIVED, SENT, SessionLog


class Carrier(Protocol):
    """The carrier of a session's bytes to the player: a socket, or the pipes of a process."""

    def write(self, data: bytes) -> None:
        """Send bytes; never blocks, never raises for a lost player."""

    def pause_reading(self) -> None:
        """Read nothing more for now."""

    def resume_reading(self) -> None:
        """Read again."""

    def has_unread(self) -> bool:
        """Return whether bytes, or their end, have come that nobody has read."""

    def abort(self) -> None:
        """Cut the connection at once."""

    async def close(self) -> None:
        """End the connection, after a short grace. Takes at most about two seconds."""


class PlayerStream:
    """The bytes from and to a player. They arrive by `receive`, and leave by the carrier."""

    def __init__(self, carrier: Carrier, pause_s: float, traffic: SessionLog | None) -> None:
        """`pause_s` is the pause between the last output of the player and our next line; `traffic` is the log."""
        self.carrier = carrier
        self._rest = Rest(pause_s, self._write_now)
        self._traffic = traffic
        self._flood = Flood()
        self._clock = asyncio.get_running_loop().time

    @property
    def is_silent(self) -> bool:
        """Whether the player has sent nothing since the last request."""
        return not self._flood.received

    @property
    def lines(self) -> int:
        """The number of lines that the player has sent since the last request."""
        return self._flood.all_lines

    @property
    def free_from(self) -> float:
        """The moment, in the loop's seconds, before which nothing is sent."""
        return self._rest.until

    def count(self, data: bytes) -> bool:
        """Count the lines of received bytes, and return whether they are too many."""
        return self._flood.count(data)

    def works(self, seconds: float) -> bool:
        """Count the time that received lines have taken, and return whether it is too much."""
        return self._flood.works(seconds, self._clock)

    def excess(self, *, asked: bool) -> str:
        """Return what was too much, for a message; `asked`: an answer was due."""
        return self._flood.report(asked=asked)

    @property
    def is_chatty(self) -> bool:
        """Whether it has sent more lines since the last request than are read if nothing is due."""
        return self._flood.lines > UNASKED

    def receive(self, data: bytes) -> bool:
        """Log bytes of the player, and return whether they are too many."""
        self._rest.begin()
        if self._traffic is not None:
            self._traffic.log(RECEIVED, data)
        return self._flood.rises(len(data), self._clock)

    def write(self, data: bytes) -> None:
        """Send bytes, if there are any, after the pause."""
        if data:
            self._rest.write(data)

    async def sent(self) -> None:
        """Wait until all bytes have left."""
        await self._rest.over()

    def end_log(self) -> None:
        """End its part of the traffic log."""
        if self._traffic is not None:
            self._traffic.end()

    def _write_now(self, data: bytes) -> None:
        self._flood.ask()
        if self._traffic is not None:
            self._traffic.log(SENT, data)
        self.carrier.write(data)
