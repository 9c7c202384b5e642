"""A local player at a shared server, until it needs a process of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fiedler.client.call import Access
from fiedler.support.address import LOOPBACK, Address
from fiedler.tournament.play.endpoint import LocalServer, Site, connect
from fiedler.tournament.play.offered_options import OptionError
from fiedler.tournament.play.session import PlayerLostError, PlayerSession
from fiedler.tournament.play.shared_server import SharedServer
from fiedler.tournament.schedule.schedule import PlayerEntry, Schedule
from fiedler.tournament.termination import Termination

ATTEMPTS = 2
"""Attempts to open a session at a server that ends meanwhile: another player may be the reason."""


class SharedPlayer(LocalServer):
    """`player =` or `model =`: sessions at the shared server. A failure there gives the player its own process.

    A failure at the shared server may be that of another player. It is therefore never a result.
    """

    def __init__(self, player: PlayerEntry, schedule: Schedule, site: Site, server: SharedServer) -> None:
        super().__init__(player, schedule, site)
        self._shared = server

    @property
    def choice(self) -> str:
        """Its name at the shared server; empty if it has its own process."""
        return self._shared.choice(self.name)

    def isolate(self) -> None:
        """Play in a process of its own from now on."""
        self._shared.isolate(self.name)

    def idle(self) -> PlayerSession | None:
        """Return an idle session at once; None if there is none."""
        if self._idle and bool(self._idle[-1].choice) != bool(self.choice):
            return None  # it is at the shared server, and the player is not any more
        session = super().idle()
        if session is not None:
            self._shared.use(session)
        return session

    async def acquire(self, *, fresh: bool = False) -> PlayerSession:
        """Return a session, as `Endpoint.acquire`; a failure at the shared server isolates the player."""
        for attempt in range(ATTEMPTS):
            if not self.choice:
                break
            try:
                return await super().acquire(fresh=fresh or attempt > 0)
            except (PlayerLostError, OptionError):
                if not await self._shared.has_ended():
                    await self._shared.check()
                    break
        self.isolate()
        return await super().acquire(fresh=fresh)

    async def release(self, session: PlayerSession) -> None:
        """Give a session back. A server whose player was late may hang, and is ended then."""
        if not session.choice:
            await super().release(session)
            return
        late = session.fault is not None and session.fault.termination == Termination.TIME
        if self.choice:
            await super().release(session)
        else:
            await session.close()
        if late:
            await self._shared.check()
        elif session in self._idle:
            await self._shared.keep(session, self._discard)

    async def _discard(self, session: PlayerSession) -> None:
        """Close an idle session."""
        if session in self._idle:
            self._idle.remove(session)
            await session.close()

    def probing(self) -> AbstractAsyncContextManager[object]:
        """Wait for a turn to be probed."""
        return self._shared.probing

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Wait for the start of the shared server, or of the player's own one."""
        if self.choice:
            await self._shared.start()
        if self.choice:
            async with self._shared.opening:
                yield
        else:
            async with super()._turn():
                yield

    async def _open(self) -> PlayerSession:
        choice = self.choice
        if not choice:
            return await super()._open()
        server, address = self._shared, Address(LOOPBACK, self._shared.port)
        client, traffic = self._client(), self._session_log()
        session = await connect(self.name, address, server.process, client, traffic, Access())
        session.choice = choice
        return session
