"""The machines of a simulated cluster, and the lines to them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any

from fiedler.tournament.cluster.address import ClusterAddress
from fiedler.tournament.cluster.cluster import NodeCalls, NodeLostError, NodePlace
from fiedler.tournament.cluster.exchange import HEARD
from fiedler.tournament.cluster.node import NodeActor
from fiedler.tournament.run.lease import FinishedLease
from fiedler.tournament.run.remote_tables import reader
from fiedler.tournament.run.table_messages import encoded
from tests.simulated.virtual_loop import PROCESS, Process

DEAD = "its actor has ended"
RESET = "its actor cannot be reached"
NOTICED_S = (0.02, 2.2)
"""The seconds until Ray tells of a dead actor."""
UNNOTICED_S = 60.0
"""Those until it tells of a machine that is off, or cut off."""
LATE_S = (0.0, 5.0)
"""The seconds by which a late message, or the second one of two, comes later than in its turn."""


class Machine:
    """A machine of the cluster: it freezes, is cut off, is slow, and loses its power."""

    def __init__(self, number: int, life: int, cpus: int, chance: Random) -> None:
        self.name = f"machine{number}"
        self.place = NodePlace(f"{self.name}-{life}", f"10.0.0.{number}", cpus)
        self.processes: list[Process] = []
        self.lines: list[Line] = []
        self.is_off = False
        self.is_listed = True
        """Whether the cluster names it."""
        self.mishap = ""
        """What happens to the next message on its lines: `lost`, `doubled`, `late`."""
        self.spares_questions = False
        """Whether that is the next message that carries more than a question for news: those are many."""
        self.cut_to_until = self.cut_from_until = 0.0
        """The ends of the cuts of its lines: to it, and from it."""
        self.slow_until = 0.0
        self.broken_until = 0.0
        """Programs of players that start before crash at their first move."""
        self._chance = chance

    def freeze(self) -> None:
        for process in _all(self.processes):
            process.freeze()

    def thaw(self) -> None:
        for process in _all(self.processes):
            process.thaw()

    def join(self) -> None:
        """Join the cluster."""
        self.is_listed = True

    def crash(self) -> None:
        """Lose the power."""
        self.is_off = True
        for process in self.processes:
            process.die()

    def arrival(self, now: float, *, there: bool) -> float:
        """Return when a message that is sent now arrives; `there`: it is one to the machine."""
        delay = self._chance.uniform(0.0, 3.0 if now < self.slow_until else 0.02)
        return max(now, self.cut_to_until if there else self.cut_from_until) + delay

    def mishap_of(self, *, asks: bool) -> str:
        """Return what happens to a message that is sent now, once."""
        if asks and self.spares_questions:
            return ""
        mishap, self.mishap = self.mishap, ""
        return mishap

    def noticed_s(self, now: float) -> float:
        """Return the seconds until the manager is informed of the death of an actor."""
        return UNNOTICED_S if self.is_off or now < self.cut_from_until else self._chance.uniform(*NOTICED_S)


def _all(processes: list[Process]) -> list[Process]:
    return [one for process in processes for one in (process, *_all(process.children))]


class Line:
    """The calls of a manager to its actor on a machine. Each direction keeps the order of its messages.

    By a mishap a single message is lost, arrives later than others, or twice, the second time without an answer.
    """

    def __init__(self, machine: Machine, cache_mb: int, chance: Random) -> None:
        manager = PROCESS.get()
        assert manager is not None
        self._loop = asyncio.get_running_loop()
        self.manager = manager
        self.actor = Process(f"{machine.name}/actor")
        self._machine = machine
        self._chance = chance
        self._node = self.actor.context.run(NodeActor, cache_mb)
        self._arrivals = {self.manager: 0.0, self.actor: 0.0}
        self._waiting: dict[asyncio.Future[Any], None] = {}
        self._resets = 0
        self.is_given_up = False
        """Whether the manager was told that the actor cannot be reached: it does not wait for the fence then."""
        self._lost = ""
        self._echo = b""
        self.actor.at_death = self._died
        machine.processes.append(self.actor)
        machine.lines.append(self)
        if machine.is_off:
            self.actor.die()

    async def call(self, method: str, *words: object) -> object:
        if self._lost:
            raise NodeLostError(self._lost)
        answer = self._loop.create_future()
        self._waiting[answer] = None
        self._send(self._machine.mishap_of(asks=HEARD in words), self.actor, self._do, method, words, answer)
        try:
            return await answer
        finally:
            del self._waiting[answer]

    def end(self) -> None:
        """Have the actor killed, which a machine that is cut off does not hear before the end of the cut."""
        self._loop.call_at(self._arrival(self.actor), self.actor.die)

    def reset(self) -> None:
        """Lose all messages under way, and fail the calls."""
        self._resets += 1
        self.is_given_up = True
        self._loop.call_soon(self._fail, RESET, context=self.manager.context)

    def _send(self, mishap: str, receiver: Process, call: Callable[..., None], *words: Any) -> None:
        """Have a message arrive after those before it, unless there is a mishap."""
        arrival = max(self._arrivals[receiver], self._arrival(receiver))
        if mishap == "late":
            arrival += self._chance.uniform(*LATE_S)
        else:
            self._arrivals[receiver] = arrival
        if mishap != "lost":
            self._loop.call_at(arrival, self._arrive, self._resets, call, words, context=receiver.context)
        if mishap == "doubled":
            again = arrival + self._chance.uniform(*LATE_S)
            words = *words[:-1], None
            self._loop.call_at(again, self._arrive, self._resets, call, words, context=receiver.context)

    def _arrival(self, receiver: Process) -> float:
        return self._machine.arrival(self._loop.time(), there=receiver is self.actor)

    def _arrive(self, resets: int, call: Callable[..., None], words: tuple[Any, ...]) -> None:
        if resets == self._resets:
            call(*words)

    def _do(self, method: str, words: tuple[Any, ...], answer: asyncio.Future[Any] | None) -> None:
        """Do a call at the node, and send its result back if somebody waits for it."""
        task = self._loop.create_task(getattr(self._node, method)(*words))

        def answered(done: asyncio.Task[Any]) -> None:
            if answer is not None and not done.cancelled():
                result = self._echoed(*done.result()) if method == "exchange" else done.result()
                self._send(self._machine.mishap_of(asks=True), self.manager, _resolve, answer, result)

        task.add_done_callback(answered)

    def _echoed(self, news: bytes, ended: str) -> tuple[bytes, str]:
        """Return news with some records a second time, late."""
        echo, self._echo = self._echo, b""
        for message in reader().receive(news):
            if isinstance(message, FinishedLease) and self._chance.random() < 0.2:
                self._echo += encoded(message)
        return news + echo, ended

    def _died(self, _: int) -> None:
        now = self._loop.time()
        self._loop.call_at(now + self._machine.noticed_s(now), self._fail, DEAD, context=self.manager.context)

    def _fail(self, why: str) -> None:
        self._lost = self._lost or (why if why == DEAD else "")
        for answer in self._waiting:
            if not answer.done():
                answer.set_exception(NodeLostError(why))


def _resolve(answer: asyncio.Future[Any], result: object) -> None:
    if not answer.done():
        answer.set_result(result)


class SimulatedCluster:
    """Machines that crash and come back."""

    def __init__(self, number: int, cpus: int, chance: Random) -> None:
        self.address = ClusterAddress(local=number)
        self.is_local = True
        self.machines = [Machine(place + 1, 1, cpus, chance) for place in range(number)]
        self._chance = chance
        self._lives = 1

    def places(self) -> list[NodePlace]:
        return [machine.place for machine in self.machines if machine.is_listed]

    def actor(self, place: NodePlace, cpus: int, cache_mb: int) -> NodeCalls:
        machine = next(one for one in self.machines if one.place == place)
        return Line(machine, cache_mb, self._chance)

    def restart(self, machine: Machine) -> None:
        """Let a crashed machine come back, under a new number."""
        machine.is_listed = False
        self._lives += 1
        number = int(machine.place.address.rpartition(".")[2])
        self.machines.append(Machine(number, self._lives, machine.place.cpus, self._chance))

    def up(self) -> list[Machine]:
        """Return the machines that are on."""
        return [machine for machine in self.machines if not machine.is_off]
