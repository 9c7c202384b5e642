"""The engines of the games under way: processes of ours, or others, reached over their protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

from fiedler.client import AsyncEngine, open_engine_async
from fiedler.client.child import StartError
from fiedler.support.address import LOOPBACK
from fiedler.support.errors import UsageError, WorkError
from fiedler.support.player_spec import option_texts
from fiedler.support.reaper import Reaper
from fiedler.tournament.play.endpoint import serve_command
from fiedler.tournament.play.machine import MachineError
from fiedler.tournament.play.server_process import ServerProcess
from fiedler.tournament.play.session import PlayerLostError
from fiedler.web.play.offers import OfferedEngine

START_S = 30.0
"""Seconds for an engine to start."""
STARTS = 2
"""Engines that start at the same time."""


class _Shared:
    """An `engine serve` process of an offered player; it ends with the last of its games."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.server: ServerProcess | None = None
        self.games = 0


class EnginePool:
    """Opens engines for games. Local players of one kind share a process, as in a tournament."""

    def __init__(self) -> None:
        self._shared: dict[tuple[str, str], _Shared] = {}
        self._reaper: Reaper | None = None
        self._starts = asyncio.Semaphore(STARTS)
        """The engines that start now: a visitor may begin many games at once, and a start takes a core."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Take engines; at the end every process is killed."""
        try:
            yield
        finally:
            for shared in self._shared.values():
                if shared.server is not None:
                    await shared.server.end()
            if self._reaper is not None:
                self._reaper.close()

    @asynccontextmanager
    async def open(self, offer: OfferedEngine) -> AsyncIterator[AsyncEngine]:
        """Open an engine for one game.

        Raises:
            WorkError: It cannot be started or reached, or it refuses an option.
        """
        entry = offer.entry
        try:
            if entry.command is not None or entry.address is not None:
                async with await self._foreign(offer) as engine:
                    yield engine
            else:
                async with self._local(offer) as port, await open_engine_async(f"{LOOPBACK}:{port}", offer.game) as one:
                    yield one
        except UsageError as error:
            raise WorkError(str(error)) from None

    async def _foreign(self, offer: OfferedEngine) -> AsyncEngine:
        """Start a program in its turn, or connect to an address."""
        entry = offer.entry
        command = entry.command
        async with self._starts if command is not None else nullcontext():
            return await open_engine_async(
                list(command) if command is not None else str(entry.address),
                offer.game,
                protocol=entry.protocol,
                options=option_texts(entry.options),
                folder=offer.folder if command is not None else None,
                start_seconds=START_S,
            )

    @asynccontextmanager
    async def _local(self, offer: OfferedEngine) -> AsyncIterator[int]:
        """Hold the process of a local player; yield its port."""
        shared = self._shared.setdefault((offer.game, offer.name), _Shared())
        shared.games += 1
        try:
            async with shared.lock:
                if shared.server is None or shared.server.has_ended:
                    shared.server = await self._started(offer)
            yield shared.server.port
        finally:
            shared.games -= 1
            if not shared.games and shared.server is not None:
                server, shared.server = shared.server, None
                await server.end()

    async def _started(self, offer: OfferedEngine) -> ServerProcess:
        if self._reaper is None:
            self._reaper = Reaper()
        server = ServerProcess(self._reaper)
        command = serve_command(offer.entry, offer.game)
        try:
            async with self._starts, asyncio.timeout(START_S):
                await server.start(offer.name, command, str(offer.folder), None)
        except BaseException as error:
            await server.end()
            raise _reason(offer.name, error) from None
        return server


def _reason(name: str, error: BaseException) -> BaseException:
    if isinstance(error, PlayerLostError):
        return WorkError(f"{name}: {error.fault.detail}")
    if isinstance(error, TimeoutError):
        return WorkError(f"{name} did not start within {START_S:g} s")
    return WorkError(f"{name}: {error}") if isinstance(error, StartError | MachineError) else error
