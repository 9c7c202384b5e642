"""A client of paho in the loop of asyncio: MQTT 5, a socket that the loop watches, and an answer for each message."""

from __future__ import annotations

import asyncio
import logging
import math
import ssl
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from fiedler.support.mqtt.broker import Broker

if TYPE_CHECKING:
    from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage, SocketLike
    from paho.mqtt.properties import Properties
    from paho.mqtt.reasoncodes import ReasonCode

Result = TypeVar("Result")

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())  # our errors say the same as the library's warnings

KEEPALIVE_S = 5
"""Seconds of silence after which both ends look whether the other one is there."""
LOOK_S = 1.0
"""Seconds between two looks for a silence."""
CONNECT_S, ANSWER_S = 5.0, 10.0
"""Seconds for the broker's answer to a connection, and to any other message."""
CLOSE_S = 1.0
"""Seconds for the end of a connection; a frozen broker does not answer."""
SUCCESS = 0
FAILURE = 0x80
"""The lowest reason code of a failure."""
WITH_WILL = 0x04
"""Reason code of a disconnection after which the broker publishes the will."""


class MqttError(Exception):
    """The connection cannot be made, or was lost, or the broker has refused or not answered; in the library's words."""

    def __init__(self, words: str, code: int = SUCCESS) -> None:
        """`code` is the broker's reason, if it gave one."""
        super().__init__(words)
        self.code = code


