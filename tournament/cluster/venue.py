"""The tables of a cluster: nodes join and leave during a run, and what they cannot play is played at home."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path

from fiedler.support.errors import WorkError
from fiedler.tournament.cluster.cluster import Machines, NodePlace
from fiedler.tournament.cluster.facts import Facts, facts_here
from fiedler.tournament.cluster.node_tables import NodeTables
from fiedler.tournament.cluster.parcel import Parcel, packed, plays_at_home
from fiedler.tournament.cluster.presence import Presence
from fiedler.tournament.game import PlannedGame, now
from fiedler.tournament.run.lease import FinishedLease, Lease, Notice, VoidedLease
from fiedler.tournament.run.live import Boards
from fiedler.tournament.run.nodes import NodeState, NodeStatus, StatusFile, earlier_nodes
from fiedler.tournament.run.table import LocalTable, Table
from fiedler.tournament.run.venue import LocalVenue
from fiedler.tournament.schedule.schedule import Schedule

LOOK_S = 0.5
"""Seconds between two looks at the nodes of the cluster."""
RARE = 4
"""How many times as long it is while all known nodes play: the list costs bytes, and their ends come without it."""


class HomeTable:
    """A table of the manager: for players that only it reaches, and for games that no node can play."""

    node = ""
    is_open = True

    def __init__(
        self, table: LocalTable, is_needed: Callable[[], bool], may_play: Callable[[PlannedGame], bool]
    ) -> None:
        self._table = table
        self._is_needed = is_needed
        self._may_play = may_play

    @property
    def is_needed(self) -> bool:
        """Whether any game may be for the manager's tables."""
        return self._is_needed()

    def may_play(self, game: PlannedGame) -> bool:
        """Return whether a game is for the manager's tables."""
        return self._may_play(game)

    @property
    def ended(self) -> FinishedLease | None:
        """The game under way, if its play has ended, as `LocalTable`."""
        return self._table.ended

    async def play(self, lease: Lease) -> FinishedLease | VoidedLease:
        """Play a game, as `LocalTable`."""
        return await self._table.play(lease)

    async def clear(self) -> Sequence[Notice]:
        """Release the players, as `LocalTable`."""
        return await self._table.clear()


