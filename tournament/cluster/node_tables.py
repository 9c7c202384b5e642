"""The tables of one node, on the manager's side, from its joining to its loss."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import msgspec
from msgspec.structs import replace

from fiedler.support.errors import system_reason
from fiedler.tournament.cluster.cluster import NodeCalls, NodeLostError, Untyped
from fiedler.tournament.cluster.exchange import Exchange
from fiedler.tournament.cluster.parcel import Parcel
from fiedler.tournament.game import GameRecord, PlannedGame, now
from fiedler.tournament.play.machine import MachineError
from fiedler.tournament.run.lease import FinishedLease, Lease, VoidedLease
from fiedler.tournament.run.live import Boards
from fiedler.tournament.run.nodes import NodeStatus
from fiedler.tournament.run.remote_tables import RemoteTable, RemoteTables, reader
from fiedler.tournament.run.table_messages import Alive, Enrol, ProcessSetup
from fiedler.tournament.termination import FAILURES

FENCE_S = 2.0
"""Seconds by which a node without a word of its manager ends its players before their games are given to others."""
CALL_S = 60.0
"""Most seconds for a call, of which the longest carries a portion of a model file."""
VOIDS_IN_A_ROW = 3
"""Consecutive void games after which a node is hopeless."""
PORTION = 4 << 20
"""The bytes of a model file in one call."""


class UnusableNodeError(Exception):
    """A node cannot play; the message has the reason."""


class NodeTable(RemoteTable):
    """A table at a node; it closes with the node."""

    def __init__(self, tables: NodeTables, number: int, boards: Boards) -> None:
        super().__init__(tables, number, boards)
        self._node = tables
        self.node = tables.name

    @property
    def is_open(self) -> bool:
        """Whether the node is there and not benched."""
        return self._node.is_open

    def may_play(self, game: PlannedGame) -> bool:
        """Return whether both players start at the node, and no other one shall have the game first."""
        return self._node.may_play(game)

    async def play(self, lease: Lease) -> FinishedLease | VoidedLease:
        """Have a game played. Its times are those of our clock."""
        started = now()
        answer = await super().play(lease)
        if isinstance(answer, FinishedLease):
            answer = replace(answer, record=replace(answer.record, started=started, finished=now()))
        return self._node.judged(answer)


class NodeTables(RemoteTables):
    """The tables of a node. It is lost once: after that another object takes its place."""

    def __init__(
        self,
        name: str,
        calls: NodeCalls,
        setup: ProcessSetup,
        boards: Boards,
        lost_s: float,
        elsewhere: Callable[[PlannedGame, NodeTables], bool],
        status: NodeStatus,
        excused: set[str],
    ) -> None:
        """Prepare the tables; nothing is sent yet.

        Without a word for `lost_s` the node is lost. `elsewhere` returns whether another node can play a game. Its
        games are counted in `status`. `excused` are the ids of games, at all nodes, that were void because of a player
        that failed before its first move.
        """
        self.name = name
        self.is_open = True
        self.cannot: dict[str, str] = {}
        """The players that do not start here, with the reasons."""
        self._gone = asyncio.Event()
        """The node has left."""
        self.hopeless = asyncio.Event()
        """Game after game is void."""
        self.last_void = ""
        """The reason of the last void game."""
        self._status = status
        self._voids = 0
        """The void games in a row."""
        self._calls = calls
        self._exchange = Exchange(calls)
        self._lost_s = lost_s
        self._elsewhere = elsewhere
        self._avoided: set[str] = set()
        """Ids of games that were void here: another node shall play them first."""
        self._excused = excused
        self._proven: set[str] = set()
        """The players that have finished a game here by moves of their own."""
        self.probed: set[str] = set()
        """The players that were started here once, or did not start."""
        self._enrolling = asyncio.Lock()
        self.is_set_up = False
        """Whether the node may have a table process."""
        super().__init__(replace(setup, fence_s=lost_s - FENCE_S), boards)

    def _table(self, number: int) -> RemoteTable:
        return NodeTable(self, number, self._boards)

    # --- the line to the node -----------------------------------------------------------------------------------------

    @property
    def runs(self) -> bool:
        """Whether the node is there."""
        return self.is_open

    def start(self) -> None:
        """Find the node there.

        Raises:
            MachineError: it is lost.

        """
        if not self.is_open:
            raise MachineError(f"node {self.name} has left")

    def write(self, data: bytes) -> None:
        """Send bytes to its table process."""
        self._exchange.send(data)

    async def set_up(self, parcel: Parcel, folder: str) -> None:
        """Send the models that the node lacks, and have it start its table process.

        Raises:
            UnusableNodeError: it has no room for them, or cannot start.
            NodeLostError: it does not answer.

        """
        names = list(parcel.files)
        for name in await self._call("missing", names):
            await self._send_file(parcel, name)
        self.is_set_up = True
        why = await self._call("start", msgspec.msgpack.encode(self._setup), folder)
        if why:
            raise UnusableNodeError(why)

    async def _send_file(self, parcel: Parcel, name: str) -> None:
        path = parcel.files[name]
        try:
            await self._kept("begin_file", name, path.stat().st_size, list(parcel.files))
            with path.open("rb") as file:
                while portion := await asyncio.to_thread(file.read, PORTION):
                    await self._kept("append_file", name, portion)
        except OSError as error:
            raise UnusableNodeError(f"{path}: cannot be read: {system_reason(error)}") from error
        await self._kept("finish_file", name)

    async def _call(self, method: str, *words: object) -> Untyped:
        """Call the actor; raises NodeLostError if it does not answer in time, or the node leaves."""
        calling = asyncio.ensure_future(self._calls.call(method, *words))
        gone = asyncio.ensure_future(self._gone.wait())
        try:
            await asyncio.wait({calling, gone}, timeout=CALL_S, return_when=asyncio.FIRST_COMPLETED)
            if calling.done():
                return calling.result()
            raise NodeLostError("it has left" if gone.done() else f"no answer for {CALL_S:g} s")
        finally:
            calling.cancel()
            gone.cancel()

    async def _kept(self, method: str, *words: object) -> None:
        if why := await self._call(method, *words):
            raise UnusableNodeError(why)

    async def follow(self) -> str:
        """Take the words of the node until it is lost; return why."""
        loop, messages = asyncio.get_running_loop(), reader()
        heard = loop.time()
        self._exchange.send(b"")
        try:
            while True:
                async with asyncio.timeout_at(heard + self._lost_s):
                    news, ended = await self._exchange.news()
                for message in messages.receive(news):
                    if isinstance(message, Alive):
                        heard, self._status.heard, self._status.plies = loop.time(), now(), message.plies
                    self.take(message)
                if ended:
                    return f"its table process {ended}"
        except TimeoutError:
            return f"no word for {self._lost_s:g} s"
        except NodeLostError as error:
            return str(error)
        finally:
            self._exchange.close()

    def leave(self, why: str) -> None:
        """Close the tables: their games are void."""
        self.is_open = False
        self._gone.set()
        self.lose(f"node {self.name} {why}")

    async def probe_again(self, names: Sequence[str], parcel: Parcel) -> None:
        """Start players that did not start here, or that are new; those that start can play from now on."""
        sought = [name for name in names if name in self.cannot or name not in self.probed]
        if sought and self.is_open:
            try:
                await self.probe_players(sought, parcel)
            except UnusableNodeError as error:
                self._note(sought, dict.fromkeys(sought, str(error)))
            except (NodeLostError, MachineError):  # it will be lost, or says it again
                return

    async def probe_players(self, names: Sequence[str], parcel: Parcel) -> None:
        """Start players, and note those that do not start here.

        Raises:
            NodeLostError: the node does not answer.
            UnusableNodeError: it has no room for their models.
            MachineError: it is lost, or cannot start any player.

        """
        async with self._enrolling:
            await self._enrol(parcel)
        self._note(names, await self.probe(names))

    def _note(self, names: Sequence[str], failures: Mapping[str, str]) -> None:
        """Note the players that were asked for, and those of them that do not start here."""
        self.probed.update(names)
        self.cannot = {name: why for name, why in self.cannot.items() if name not in names} | {**failures}
        self._status.cannot = self.cannot

    async def _enrol(self, parcel: Parcel) -> None:
        """Let the node know players that are new."""
        known = {player.name for player in self._setup.schedule.players}
        added = tuple(player.name for player in parcel.schedule.players if player.name not in known)
        if added:
            for name in await self._call("missing", list(parcel.files)):
                await self._send_file(parcel, name)
            await self._call("enrol", msgspec.msgpack.encode(Enrol(parcel.schedule, added)))
            self._setup = replace(self._setup, schedule=parcel.schedule)

    async def close(self) -> None:
        """End the players at the node."""
        with suppress(NodeLostError, TimeoutError):
            async with asyncio.timeout(self._lost_s):
                await self._calls.call("close")

    # --- games --------------------------------------------------------------------------------------------------------

    def can_play(self, game: PlannedGame) -> bool:
        """Return whether both players start here."""
        return self.is_open and not game.among(self.cannot)

    def may_play(self, game: PlannedGame) -> bool:
        """Return whether both players start here, and no other node shall have the game first."""
        if not self.can_play(game):
            return False
        return not self.avoids(game) or not self._elsewhere(game, self)

    def avoids(self, game: PlannedGame) -> bool:
        """Return whether the game was void here: another node shall have it first."""
        return game.id in self._avoided

    def judged(self, answer: FinishedLease | VoidedLease) -> FinishedLease | VoidedLease:
        """Count an answer. A player's failure may be the node's, and is excused once."""
        if isinstance(answer, FinishedLease) and (why := self._excuse(answer)):
            answer = VoidedLease(answer.lease, f"node {self.name}: {why}")
            self._excused.add(answer.lease.game.id)
        game = answer.lease.game
        if isinstance(answer, VoidedLease):
            if answer.dispute is None:
                self._count_void(game, answer)
            else:
                self._voids = 0  # the node has played the game
            return answer
        self._status.games += 1
        self._voids = 0
        self._proven.update(_proven(answer.record))
        return answer

    def _count_void(self, game: PlannedGame, answer: VoidedLease) -> None:
        self._avoided.add(game.id)
        self._status.void += 1
        if self.is_open and not (answer.isolated or answer.absent):
            self._voids += 1
            self.last_void = answer.why
            if self._voids == VOIDS_IN_A_ROW:
                self.hopeless.set()

    def _excuse(self, answer: FinishedLease) -> str:
        """Return why a failure may be the node's: the player has never played here, and there are other nodes."""
        record, game = answer.record, answer.lease.game
        name = record.loser
        if record.termination not in FAILURES or name is None or name in self._proven or game.id in self._excused:
            return ""
        if record.moves_of(int(name == record.second)) or not self._elsewhere(game, self):
            return ""
        return f"{record.detail} before its first move at this node"


def _proven(record: GameRecord) -> Sequence[str]:
    """Return the players that moved in a finished game, and did not fail in it."""
    failed = record.loser if record.termination in FAILURES else None
    sides = enumerate((record.first, record.second))
    return [name for side, name in sides if name != failed and record.moves_of(side)]