class LoopClient:
    """One connection, for the loop that is running."""

    def __init__(self, broker: Broker, identifier: str, will: tuple[str, bytes] | None = None) -> None:
        """Raises UsageError if a file of the broker's login cannot be read."""
        self._loop = asyncio.get_running_loop()
        self._address = broker.address
        self._accepted: asyncio.Future[None] = self._loop.create_future()
        self._ended: asyncio.Future[MqttError | None] = self._loop.create_future()
        """The end of the connection, and its reason if we did not want it."""
        self._messages: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
        """Topics and payloads that have arrived."""
        self.most_bytes = math.inf
        """The size of the largest packet that the broker takes."""
        self._answers: dict[int, asyncio.Future[list[ReasonCode]]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._paho = self._made(broker, identifier, will)

    def _made(self, broker: Broker, identifier: str, will: tuple[str, bytes] | None) -> Client:
        from paho.mqtt.client import Client, MQTTv5
        from paho.mqtt.enums import CallbackAPIVersion

        paho = Client(CallbackAPIVersion.VERSION2, identifier, protocol=MQTTv5, reconnect_on_failure=False)
        paho.connect_timeout = CONNECT_S
        paho.enable_logger(log)
        if broker.user is not None:
            paho.username_pw_set(broker.user, broker.password)
        if (context := broker.context()) is not None:
            paho.tls_set_context(context)
        if will is not None:
            paho.will_set(*will, qos=1, retain=True)
        paho.on_connect, paho.on_disconnect = self._on_connect, self._on_disconnect
        paho.on_message = lambda _paho, _data, message: self._on_message(message)
        paho.on_publish = lambda _paho, _data, number, code, _properties: self._settle(number, [code])
        paho.on_subscribe = lambda _paho, _data, number, codes, _properties: self._settle(number, codes)
        paho.on_unsubscribe = lambda _paho, _data, number, codes, _properties: self._settle(number, codes)
        paho.on_socket_open, paho.on_socket_close = self._on_socket_open, self._on_socket_close
        paho.on_socket_register_write = lambda *_: self._want_writing()
        paho.on_socket_unregister_write = lambda _paho, _data, sock: self._unwatch_writing(sock)
        return paho

    async def open(self) -> None:
        """Connect. Raises MqttError."""
        try:
            await asyncio.to_thread(
                self._paho.connect, self._address.host, self._address.port, KEEPALIVE_S, clean_start=True
            )
            await self._wait(self._accepted, CONNECT_S)
        except OSError as error:
            raise MqttError(str(error)) from None

    async def close(self) -> None:
        """Disconnect, within CLOSE_S. Raises MqttError if the broker takes longer."""
        if not self._ended.done():
            self._paho.disconnect()
            await asyncio.wait({self._ended}, timeout=CLOSE_S)
            if not self._ended.done():
                raise MqttError("operation timed out")

    def leave_with_will(self) -> None:
        """Disconnect; the broker publishes the will."""
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.reasoncodes import ReasonCode

        self._paho.disconnect(ReasonCode(PacketTypes.DISCONNECT, identifier=WITH_WILL))

    def release(self) -> None:
        """Close the socket, if it is open."""
        self._end(None)
        if (sock := self._paho.socket()) is not None:
            self._on_socket_close(self._paho, None, sock)
            sock.close()

    async def publish(
        self, topic: str, payload: bytes, qos: int, *, retain: bool = False, expires_s: int | None = None
    ) -> ReasonCode:
        """Return the broker's answer; with QoS 0 it is that the message has left. Raises MqttError."""
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.properties import Properties

        self._raise_if_ended()
        properties = None
        if expires_s is not None:
            properties = Properties(PacketTypes.PUBLISH)
            properties.MessageExpiryInterval = expires_s
        sent = self._paho.publish(topic, payload, qos, retain, properties)
        return (await self._answer(sent.rc, sent.mid))[0]

    async def subscribe(self, topic: str, qos: int) -> ReasonCode:
        """Return the broker's answer. Raises MqttError."""
        self._raise_if_ended()
        return (await self._answer(*self._paho.subscribe(topic, qos)))[0]

    async def unsubscribe(self, topic: str) -> None:
        """Wait for the broker's answer. Raises MqttError."""
        self._raise_if_ended()
        await self._answer(*self._paho.unsubscribe(topic))

    async def receive(self, seconds: float) -> tuple[str, bytes] | None:
        """Return the topic and the payload of the next message; None if none comes in this time. Raises MqttError."""
        if self._messages.empty():
            coming = asyncio.create_task(self._messages.get())
            try:
                await self._wait_for(coming, seconds)
            finally:
                coming.cancel()
            if coming.done():
                return coming.result()
            self._raise_if_ended()
            return None
        return self._messages.get_nowait()

    async def _answer(self, result: int, number: int | None) -> list[ReasonCode]:
        """Return the answer to the message of this number."""
        from paho.mqtt.client import error_string

        if result != SUCCESS or number is None:
            raise MqttError(error_string(result))
        answer = self._answers[number] = self._loop.create_future()
        try:
            return await self._wait(answer, ANSWER_S)
        finally:
            self._answers.pop(number, None)

    async def _wait(self, answer: asyncio.Future[Result], seconds: float) -> Result:
        """Wait for an answer, until the connection ends and for this time at most."""
        await self._wait_for(answer, seconds)
        if not answer.done():
            self._raise_if_ended()
            raise MqttError("operation timed out")
        return answer.result()

    async def _wait_for(self, wanted: asyncio.Future[Any], seconds: float) -> None:
        await asyncio.wait((wanted, self._ended), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)

    def _raise_if_ended(self) -> None:
        if self._ended.done():
            raise self._ended.result() or MqttError("disconnected")

    def _end(self, error: MqttError | None) -> None:
        if not self._ended.done():
            self._ended.set_result(error)

    def _settle(self, number: int, codes: list[ReasonCode]) -> None:
        if (answer := self._answers.get(number)) is not None and not answer.done():
            answer.set_result(codes)

    def _on_connect(
        self, _paho: Client, _data: object, _flags: ConnectFlags, code: ReasonCode, properties: Properties | None
    ) -> None:
        self.most_bytes = getattr(properties, "MaximumPacketSize", math.inf)
        if code.is_failure:
            self._end(MqttError(str(code), code.value))
        elif not self._accepted.done():
            self._accepted.set_result(None)

    def _on_disconnect(
        self, _paho: Client, _data: object, _flags: DisconnectFlags, code: ReasonCode, _properties: Properties | None
    ) -> None:
        self._end(None if code == SUCCESS else MqttError(str(code), code.value))

    def _on_message(self, message: MQTTMessage) -> None:
        self._messages.put_nowait((message.topic, bytes(message.payload)))

    def _on_socket_open(self, _paho: Client, _data: object, _sock: SocketLike) -> None:
        """Comes from the thread that connects."""
        self._loop.call_soon_threadsafe(self._watch)

    def _on_socket_close(self, _paho: Client, _data: object, sock: SocketLike) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if sock.fileno() >= 0:
            self._loop.remove_reader(sock.fileno())
            self._loop.remove_writer(sock.fileno())

    def _watch(self) -> None:
        if self._ended.done():
            self.release()
        elif (sock := self._paho.socket()) is not None:
            self._loop.add_reader(sock.fileno(), self._guarded, self._read)
            self._look()

    def _want_writing(self) -> None:
        self._loop.call_soon_threadsafe(self._watch_writing)

    def _watch_writing(self) -> None:
        if (sock := self._paho.socket()) is not None and sock.fileno() >= 0:
            self._loop.add_writer(sock.fileno(), self._guarded, self._paho.loop_write)

    def _unwatch_writing(self, sock: SocketLike) -> None:
        if sock.fileno() >= 0:
            self._loop.remove_writer(sock.fileno())

    def _guarded(self, work: Callable[[], object]) -> None:
        """Do a part of paho's work; a failure, such as that of an impossible packet, ends the connection."""
        try:
            work()
        except Exception as error:  # of many kinds
            self._end(MqttError(str(error)))
            self.release()

    def _read(self) -> None:
        self._paho.loop_read()
        while isinstance(sock := self._paho.socket(), ssl.SSLSocket) and sock.pending():
            self._paho.loop_read()

    def _look(self) -> None:
        self._timer = self._loop.call_later(LOOK_S, self._look)
        self._guarded(self._paho.loop_misc)
