"""Engines that announce themselves at a broker: their payloads, and those that are there."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec
from msgspec import Struct

from fiedler.support.address import Address
from fiedler.support.mqtt.broker import Broker
from fiedler.support.mqtt.connection import connected
from fiedler.support.mqtt.topics import VERSION

QUIET_S = 0.1
"""Seconds without a message after which the retained messages have arrived, also from a broker that sends them late."""
PRESENT = ("ready", "busy")
"""The states of an engine that is there."""


class EnginePayload(Struct, frozen=True, kw_only=True):
    """The fields of both payloads."""

    v: int = VERSION
    at: str
    """ISO 8601, UTC, milliseconds."""
    session: str
    """Changes with every connection of the engine to the broker."""


class EngineState(EnginePayload, frozen=True, kw_only=True):
    """Of `engines/E/state`."""

    state: str
    """`ready`, `busy` (no session is free), `gone` or `lost`."""
    sessions: int
    sessions_max: int


class EngineInfo(EnginePayload, frozen=True, kw_only=True):
    """Of `engines/E/info`."""

    name: str
    game: str
    player: str
    address: str
    """`HOST:PORT`."""
    protocols: tuple[str, ...]
    options: dict[str, int | float | bool | str | None]
    """Options that a client may set, with their values."""
    version: str
    machine: str
    """The model of the processor."""
    threads: int
    """The threads of each session."""
    nps: float | None
    """Nodes per second of the searches so far; null before the first one."""
    tls: bool
    token: bool
    """Whether a token is needed."""


@dataclass(frozen=True, slots=True)
class AnnouncedEngine:
    """An engine at a broker."""

    id: str
    info: EngineInfo
    state: EngineState

    @property
    def is_present(self) -> bool:
        """Whether a client can connect."""
        return self.state.state in PRESENT


def engine_id(name: str, address: Address) -> str:
    """Return the level of an engine's topics: its name and six digits of its address."""
    return f"{name}-{hashlib.blake2b(str(address).encode(), digest_size=3).hexdigest()}"


async def find_engines(
    broker: Broker, seconds: float, suffices: Callable[[Mapping[str, AnnouncedEngine]], bool]
) -> dict[str, AnnouncedEngine]:
    """Return the engines at a broker, by id, as soon as they suffice, and after this time in any case.

    Raises:
        WorkError: As `connected` does.
    """
    reading = _Reading()
    async with connected(broker, "") as link:
        for kind in ("info", "state"):
            await link.subscribe(f"{broker.topic('engines')}/+/{kind}", qos=0)
        await link.unsubscribe(broker.topic("none"))  # before this answer Mosquitto has sent what it retains
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            message = await link.receive(min(left, QUIET_S))
            if message is not None:
                reading.take(*message)
            elif suffices(reading.engines):
                break
    return reading.engines


class _Reading:
    """Payloads by id; those that are not ours are left out."""

    def __init__(self) -> None:
        self._info: dict[str, EngineInfo] = {}
        self._state: dict[str, EngineState] = {}

    @property
    def engines(self) -> dict[str, AnnouncedEngine]:
        names = sorted(self._info.keys() & self._state.keys())
        return {name: AnnouncedEngine(name, self._info[name], self._state[name]) for name in names}

    def take(self, topic: str, payload: bytes) -> None:
        """Take a message; an empty one removes."""
        name, kind = topic.split("/")[-2:]
        self._info.pop(name, None) if kind == "info" else self._state.pop(name, None)
        try:
            if kind == "info":
                self._info[name] = msgspec.json.decode(payload, type=EngineInfo)
            else:
                self._state[name] = msgspec.json.decode(payload, type=EngineState)
        except msgspec.MsgspecError:
            pass
