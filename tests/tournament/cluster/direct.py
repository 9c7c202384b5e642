"""A cluster in this process: the code of nodes without Ray, and faults where Ray has them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from fiedler.tournament.cluster.address import ClusterAddress
from fiedler.tournament.cluster.cluster import NodeCalls, NodeLostError, NodePlace
from fiedler.tournament.cluster.node import NodeActor
from fiedler.tournament.cluster.venue import ClusterVenue
from fiedler.tournament.game import GameRecord
from fiedler.tournament.run import manager
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.schedule import Schedule
from fiedler.tournament.schedule.validation import load
from tests.tournament.schedules import Bench

DEAD = "its actor has ended"


class DirectNode:
    """A node here. It can freeze, which its manager does not notice, and die, which it does."""

    def __init__(self, cache_mb: int) -> None:
        self.node = NodeActor(cache_mb)
        self.calls: list[str] = []
        self.ending: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()
        self._frozen = asyncio.Event()
        self._dead = self._loop.create_future()

    def freeze(self) -> None:
        """Answer no more."""
        self._loop.call_soon_threadsafe(self._frozen.set)

    def die(self) -> None:
        """End at once: every call fails."""
        self._loop.call_soon_threadsafe(self._dead.set_result, None)

    async def call(self, method: str, *words: object) -> object:
        self.calls.append(method)
        if self._frozen.is_set():
            await self._loop.create_future()
        work = asyncio.ensure_future(getattr(self.node, method)(*words))
        frozen = asyncio.ensure_future(self._frozen.wait())
        await asyncio.wait({work, self._dead, frozen}, return_when=asyncio.FIRST_COMPLETED)
        if self._dead.done():
            work.cancel()
            frozen.cancel()
            raise NodeLostError(DEAD)
        if self._frozen.is_set():
            await self._loop.create_future()
        frozen.cancel()
        return work.result()

    def end(self) -> None:
        """End it and its table process, as the end of an actor does."""
        if self.ending is None:
            self.ending = asyncio.ensure_future(self.node.close())


class DirectCluster:
    """Nodes that a test adds and removes."""

    def __init__(self, number: int = 0, cpus: int = 1) -> None:
        self.address = ClusterAddress(local=number or 1)
        self.is_local = True
        self.nodes: list[DirectNode] = []
        """All actors, in the order of their starts."""
        self.waits = False
        """Whether actors answer no call: they have not started yet."""
        self.first: Callable[[DirectNode], None] = lambda _: None
        """Called with each actor that starts."""
        self._cpus = cpus
        self._places: list[NodePlace] = []
        for _ in range(number):
            self.join()

    def join(self) -> None:
        number = len(self._places) + 1
        self._places.append(NodePlace(f"id-{number}", f"127.0.0.{number + 2}", self._cpus))

    def leave(self, number: int) -> None:
        del self._places[number]

    def die(self) -> None:
        """Let the first actor end."""
        self.nodes[0].die()

    def places(self) -> list[NodePlace]:
        return list(self._places)

    def actor(self, place: NodePlace, cpus: int, cache_mb: int) -> NodeCalls:
        self.nodes.append(DirectNode(cache_mb))
        if self.waits:
            self.nodes[-1].freeze()
        self.first(self.nodes[-1])
        return self.nodes[-1]


class _SettledVenue(ClusterVenue):
    """Waits for the ends of its nodes, which are no processes of their own here."""

    async def close(self) -> None:
        await super().close()
        assert isinstance(self.cluster, DirectCluster)
        for node in self.cluster.nodes:
            if node.ending is not None:
                await node.ending


Happening = tuple[str, Callable[[], None]]


def play_at(
    cluster: DirectCluster, bench: Bench, do: Sequence[Happening] = (), read: Callable[[Path], Schedule] = load
) -> list[GameRecord]:
    """Play the schedule of a bench at these nodes; at the first event of each name in `do` a thing happens."""
    pending = list(do)

    def watch(event: object) -> None:
        if pending and type(event).__name__ == pending[0][0]:
            pending.pop(0)[1]()

    folder = manager.run(
        bench.path,
        results=bench.results,
        subscribers=[bench.events.append, watch],
        read=read,
        abroad=lambda *_: partial(_SettledVenue, cluster),
    )
    assert not pending
    with Store.open(folder) as store:
        return store.games()


def cached(folder: Path) -> list[str]:
    """Return the names of the files in a cache."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file())
