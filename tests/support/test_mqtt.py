"""The errors of a broker in a few words; servers that are no brokers."""

from __future__ import annotations

import asyncio

import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

from fiedler.support.address import Address
from fiedler.support.errors import WorkError
from fiedler.support.mqtt.broker import Broker
from fiedler.support.mqtt.client import MqttError
from fiedler.support.mqtt.connection import BrokerError, RefusedError, TakenOverError, _explained, connected

BROKER = Broker(Address("broker", 1883))
BEFORE_PAHO_2_2 = "bad char in struct format"
"""The words of older versions for a message that is malformed."""


@pytest.mark.parametrize(
    ("reason", "kind", "words"),
    [
        ("Unspecified error", BrokerError, "broker:1883: the connection was lost"),
        ("Session taken over", TakenOverError, "broker:1883: another process with the same name has connected"),
        ("Packet too large", RefusedError, "broker:1883: the broker refuses a message: packet too large"),
    ],
)
def test_the_end_of_a_connection_has_a_reason(reason: str, kind: type[WorkError], words: str) -> None:
    error = _explained(BROKER, MqttError(reason, ReasonCode(PacketTypes.DISCONNECT, reason).value), ())
    assert (type(error), str(error)) == (kind, words)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"", "the connection was lost"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "the connection was lost"),
        (b"\x20\x02", "the connection was lost"),
        (b"\x90\x00", "the broker refuses a message: protocol error"),
        (b"\x20\x09\x00\x87\x06\x1f\x00\x03bad", "the broker refuses this user: not authorized"),
    ],
)
async def test_a_server_that_does_not_admit_us_is_an_error_at_once(said: bytes, words: str) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(1)
        writer.write(said)
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        broker = Broker(Address(*server.sockets[0].getsockname()[:2]))
        with pytest.raises(WorkError) as caught:
            async with connected(broker, "somebody"):
                pass
    assert str(caught.value) == f"{broker}: {words}"


async def test_a_connection_that_is_given_up_closes_its_socket() -> None:
    left = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(1024):
            pass
        left.set()
        writer.close()

    async def connect(broker: Broker) -> None:
        async with connected(broker, "somebody"):
            pass

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        task = asyncio.create_task(connect(Broker(Address(*server.sockets[0].getsockname()[:2]))))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await left.wait()
