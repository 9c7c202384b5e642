"""Connections to a broker: MQTT 5 over aiomqtt, with errors in a few words."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import random
import re
from collections.abc import AsyncIterator, Awaitable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any

from support.errors import UsageError, WorkError
from support.mqtt.broker import Broker

if TYPE_CHECKING:
    from aiomqtt import Client, Message
    from paho.mqtt.reasoncodes import ReasonCode

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())  # our errors say the same as the library's warnings

KEEPALIVE_S = 5
"""Seconds of silence after which both ends look whether the other one is there."""
CONNECT_S, ANSWER_S = 5.0, 10.0
"""Seconds for the broker's answer to a connection, and to any other message."""
CLOSE_S = 1.0
"""Seconds for the end of a connection; a frozen broker does not answer."""
MOST_PAUSE_S = 30.0
"""The longest pause between two attempts to connect, in seconds."""
REFUSALS = frozenset({0x86, 0x87, 0x8A, 0x8C})
"""Reason codes of a refused user: bad password, not authorized, banned, bad authentication."""
FINAL = frozenset({0x81, 0x82, 0x84, 0x85, 0x90, 0x95, 0x97, 0x99, 0x9A, 0x9B})
"""Other reason codes that another attempt does not change, such as a packet that is too large for the broker."""
OVERHEAD = 15
"""The most bytes of a message beside topic and payload: 5 of the header, 4 of lengths and numbers, 6 of the expiry."""
FAILURE = 0x80
"""The lowest reason code of a failure."""
UNSPECIFIED = "unspecified error"
"""The word of paho for a connection that ended without a reason, also where another client has taken over."""
TAKEN_OVER = 0x8E
WITH_WILL = 0x04
"""Reason code of a disconnection after which the broker publishes the will."""


class BrokerError(WorkError):
    """The broker cannot be reached, or the connection was lost; another attempt may succeed."""


class RefusedError(WorkError):
    """The broker refuses this user, or one of the messages; another attempt does not change that."""


class TakenOverError(WorkError):
    """Another client with the same identifier has connected."""


def library() -> ModuleType:
    """Return aiomqtt.

    Raises:
        UsageError: It is not installed.
    """
    try:
        import aiomqtt
    except ImportError:
        raise UsageError("MQTT needs aiomqtt: pip install 'aiomqtt>=2.5.1,<3' (the extra 'mqtt')") from None
    return aiomqtt


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
    aiomqtt = library()
    client = aiomqtt.Client(
        broker.address.host,
        broker.address.port,
        identifier=identifier,
        username=broker.user,
        password=broker.password,
        protocol=aiomqtt.ProtocolVersion.V5,
        will=None if will is None else aiomqtt.Will(*will, qos=1, retain=True),
        keepalive=KEEPALIVE_S,
        clean_start=True,
        tls_context=broker.context(),
        logger=log,
        timeout=CONNECT_S,
    )
    said = _note_answers(client)
    try:
        async with client:
            client.timeout = ANSWER_S
            link = BrokerLink(client, said)
            try:
                yield link
            finally:
                client.timeout = CLOSE_S
                await link.close()
    except aiomqtt.MqttError as error:
        raise _explained(broker, error, said.refusals) from error


@dataclass
class _Answers:
    """The answers of a broker that aiomqtt does not look at."""

    refusals: list[str] = field(default_factory=list)
    """The things that it has refused, and why."""
    most_bytes: float = math.inf
    """The size of the largest packet that it takes."""


def _note_answers(client: Client) -> _Answers:
    said = _Answers()
    below: Any = client._client  # noqa: SLF001 - only this client of paho passes reason codes and properties on
    connected, published = below.on_connect, below.on_publish

    def note_connection(paho: object, data: object, flags: object, code: object, properties: object) -> None:
        said.most_bytes = getattr(properties, "MaximumPacketSize", math.inf)
        connected(paho, data, flags, code, properties)

    def note_message(paho: object, data: object, number: int, code: ReasonCode, properties: object) -> None:
        if code.value >= FAILURE:
            said.refusals.append(f"a message: {str(code).lower()}")
        published(paho, data, number, code, properties)

    below.on_connect, below.on_publish = note_connection, note_message
    return said


