"""Removes the retained messages of a run from a broker."""

from __future__ import annotations

import time

from fiedler.support.mqtt.broker import Broker
from fiedler.support.mqtt.connection import connected
from fiedler.tournament.feeds.home_assistant import device_topic

RETAINED_S = 1.0
"""Seconds after the last retained message in which no further one comes."""
MOST_S = 3.0
"""Seconds for all of them: a feed at work keeps publishing."""


async def forget_run(broker: Broker, run: str) -> int:
    """Remove the retained messages of a run; return their number. Raises WorkError as `connected` does."""
    topics = (f"{broker.topic('runs', run)}/#", device_topic(broker, run))
    events = {broker.topic("runs", run, kind) for kind in ("games", "events")}
    found = set[str]()
    async with connected(broker, "") as link:
        for topic in topics:
            await link.subscribe(topic)
        deadline = time.monotonic() + MOST_S
        while time.monotonic() < deadline and (message := await link.receive(RETAINED_S)) is not None:
            if message[1] and message[0] not in events:
                found.add(message[0])
        for topic in topics:
            await link.unsubscribe(topic)
        for one in found:
            await link.publish(one, b"", retain=True)
    return len(found)
