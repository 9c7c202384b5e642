"""One node of a cluster, from its first sight to its end: it joins, plays, is lost or benched, and joins again."""

from __future__ import annotations

import asyncio
from typing import Protocol

import msgspec

from fiedler.tournament.cluster.cluster import Machines, NodeCalls, NodeLostError, NodePlace
from fiedler.tournament.cluster.facts import Facts, difference, slower_or_faster
from fiedler.tournament.cluster.node_tables import VOIDS_IN_A_ROW, NodeTables, UnusableNodeError
from fiedler.tournament.cluster.parcel import Parcel
from fiedler.tournament.game import PlannedGame, now
from fiedler.tournament.play.machine import MachineError
from fiedler.tournament.run.affinity import most_threads, starts_at_once
from fiedler.tournament.run.live import Boards
from fiedler.tournament.run.nodes import NodeState, NodeStatus
from fiedler.tournament.run.table_messages import ProcessSetup
from fiedler.tournament.schedule.schedule import Schedule

BENCH_S = (300.0, 600.0, 1200.0)
"""Seconds on the bench: the first time, the second, and later."""
RETRY_S = 5.0
"""Seconds until a node that was lost, or could not play, is asked again."""


class RefusedNodeError(Exception):
    """A node never plays; the message has the reason."""


class Company(Protocol):
    """The nodes of a run together."""

    cluster: Machines
    schedule: Schedule
    parcel: Parcel
    boards: Boards
    facts: dict[str, Facts]
    """The facts about the nodes that have joined, by name."""
    sought: set[str]
    """The players that must start at each node."""
    excused: set[str]
    """Ids of games that were void once because of a player that failed before its first move at a node."""

    @property
    def ours(self) -> Facts:
        """The facts about this machine."""

    def warn(self, text: str) -> None:
        """Report what goes wrong."""

    def begin(self, node: NodeTables) -> None:
        """Open the tables of a node that has joined."""

    def end(self, node: NodeTables) -> None:
        """Forget a node that has left."""

    def elsewhere(self, game: PlannedGame, node: NodeTables) -> bool:
        """Return whether another node can play a game."""


class Presence:
    """A node, and its status."""

    def __init__(self, venue: Company, place: NodePlace, status: NodeStatus) -> None:
        self._venue = venue
        self._place = place
        self._status = status
        self._benched = 0
        """How often it was benched."""
        self._told = ""
        """The last warning: a node that is asked again and again does not repeat it."""

    async def run(self) -> None:
        """Have it join and play until cancelled: it has left the cluster, or the run is over."""
        try:
            while True:
                self._set(NodeState.JOINING)
                pause = await self._once()
                await asyncio.sleep(pause)
        except asyncio.CancelledError:
            self._set(NodeState.LEFT, "has left the cluster")
            raise
        except RefusedNodeError as error:
            self._set(NodeState.REFUSED, str(error))
            self._venue.warn(f"node {self._status.name} ({self._place.address}) is refused: {error}")

    async def _once(self) -> float:
        """Have it join and play until it is lost; return the seconds until it may join again."""
        threads = most_threads(self._venue.schedule.players)
        section = self._venue.schedule.cluster
        tables = section.tables or max(1, self._place.cpus // threads)
        calls = self._venue.cluster.actor(self._place, min(self._place.cpus, tables * threads), section.cache_mb)
        setup = ProcessSetup(
            self._venue.parcel.schedule, dict.fromkeys(range(1, tables + 1)), starts_at_once(), None, 0.0, 1
        )
        node = NodeTables(
            self._status.name,
            calls,
            setup,
            self._venue.boards,
            section.lost_s,
            self._venue.elsewhere,
            self._status,
            self._venue.excused,
        )
        why = "has left the cluster"
        try:
            await self._check(calls)
            folder = self._venue.schedule.folder if self._venue.cluster.is_local else section.folder
            await node.set_up(self._venue.parcel, folder)
            pause, why = await self._play(node)
        except (UnusableNodeError, NodeLostError, MachineError) as error:
            pause, why = RETRY_S, str(error)
            self._tell(NodeState.SILENT, why)
        except asyncio.CancelledError:
            self._leave(node, why)
            if node.is_set_up:
                await node.close()
            raise
        finally:
            self._leave(node, why)
            calls.end()
        return pause

    def _leave(self, node: NodeTables, why: str) -> None:
        node.leave(why)
        self._venue.end(node)

    async def _check(self, calls: NodeCalls) -> None:
        """Refuse a node whose program or search is another one than ours, or that is too slow or too fast."""
        raw = await calls.call("facts", self._venue.schedule.tournament.game)
        try:
            facts = msgspec.msgpack.decode(raw, type=Facts)
        except msgspec.MsgspecError as error:
            raise RefusedNodeError(f"another version of Fiedler, with other facts: {error}") from error
        if why := difference(self._venue.ours, facts):
            raise RefusedNodeError(why)
        self._venue.facts[self._status.name] = facts
        self._status.nps = facts.nps
        limit = self._venue.schedule.limit
        if limit.movetime_ms is None and limit.base_ms is None:
            return
        if wrong := slower_or_faster(self._venue.facts).get(self._status.name):
            if self._venue.schedule.cluster.unequal == "refuse":
                del self._venue.facts[self._status.name]
                raise RefusedNodeError(wrong)
            self._venue.warn(f"node {self._status.name}: {wrong}")

    async def _play(self, node: NodeTables) -> tuple[float, str]:
        """Probe the players, then play until the node is lost or benched; return the pause after it, and why."""
        following = asyncio.create_task(node.follow())
        hopeless = asyncio.create_task(node.hopeless.wait())
        probing = asyncio.create_task(self._probe(node))
        try:
            await asyncio.wait({following, probing}, return_when=asyncio.FIRST_COMPLETED)
            if not probing.done():
                raise NodeLostError(f"lost: {following.result()}")
            await probing
            self._warn_of_failures(node)
            self._set(NodeState.PLAYING)
            self._told = ""
            status = self._status
            status.tables, status.joined, status.games_before = len(node.tables), now(), status.games
            self._venue.begin(node)
            await asyncio.wait({following, hopeless}, return_when=asyncio.FIRST_COMPLETED)
            if following.done():
                why = following.result()
                self._tell(NodeState.SILENT, f"lost: {why}")
                return RETRY_S, f"lost: {why}"
            node.is_open = False
            await node.close()  # its running games are given to others at once
            return self._bench(node)
        finally:
            for task in (following, hopeless, probing):
                task.cancel()

    async def _probe(self, node: NodeTables) -> None:
        """Probe all players at the node, also those that are added meanwhile."""
        while new := self._venue.sought - node.probed:
            await node.probe_players(sorted(new), self._venue.parcel)

    def _bench(self, node: NodeTables) -> tuple[float, str]:
        seconds = BENCH_S[min(self._benched, len(BENCH_S) - 1)]
        self._benched += 1
        why = f"benched for {seconds / 60:g} min: {node.last_void} ({VOIDS_IN_A_ROW} void games in a row)"
        self._tell(NodeState.BENCHED, why)
        return seconds, why

    def _warn_of_failures(self, node: NodeTables) -> None:
        for name, why in node.cannot.items():
            self._venue.warn(f"node {node.name}: player {name!r} cannot play there: {why}")

    def _tell(self, state: NodeState, why: str) -> None:
        self._set(state, why)
        if why != self._told:
            self._told = why
            self._venue.warn(f"node {self._status.name} {why}")

    def _set(self, state: NodeState, why: str = "") -> None:
        self._status.state, self._status.why = state, why
