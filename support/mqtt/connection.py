"""Connections to a broker, with errors in a few words."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import random
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

from fiedler.support.errors import UsageError, WorkError
from fiedler.support.mqtt.broker import Broker
from fiedler.support.mqtt.client import CLOSE_S, LoopClient, MqttError

MOST_PAUSE_S = 30.0
"""The longest pause between two attempts to connect, in seconds."""
REFUSALS = frozenset({0x86, 0x87, 0x8A, 0x8C})
"""Reason codes of a refused user: bad password, not authorized, banned, bad authentication."""
FINAL = frozenset({0x81, 0x82, 0x84, 0x85, 0x90, 0x95, 0x97, 0x99, 0x9A, 0x9B})
"""Other reason codes that another attempt does not change, such as a packet that is too large for the broker."""
OVERHEAD = 15
"""The most bytes of a message beside topic and payload: 5 of the header, 4 of lengths and numbers, 6 of the expiry."""
UNSPECIFIED = "unspecified error"
"""The word of paho for a connection that ended without a reason, also where another client has taken over."""
TAKEN_OVER = 0x8E


class BrokerError(WorkError):
    """The broker cannot be reached, or the connection was lost; another attempt may succeed."""


class RefusedError(WorkError):
    """The broker refuses this user, or one of the messages; another attempt does not change that."""


class TakenOverError(WorkError):
    """Another client with the same identifier has connected."""


def require_library() -> None:
    """Raise UsageError if paho-mqtt is not installed."""
    if importlib.util.find_spec("paho") is None:
        raise UsageError("MQTT needs paho-mqtt: pip install 'fiedler[mqtt]'")


@contextlib.asynccontextmanager
async def connected(
    broker: Broker, identifier: str, *, will: tuple[str, bytes] | None = None
) -> AsyncIterator[BrokerLink]:
    """Connect, and disconnect at the end; the broker publishes the `will` if the connection is lost.

    Raises:
        BrokerError: The broker cannot be reached, or the connection was lost.
        RefusedError: The broker refuses this user, or one of the messages.
        TakenOverError: Another client with the same identifier has connected.
    """
    require_library()
    client = LoopClient(broker, identifier, will)
    link = BrokerLink(client)
    try:
        await client.open()
        try:
            yield link
        finally:
            await client.close()
    except MqttError as error:
        raise _explained(broker, error, link.refusals) from error
    finally:
        client.release()


class BrokerLink:
    """A connection; its methods raise MqttError, which `connected` turns into ours."""

    def __init__(self, client: LoopClient) -> None:
        self._client = client
        self.refusals: list[str] = []
        """The things that the broker has refused, and why."""

    async def publish(
        self, topic: str, payload: bytes, *, qos: int = 1, retain: bool = False, expires_s: int | None = None
    ) -> None:
        """Publish; with QoS 1 until the broker has acknowledged it. An empty retained payload removes the topic."""
        self._refuse_large(topic, payload)
        code = await self._client.publish(topic, payload, qos, retain=retain, expires_s=expires_s if payload else None)
        if code.is_failure:
            self.refusals.append(f"a message: {str(code).lower()}")
        self._raise_refusal()

    async def try_to_publish(self, topic: str, payload: bytes) -> None:
        """Publish a retained message, if the broker answers within CLOSE_S."""
        with contextlib.suppress(MqttError, TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await self.publish(topic, payload, retain=True)

    async def publish_all(self, messages: Iterable[tuple[str, bytes]]) -> None:
        """Publish messages with QoS 1, a few at a time and in order, until the broker has acknowledged them."""
        some = list(messages)
        for topic, payload in some:
            self._refuse_large(topic, payload)
        await asyncio.gather(*(self.publish(topic, payload) for topic, payload in some))

    async def subscribe(self, topic: str, *, qos: int = 1) -> None:
        """Subscribe. The retained messages come first; with QoS 1 a broker may drop them above its queue limit."""
        code = await self._client.subscribe(topic, qos)
        if code.is_failure:
            self.refusals.append(f"the subscription to {topic}: {str(code).lower()}")
        self._raise_refusal()

    async def unsubscribe(self, topic: str) -> None:
        """Unsubscribe. What the broker has sent before its answer has arrived then."""
        await self._client.unsubscribe(topic)

    async def receive(self, seconds: float) -> tuple[str, bytes] | None:
        """Return the topic and the payload of the next message; None if none comes in this time."""
        return await self._client.receive(seconds)

    def _refuse_large(self, topic: str, payload: bytes) -> None:
        """Refuse a packet in place of the broker, whose reason is lost if it closes before it has read everything."""
        if len(payload) + len(topic.encode()) + OVERHEAD > self._client.most_bytes:
            self.refusals.append("a message: packet too large")
            self._client.leave_with_will()
        self._raise_refusal()

    def _raise_refusal(self) -> None:
        if self.refusals:
            raise MqttError("refused")


def pauses() -> Iterator[float]:
    """Yield the seconds before each further attempt: 1, 2, 4 … 30, each up to a tenth shorter or longer."""
    pause = 1.0
    while True:
        yield pause * random.uniform(0.9, 1.1)
        pause = min(2 * pause, MOST_PAUSE_S)


def _explained(broker: Broker, error: MqttError, refusals: Sequence[str]) -> WorkError:
    if refusals:
        return RefusedError(f"{broker}: the broker refuses {refusals[0]}")
    if error.code in REFUSALS:
        return RefusedError(f"{broker}: the broker refuses this user: {_words(error)}")
    if error.code in FINAL:
        return RefusedError(f"{broker}: the broker refuses a message: {_words(error)}")
    if error.code == TAKEN_OVER:
        return TakenOverError(f"{broker}: another process with the same name has connected")
    return BrokerError(f"{broker}: {_words(error)}")


def _words(error: MqttError) -> str:
    """Return an error in a few words, without its codes."""
    words = re.sub(r"\[[^\]]*\] ?|:?\(_ssl\.c:\d+\)", "", str(error)).strip().lower() or "no connection"
    return words.replace(UNSPECIFIED, "the connection was lost")