class BrokerLink:
    """A connection; its methods raise aiomqtt's errors, which `connected` turns into ours."""

    def __init__(self, client: Client, said: _Answers) -> None:
        self._client = client
        self._said = said
        self._messages: asyncio.Queue[Message] = asyncio.Queue()
        self._reader = asyncio.create_task(self._read())
        """It ends with the connection."""

    async def publish(
        self, topic: str, payload: bytes, *, qos: int = 1, retain: bool = False, expires_s: int | None = None
    ) -> None:
        """Publish; with QoS 1 until the broker has acknowledged it. An empty retained payload removes the topic."""
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.properties import Properties

        self._refuse_large(topic, payload)
        properties = None
        if expires_s is not None and payload:
            properties = Properties(PacketTypes.PUBLISH)
            properties.MessageExpiryInterval = expires_s
        await self._unless_lost(self._client.publish(topic, payload, qos, retain, properties))

    async def try_to_publish(self, topic: str, payload: bytes) -> None:
        """Publish a retained message, if the broker answers within CLOSE_S."""
        with contextlib.suppress(library().MqttError, TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await self.publish(topic, payload, retain=True)

    async def publish_all(self, messages: Iterable[tuple[str, bytes]]) -> None:
        """Publish messages with QoS 1, a few at a time and in order, until the broker has acknowledged them."""
        some = list(messages)
        for topic, payload in some:
            self._refuse_large(topic, payload)
        calls = (self._client.publish(topic, payload, 1) for topic, payload in some)
        await self._unless_lost(asyncio.gather(*calls))

    async def subscribe(self, topic: str, *, qos: int = 1) -> None:
        """Subscribe. The retained messages come first; with QoS 1 a broker may drop them above its queue limit."""
        for code in await self._client.subscribe(topic, qos):
            if not isinstance(code, int) and code.value >= FAILURE:
                self._said.refusals.append(f"the subscription to {topic}: {str(code).lower()}")
        self._raise_refusal()

    async def unsubscribe(self, topic: str) -> None:
        """Unsubscribe. What the broker has sent before its answer has arrived then."""
        await self._client.unsubscribe(topic)

    async def receive(self, seconds: float) -> tuple[str, bytes] | None:
        """Return the topic and the payload of the next message; None if none comes in this time."""
        if self._messages.empty():
            coming = asyncio.create_task(self._messages.get())
            try:
                await asyncio.wait({coming, self._reader}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            finally:
                coming.cancel()
            if self._reader.done():
                self._reader.result()
            if not coming.done():
                return None
            message = coming.result()
        else:
            message = self._messages.get_nowait()
        assert isinstance(message.payload, bytes)
        return str(message.topic), message.payload

    async def close(self) -> None:
        """Stop reading."""
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)

    async def _read(self) -> None:
        async for message in self._client.messages:
            self._messages.put_nowait(message)

    async def _unless_lost(self, work: Awaitable[object]) -> None:
        """Wait for a call that would wait for its own timeout after the connection was lost."""
        call = asyncio.ensure_future(work)
        try:
            await asyncio.wait({call, self._reader}, return_when=asyncio.FIRST_COMPLETED)
            if not call.done():
                self._reader.result()
            await call
            self._raise_refusal()
        finally:
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)

    def _refuse_large(self, topic: str, payload: bytes) -> None:
        """Refuse a packet in place of the broker, whose reason is lost if it closes before it has read everything."""
        if len(payload) + len(topic.encode()) + OVERHEAD > self._said.most_bytes:
            self._said.refusals.append("a message: packet too large")
            self._leave_with_will()
        self._raise_refusal()

    def _leave_with_will(self) -> None:
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.reasoncodes import ReasonCode

        below: Any = self._client._client  # noqa: SLF001 - aiomqtt knows no reason codes
        below.disconnect(ReasonCode(PacketTypes.DISCONNECT, identifier=WITH_WILL))

    def _raise_refusal(self) -> None:
        if self._said.refusals:
            raise library().MqttError("refused")


def pauses() -> Iterator[float]:
    """Yield the seconds before each further attempt: 1, 2, 4 … 30, each up to a tenth shorter or longer."""
    pause = 1.0
    while True:
        yield pause * random.uniform(0.9, 1.1)
        pause = min(2 * pause, MOST_PAUSE_S)


def _explained(broker: Broker, error: Exception, refusals: Sequence[str]) -> WorkError:
    if refusals:
        return RefusedError(f"{broker}: the broker refuses {refusals[0]}")
    codes = {getattr(getattr(one, "rc", None), "value", None) for one in (error, error.__cause__)}
    if codes & REFUSALS:
        return RefusedError(f"{broker}: the broker refuses this user: {_words(error)}")
    if codes & FINAL:
        return RefusedError(f"{broker}: the broker refuses a message: {_words(error)}")
    if TAKEN_OVER in codes:
        return TakenOverError(f"{broker}: another process with the same name has connected")
    return BrokerError(f"{broker}: {_words(error)}")


def _words(error: Exception) -> str:
    """Return an error of aiomqtt in a few words, without its codes."""
    text = str(error if error.__cause__ is None else error.__cause__)
    words = re.sub(r"\[[^\]]*\] ?|:?\(_ssl\.c:\d+\)", "", text).strip().lower() or "no connection"
    return words.replace(UNSPECIFIED, "the connection was lost")
