"""An engine at a broker: what it is, and whether it is free, as long as it serves."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass

import msgspec

from fiedler.engine.host.session import spoken
from fiedler.engine.port.server import Server
from fiedler.players import THREADS_OPTION
from fiedler.protocol import DIALECTS
from fiedler.support.address import Address
from fiedler.support.errors import UsageError, WorkError
from fiedler.support.mqtt.broker import Broker
from fiedler.support.mqtt.connection import BrokerError, BrokerLink, connected, pauses
from fiedler.support.mqtt.engines import PRESENT, EngineInfo, EngineState, engine_id
from fiedler.support.mqtt.topics import at
from fiedler.support.provenance import machine, release

LOOK_S = 0.2
"""Seconds between two looks at the sessions."""
INFO_S = 60.0
"""Seconds between two publications of the nodes per second, at least."""
END_S = 1.0
"""Seconds to announce the end."""
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104


@dataclass(frozen=True, slots=True)
class Announcement:
    """Where and as what an engine announces itself."""

    broker: Broker
    name: str | None = None
    """None: the name of the player."""
    address: Address | None = None
    """None: the one at which the server listens."""

    @contextlib.asynccontextmanager
    async def of(self, server: Server, bound: Address) -> AsyncIterator[None]:
        """Announce a server that listens at `bound`, until the end of the context.

        Raises:
            UsageError: The address is not one that clients can connect to.
        """
        if self.address is None and bound.host in EVERYWHERE:
            raise UsageError(f"--announce-address: expected HOST:PORT, since clients cannot connect to {bound}")
        announcer = _Announcer(server, self, self.address or bound)
        task = asyncio.create_task(announcer.run())
        try:
            yield
        finally:
            announcer.stopped.set()
            await asyncio.wait({task}, timeout=END_S)
            task.cancel()
            await asyncio.wait({task})
            if not task.cancelled():
                task.result()


class _Announcer:
    def __init__(self, server: Server, announcement: Announcement, address: Address) -> None:
        self.stopped = asyncio.Event()
        self._server = server
        self._broker = announcement.broker
        self._name = announcement.name or server.offer.factory.kind.name
        self._address = address
        self._id = engine_id(self._name, address)
        self._session = ""
        self._known: tuple[str, int] = ("", 0)
        """The last state published, and its sessions."""
        self._info_due = 0.0

    async def run(self) -> None:
        """Announce over as many connections as it takes; failures are warnings."""
        waits, is_away = pauses(), False
        while not self.stopped.is_set():
            self._session = uuid.uuid4().hex[:8]
            will = self._topic("state"), self._state("lost")
            try:
                async with connected(self._broker, f"{self._broker.base}-engine-{self._id}", will=will) as link:
                    waits, is_away = pauses(), False
                    await self._announce(link)
            except BrokerError as error:
                if not is_away:
                    _warn(f"{error}; trying again until it answers")
                is_away = True
                await self._pause(next(waits))
            except (UsageError, WorkError) as error:
                _warn(str(error))
                return

    async def _announce(self, link: BrokerLink) -> None:
        await self._publish_info(link)
        await self._publish_state(link)
        await link.subscribe(self._topic("state"))
        while not self.stopped.is_set():
            message = await link.receive(LOOK_S)
            if (message is not None and self._is_of_another(message[1])) or self._current != self._known:
                await self._publish_state(link)
            if self._nps is not None and time.monotonic() >= self._info_due:
                await self._publish_info(link)
        await link.publish(self._topic("state"), self._state("gone"), retain=True)
        for kind in ("info", "state"):
            await link.publish(self._topic(kind), b"", retain=True)

    def _is_of_another(self, payload: bytes) -> bool:
        """Return whether a payload of our state is the will of an earlier connection, or a removal."""
        try:
            found = msgspec.json.decode(payload, type=EngineState)
        except msgspec.MsgspecError:
            return True
        return found.session != self._session and found.state not in PRESENT

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.stopped.wait()

    async def _publish_info(self, link: BrokerLink) -> None:
        self._info_due = time.monotonic() + INFO_S if self._nps is not None else 0.0
        await link.publish(self._topic("info"), msgspec.json.encode(self._info), retain=True)

    async def _publish_state(self, link: BrokerLink) -> None:
        self._known = self._current
        await link.publish(self._topic("state"), self._state(self._known[0]), retain=True)

    def _topic(self, kind: str) -> str:
        return self._broker.topic("engines", self._id, kind)

    @property
    def _current(self) -> tuple[str, int]:
        sessions = len(self._server.connections)
        return "busy" if sessions >= self._server.bounds.sessions else "ready", sessions

    @property
    def _nps(self) -> float | None:
        counts = self._server.terms.counts
        return round(counts.nodes / counts.search_seconds) if counts.search_seconds else None

    def _state(self, state: str) -> bytes:
        sessions, most = len(self._server.connections), self._server.bounds.sessions
        return msgspec.json.encode(
            EngineState(at=at(), session=self._session, state=state, sessions=sessions, sessions_max=most)
        )

    @property
    def _info(self) -> EngineInfo:
        server, factory = self._server, self._server.offer.factory
        options = [option for option in factory.kind.options() if not option.at_start]
        return EngineInfo(
            at=at(),
            session=self._session,
            name=self._name,
            game=server.offer.game.id,
            player=factory.kind.name,
            address=str(self._address),
            protocols=_protocols(server),
            options={option.name: getattr(factory.settings, option.name) for option in options},
            version=release(),
            machine=str(machine()["cpu"]),
            threads=getattr(factory.settings, THREADS_OPTION, 1),
            nps=self._nps,
            tls=server.access.tls is not None,
            token=server.access.tokens is not None,
        )


def _warn(text: str) -> None:
    print(f"warning: announce: {text}", file=sys.stderr, flush=True)


def _protocols(server: Server) -> tuple[str, ...]:
    """Return the dialects in which a client can begin."""
    if server.offer.pinned is not None:
        return (server.offer.pinned,)
    return tuple(name for name in spoken(server.offer.game) if DIALECTS[name].opens is not None)
