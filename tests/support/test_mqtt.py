"""The errors of a broker in a few words."""

from __future__ import annotations

import aiomqtt
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

from support.address import Address
from support.errors import WorkError
from support.mqtt.broker import Broker
from support.mqtt.connection import BrokerError, RefusedError, TakenOverError, _explained

BROKER = Broker(Address("broker", 1883))


@pytest.mark.parametrize(
    ("reason", "kind", "words"),
    [
        ("Unspecified error", BrokerError, "broker:1883: the connection was lost"),
        ("Session taken over", TakenOverError, "broker:1883: another process with the same name has connected"),
        ("Packet too large", RefusedError, "broker:1883: the broker refuses a message: packet too large"),
    ],
)
def test_the_end_of_a_connection_has_a_reason(reason: str, kind: type[WorkError], words: str) -> None:
    error = _explained(BROKER, aiomqtt.MqttCodeError(ReasonCode(PacketTypes.DISCONNECT, reason)), ())
    assert (type(error), str(error)) == (kind, words)
