"""Removes the retained messages of a run from a broker."""

from __future__ import annotations

from support.mqtt.broker import Broker
from support.mqtt.connection import connected
from tournament.feeds.home_assistant import device_topic

RETAINED_S = 1.0
"""Seconds after the last retained message in which no further one comes."""


async def forget_run(broker: Broker, run: str) -> int:
    """Remove the retained messages of a run; return their number. Raises WorkError as `connected` does."""
    topics = (f"{broker.topic('runs', run)}/#", device_topic(broker, run))
    found = set[str]()
    async with connected(broker, "") as link:
        for topic in topics:
            await link.subscribe(topic)
        while (message := await link.receive(RETAINED_S)) is not None:
            if message[1]:
                found.add(message[0])
        for topic in topics:
            await link.unsubscribe(topic)
        for one in found:
            await link.publish(one, b"", retain=True)
    return len(found)
