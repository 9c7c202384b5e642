"""The state of a run's feed before it connects, as the broker knows it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from support.mqtt.connection import BrokerLink

RETAINED_S = 1.0
"""Seconds within which the broker sends a retained message after a subscription, if it has one."""

RECEIVED_S = 0.1
"""Seconds in which a message that has arrived is certainly passed on."""


class Heard(Struct, frozen=True):
    """As much of a payload as the next feed needs to know."""

    session: str = ""
    state: str = ""
    seq: int = 0


def heard(payload: bytes) -> Heard:
    """Return what a payload says; nothing if it is none of ours."""
    try:
        return msgspec.json.decode(payload, type=Heard)
    except msgspec.MsgspecError:
        return Heard()


class Handover:
    """Listens to the feed of a run, which may be at work, until it has been taken over."""

    def __init__(self, link: BrokerLink, birth: str) -> None:
        """`birth` is the first part of the sessions that count."""
        self._link = link
        self._birth = birth
        self.seq = 0
        """The last event that the broker has got from any feed of this run, as far as is known."""
        self.owner = ""
        """The session of a feed that may be at work; empty if there is none."""

    async def listen(self, state: str, others: Iterable[str]) -> None:
        """Subscribe, and take the retained state."""
        for topic in others:
            await self._link.subscribe(topic)
        await self._link.subscribe(state)
        await self._take(RETAINED_S)

    async def finish(self, topic: str) -> None:
        """Unsubscribe, and take all that the broker has sent before."""
        await self._link.unsubscribe(topic)
        while await self._take(RECEIVED_S):
            pass

    async def _take(self, seconds: float) -> bool:
        message = await self._link.receive(seconds)
        if message is None:
            return False
        found = heard(message[1])
        if found.session.partition("-")[0] == self._birth:
            self.seq = max(self.seq, found.seq)
        if found.state:
            self.owner = "" if found.state in ("gone", "lost") else found.session
        return True
