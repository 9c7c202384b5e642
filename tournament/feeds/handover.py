"""The feed of a run that is at work already, as the broker shows it to the next one."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec
from msgspec import Struct

from fiedler.support.mqtt.connection import BrokerLink

RETAINED_S = 1.0
"""Seconds within which the broker sends the retained state after a subscription, if it has one."""

ECHO_S = 5.0
"""Seconds within which the broker sends a feed its own state."""

GONE_S = 5.0
"""Seconds that a feed which was cut off has for the number of its last event."""

ENDED = frozenset({"gone", "lost", "finished"})
"""The states of a run without a feed."""


class Imprint(Struct, frozen=True):
    """The part of a payload that the next feed reads."""

    session: str = ""
    state: str = ""
    seq: int = 0


def imprint(payload: bytes) -> Imprint:
    """Return the part of a payload that the next feed reads; nothing of a payload that is not ours."""
    try:
        return msgspec.json.decode(payload, type=Imprint)
    except msgspec.MsgspecError:
        return Imprint()


class Handover:
    """Reads what the broker has of a run, from before the next feed connects until it is in charge.

    The broker cuts the earlier feed off when the next one connects with the same client identifier. The earlier one
    then publishes `gone` with the number of its last event, and the next one begins there. Without this message, the
    next one begins after the last event that it knows, and may repeat some.
    """

    def __init__(self, link: BrokerLink, topic: Callable[..., str], session: str) -> None:
        """`topic` returns a topic of the run; `session` is that of the next feed."""
        self._link = link
        self._topic = topic
        self._session = session
        self._has_echo = self._is_cut_off = self._has_left = False
        self.seq = 0
        """The last event that the broker has from any feed of this run, as far as is known."""
        self.owner = ""
        """The session of the feed at work; empty if there is none."""
        self.tables = set[int]()
        """The tables that the broker retains."""

    async def listen(self) -> None:
        """Subscribe, and read the retained messages."""
        for topic in (*map(self._topic, ("games", "events", "standings")), f"{self._topic('tables')}/+"):
            await self._link.subscribe(topic)
        await self._link.subscribe(self._topic("state"))
        await self._read(RETAINED_S, lambda: bool(self.owner or self._is_cut_off))

    async def finish(self) -> bool:
        """Read until the state of the next feed comes back and the earlier feed has left; return the former."""
        if await self._read(ECHO_S, lambda: self._has_echo) and self._is_cut_off and self.owner:
            await self._read(GONE_S, lambda: self._has_left)
        return self._has_echo

    async def _read(self, seconds: float, is_done: Callable[[], bool]) -> bool:
        """Read until the condition holds, for this time at most; return whether it holds."""
        deadline = time.monotonic() + seconds
        while not is_done() and (left := deadline - time.monotonic()) > 0:
            message = await self._link.receive(left)
            if message is not None:
                self._take(*message)
        return is_done()

    def _take(self, topic: str, payload: bytes) -> None:
        found = imprint(payload)
        if found.session.partition("-")[0] == self._session.partition("-")[0]:
            self.seq = max(self.seq, found.seq)
        if topic == self._topic("state"):
            self._take_state(found)
        elif payload and (table := topic.removeprefix(f"{self._topic('tables')}/")).isdecimal():
            self.tables.add(int(table))

    def _take_state(self, found: Imprint) -> None:
        if found.session == self._session:
            self._has_echo = True
        elif found.state not in ENDED:
            self.owner = found.session
        elif found.session == self.owner or not self.owner:
            self._is_cut_off = True
            self._has_left = found.state != "lost"
