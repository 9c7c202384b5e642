"""The place of games: some tables, and their players."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from fiedler.support.reaper import Reaper
from fiedler.tournament.play.admission import PlayerAdmission
from fiedler.tournament.play.endpoint import Endpoint, Site
from fiedler.tournament.play.endpoints import make_endpoint, shared_server
from fiedler.tournament.play.probe import probe
from fiedler.tournament.play.shared_server import SharedServer
from fiedler.tournament.play.traffic_log import TrafficLog
from fiedler.tournament.run.affinity import Cores
from fiedler.tournament.run.live import Boards
from fiedler.tournament.run.table import LocalTable, Table
from fiedler.tournament.schedule.schedule import PlayerEntry, Schedule


class Venue(Protocol):
    """Tables that share the programs of players."""

    def tables(self) -> AsyncIterator[Table]:
        """Yield the tables as they open, one for each game at the same time; the end: no more will open."""

    def when_changed(self, call: Callable[[], None]) -> None:
        """Call this when a table closes, or when others may play at a table."""

    async def probe(self, names: Sequence[str]) -> dict[str, str]:
        """Start these players and return the failures, by the names of those that cannot be used.

        Raises:
            MachineError: the machine cannot start them; maybe in an ExceptionGroup.

        """

    def add(self, schedule: Schedule, names: Collection[str]) -> None:
        """Prepare for further players, of this schedule.

        Raises:
            UsageError: a file of one of them cannot be used.

        """

    async def close(self) -> None:
        """End all players. Each step has its own deadline."""


class LocalVenue:
    """A venue in this process."""

    def __init__(
        self,
        schedule: Schedule,
        shares: Sequence[Cores | None],
        reaper: Reaper,
        starts: int,
        traffic_log: TrafficLog | None,
        boards: Boards,
        admission: PlayerAdmission | None = None,
    ) -> None:
        """Set up a table for each of the `shares` of cores. At most `starts` programs start at the same time.

        Tables with the same share use the same servers. All use the same players that dial in.
        """
        self._game = schedule.tournament.game
        turns = asyncio.Semaphore(starts)
        self._door = Site(reaper, turns, None, traffic_log, admission)
        self._sites = {share: Site(reaper, turns, share, traffic_log) for share in dict.fromkeys(shares)}
        servers = {share: shared_server(schedule, site, shares.count(share)) for share, site in self._sites.items()}
        self._servers = [server for server in servers.values() if server is not None]
        self._endpoints: dict[Cores | None, dict[str, Endpoint]] = {share: {} for share in self._sites}
        self._replaced: list[Endpoint] = []
        for player in schedule.players:
            self._prepare(player, schedule, servers)
        self.at_once = [LocalTable(schedule, self._endpoints[share], boards, servers[share]) for share in shares]

    async def tables(self) -> AsyncIterator[LocalTable]:
        """Yield all tables at once."""
        for table in self.at_once:
            yield table

    def when_changed(self, call: Callable[[], None]) -> None:
        """Nothing changes here."""

    def add(self, schedule: Schedule, names: Collection[str]) -> None:
        """Prepare for further players; each local one has its own process."""
        for player in schedule.players:
            if player.name in names:
                self._prepare(player, schedule, {})

    def _prepare(
        self, player: PlayerEntry, schedule: Schedule, servers: Mapping[Cores | None, SharedServer | None]
    ) -> None:
        """Make the endpoints of a player; those of an earlier attempt to add it are closed at the end."""
        dialled = make_endpoint(player, schedule, self._door) if player.dial_in else None
        for share, site in self._sites.items():
            shared = replace(site, shared=servers.get(share))
            endpoint = dialled or make_endpoint(player, schedule, shared)
            if (before := self._endpoints[share].get(player.name)) is not None:
                self._replaced.append(before)
            self._endpoints[share][player.name] = endpoint

    async def probe(self, names: Sequence[str]) -> dict[str, str]:
        """Start players at the first table; their sessions stay open for the first games."""
        endpoints = next(iter(self._endpoints.values()))
        return await probe([endpoints[name] for name in names], self._game)

    async def close(self) -> None:
        """End all sessions and programs."""
        async with asyncio.TaskGroup() as group:
            for endpoint in {*self._replaced, *(one for many in self._endpoints.values() for one in many.values())}:
                group.create_task(endpoint.close())
        for server in self._servers:
            await server.close()