class ClusterVenue:
    """The tables of all nodes, and those at home."""

    def __init__(
        self,
        cluster: Machines,
        schedule: Schedule,
        home: LocalVenue,
        boards: Boards,
        warn: Callable[[str], None],
        folder: Path,
        *,
        fresh: bool = False,
    ) -> None:
        """Prepare to play a schedule in `folder`; `probe` lets the nodes join. `warn` reports those that cannot play.

        With `fresh` the run begins anew, without the nodes of an earlier one in the folder.

        Raises:
            UsageError: a model file cannot be read.

        """
        self.cluster = cluster
        self.schedule = schedule
        self.parcel: Parcel = packed(schedule)
        self.boards = boards
        self._warn = warn
        self.facts: dict[str, Facts] = {}
        """The facts about the nodes that have joined, by name."""
        self.sought: set[str] = set()
        """The players that must start at each node."""
        self.excused: set[str] = set()
        """Ids of games that were void once because of a player that failed before its first move at a node."""
        self.open: list[NodeTables] = []
        """The nodes that play now."""
        self._home = home
        self._status = StatusFile(folder, str(cluster.address))
        self._statuses = {} if fresh else {node.address: node for node in earlier_nodes(folder)}
        """The nodes by address, in the order in which they joined; a resumed run continues with those it had."""
        self._opened: asyncio.Queue[Table | Exception] = asyncio.Queue()
        self._joined = asyncio.Event()
        """There is a node that plays, or there was none for too long, or an error."""
        self._error: Exception | None = None
        """The first unexpected one, or the loss of the head: the run ends with it."""
        self._closing = False
        self._alone = False
        """There was no node for `wait_s`."""
        self._changed: Callable[[], None] = lambda: None
        self._attending: dict[str, asyncio.Task[None]] = {}
        self._looking: asyncio.Task[None] | None = None
        self._ours: Facts | None = None
        self._at_home = _at_home(schedule)
        """The players that only the manager reaches."""
        boards.when_watched(self._watch)

    # --- what a manager asks ------------------------------------------------------------------------------------------

    async def tables(self) -> AsyncIterator[Table]:
        """Yield the tables at home, then those of each node that joins."""
        for table in self._home.at_once:
            yield HomeTable(table, self._home_is_needed, self._is_for_home)
        while True:
            opened = await self._opened.get()
            if isinstance(opened, Exception):
                raise opened
            yield opened

    def when_changed(self, call: Callable[[], None]) -> None:
        """Call this when a node joins or leaves."""
        self._changed = call

    async def probe(self, names: Sequence[str]) -> dict[str, str]:
        """Start players at every node that is there; return the failures of those that start at none.

        The first call waits for a node. Players that only the manager reaches are started here.
        """
        failures = await self._home.probe([name for name in names if name in self._at_home])
        away = [name for name in names if name not in self._at_home]
        if not away:
            return failures
        self.sought.update(away)
        if self._looking is None:
            self._ours = await asyncio.to_thread(facts_here, self.schedule.tournament.game)
            self._looking = asyncio.create_task(self._look())
        return failures | await self._probe_away(away)

    async def _probe_away(self, names: Sequence[str]) -> dict[str, str]:
        """Start players at every node that stays; return the failures of those that start at none."""
        while True:
            await self._joined.wait()
            if self._error is not None:
                raise self._error
            nodes = list(self.open)
            if not nodes:
                return await self._home.probe(names)
            async with asyncio.TaskGroup() as group:
                for node in nodes:
                    group.create_task(node.probe_again(names, self.parcel))
            told = [node for node in nodes if node.probed.issuperset(names)]
            if told or any(node.is_open for node in nodes):
                return {name: _why(name, told) for name in names if told and all(name in node.cannot for node in told)}

    def add(self, schedule: Schedule, names: Collection[str]) -> None:
        """Prepare for further players; nodes learn of them when they are probed."""
        self._home.add(schedule, names)
        self.schedule, self.parcel, self._at_home = schedule, packed(schedule), _at_home(schedule)
        self.sought.intersection_update(schedule.names)  # players that were refused once are not asked for again

    async def close(self) -> None:
        """End all players. A node that does not answer ends its own."""
        self._closing = True
        tasks = [task for task in (self._looking, *self._attending.values()) if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self._home.close()
        for one in self._statuses.values():
            if one.state != NodeState.REFUSED:
                one.state, one.why = NodeState.LEFT, "the run has ended"
        with suppress(WorkError):
            self._write_status()

    # --- nodes --------------------------------------------------------------------------------------------------------

    @property
    def ours(self) -> Facts:
        """The facts about this machine."""
        assert self._ours is not None
        return self._ours

    async def _look(self) -> None:
        """Follow the nodes of the cluster until cancelled."""
        try:
            loop = asyncio.get_running_loop()
            wait_s = self.schedule.cluster.wait_s
            alone_since = loop.time()
            while True:
                places = await asyncio.to_thread(self.cluster.places)
                self._attend(places)
                if self.open:
                    alone_since, self._alone = loop.time(), False
                elif not self._alone and loop.time() - alone_since >= wait_s:
                    self._stay_alone(wait_s)
                self._write_status()
                await asyncio.sleep(LOOK_S * (RARE if self.open and len(self.open) == len(self._attending) else 1))
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        """End the run with an error, also while it waits for a node."""
        self._error = self._error or error
        self._opened.put_nowait(error)
        self._joined.set()

    def _attend(self, places: Sequence[NodePlace]) -> None:
        """Begin with nodes that are new, and end with those that have gone."""
        ids = {place.id for place in places}
        for place in places:
            if place.id not in self._attending:
                presence = Presence(self, place, self._status_of(place))
                self._attending[place.id] = asyncio.create_task(self._presence(presence))
        for gone in self._attending.keys() - ids:
            self._attending.pop(gone).cancel()

    async def _presence(self, presence: Presence) -> None:
        """Follow a node until it has gone."""
        try:
            await presence.run()
        except Exception as error:
            self._fail(error)

    def _status_of(self, place: NodePlace) -> NodeStatus:
        """Return the status of a node; one that returns to its address keeps its name and its counts."""
        name = f"n{len(self._statuses) + 1}"
        return self._statuses.setdefault(place.address, NodeStatus(name, place.address))

    def warn(self, text: str) -> None:
        """Report what goes wrong at a node, while the run continues."""
        if not self._closing:
            self._warn(text)

    def begin(self, node: NodeTables) -> None:
        """Open the tables of a node that has joined."""
        self.open.append(node)
        self._alone = False
        self._joined.set()
        for table in node.tables.values():
            self._opened.put_nowait(table)
        if self.boards.are_watched:
            node.watch()
        self._changed()

    def end(self, node: NodeTables) -> None:
        """Forget a node that has left."""
        if node in self.open:
            self.open.remove(node)
            if not (self.open or self._closing or self._error):  # else a probe would wait for ever
                self._joined.clear()
        self._changed()

    def _stay_alone(self, wait_s: float) -> None:
        self._alone = True
        self._warn(f"no node for {wait_s:g} s: the games are played here until one joins")
        self._joined.set()
        self._changed()

    # --- who plays which game -----------------------------------------------------------------------------------------

    def _home_is_needed(self) -> bool:
        if not self.open:
            return self._alone or bool(self._at_home)
        return bool(self._at_home) or any(node.cannot for node in self.open)

    def _is_for_home(self, game: PlannedGame) -> bool:
        if game.among(self._at_home) or (self._alone and not self.open):
            return True
        return bool(self.open) and not any(node.can_play(game) for node in self.open)

    def elsewhere(self, game: PlannedGame, node: NodeTables) -> bool:
        """Return whether another node can play a game, and shall not leave it to others itself."""
        return any(other is not node and other.can_play(game) and not other.avoids(game) for other in self.open)

    def _watch(self) -> None:
        for node in self.open:
            node.watch()

    def _write_status(self) -> None:
        self._status.write(now(), list(self._statuses.values()))


def _at_home(schedule: Schedule) -> frozenset[str]:
    return frozenset(player.name for player in schedule.players if plays_at_home(player))


def _why(name: str, nodes: Sequence[NodeTables]) -> str:
    """Return why a player starts at no node."""
    return "; ".join(f"{node.cannot[name]} (node {node.name})" for node in nodes)
