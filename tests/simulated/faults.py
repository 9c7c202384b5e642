"""What goes wrong in a simulation, and when: drawn from its seed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from fiedler.tournament.run.events import Began
from tests.simulated.machines import Machine
from tests.simulated.virtual_loop import Process

if TYPE_CHECKING:
    from tests.simulated.world import World

SPAN_S = 60.0
"""The time within which faults begin; a third of them while the players of the first nodes start."""
MOST = 4
"""The most faults of a seed."""
SHORT_S = (1.0, 5.0, 7.0, 9.0, 11.0, 15.0, 60.0)
"""Lengths of a freeze or a cut, around the moment when a node is lost."""


async def inject(world: World) -> None:
    """Let the faults of a seed happen."""
    chance = world.chance
    if chance.random() < 0.1:
        world.happen("players crash")
        _break_players(world)
        return
    times = sorted(chance.uniform(0.0, chance.choice((3.0, SPAN_S, SPAN_S))) for _ in range(chance.randint(1, MOST)))
    for at in times:
        await asyncio.sleep(max(0.0, world.seconds_to(at)))
        name = chance.choice(sorted(FAULTS))
        world.happen(name)
        FAULTS[name](world)


def _later(world: World, seconds: float, call: Callable[[], object]) -> None:
    world.loop.call_later(seconds, call)


def _machine(world: World) -> Machine | None:
    up = world.cluster.up()
    return world.chance.choice(up) if up else None


def _short(world: World) -> float:
    return world.chance.choice(SHORT_S) * world.chance.uniform(0.8, 1.2)


def _break_players(world: World) -> None:
    """Let a machine join on which the programs of players crash before their first move, while another one plays."""
    machine = world.cluster.machines[0]
    if len(world.cluster.machines) > 1:
        machine.is_listed = False
        machine.broken_until = world.loop.time() + world.chance.uniform(10.0, 60.0)
        _later(world, 5.0, machine.join)


def _crash(world: World) -> None:
    if (machine := _machine(world)) is not None:
        machine.crash()
        for line in machine.lines:
            line.reset()
        _later(world, world.chance.uniform(3.0, 120.0), lambda: world.cluster.restart(machine))


def _freeze(world: World) -> None:
    if (machine := _machine(world)) is not None:
        machine.freeze()
        _later(world, _short(world), machine.thaw)


def _tables(world: World) -> list[Process]:
    actors = [process for machine in world.cluster.up() for process in machine.processes if process.runs]
    return [child for actor in actors for child in actor.children if child.runs]


def _freeze_table(world: World) -> None:
    if tables := _tables(world):
        table = world.chance.choice(tables)
        table.freeze()
        _later(world, _short(world), table.thaw)


def _kill_table(world: World) -> None:
    if tables := _tables(world):
        world.chance.choice(tables).die()


def _kill_idle_player(world: World) -> None:
    if idle := [player for table in _tables(world) for player in world.idle(table)]:
        world.chance.choice(idle).die()


def _kill_actor(world: World) -> None:
    if (machine := _machine(world)) is not None and machine.processes:
        machine.processes[-1].die()


def _freeze_actor(world: World) -> None:
    if (machine := _machine(world)) is not None and machine.processes:
        actor = machine.processes[-1]
        actor.freeze()
        _later(world, _short(world), actor.thaw)


def _cut(world: World) -> None:
    if (machine := _machine(world)) is not None:
        machine.cut_to_until = machine.cut_from_until = world.loop.time() + _short(world)


def _cut_to(world: World) -> None:
    if (machine := _machine(world)) is not None:
        machine.cut_to_until = world.loop.time() + _short(world)


def _cut_from(world: World) -> None:
    if (machine := _machine(world)) is not None:
        machine.cut_from_until = world.loop.time() + _short(world)


def _mishap(world: World, name: str) -> None:
    if (machine := _machine(world)) is not None:
        machine.mishap = name
        machine.spares_questions = name == "doubled" or world.chance.random() < 0.5


def _lose_message(world: World) -> None:
    _mishap(world, "lost")


def _double_message(world: World) -> None:
    _mishap(world, "doubled")


def _delay_message(world: World) -> None:
    _mishap(world, "late")


def _slow(world: World) -> None:
    if (machine := _machine(world)) is not None:
        machine.slow_until = world.loop.time() + world.chance.uniform(1.0, 60.0)


def _reset(world: World) -> None:
    if (machine := _machine(world)) is not None:
        for line in machine.lines:
            line.reset()


def _kill_manager(world: World) -> None:
    world.kill(world.start)


def _freeze_manager(world: World) -> None:
    process = world.start.process
    process.freeze()
    _later(world, _short(world), process.thaw)


def _replace_manager(world: World) -> None:
    """Let another machine start the run again, in the same folder, while the manager is frozen; then it goes on."""
    start = world.start
    has_begun = any(isinstance(event, Began) for event in start.events)
    if has_begun and not start.ended.done():
        start.process.freeze()
        start.is_replaced = True
        start.ended.set_result("replaced")
        _later(world, world.chance.uniform(1.0, 90.0), start.process.thaw)


def _break_write(world: World) -> None:
    world.disk.fault = "error"


def _cut_power(world: World) -> None:
    world.disk.fault = "torn"


def _jump(world: World) -> None:
    world.jumped_s += world.chance.uniform(-3600.0, 3600.0)


FAULTS: dict[str, Callable[[World], None]] = {
    "actor frozen": _freeze_actor,
    "actor killed": _kill_actor,
    "clock jumps": _jump,
    "line reset": _reset,
    "machine crashes": _crash,
    "machine cut off": _cut,
    "machine frozen": _freeze,
    "machine receives nothing": _cut_to,
    "machine sends nothing": _cut_from,
    "machine slow": _slow,
    "manager frozen": _freeze_manager,
    "manager killed": _kill_manager,
    "manager replaced": _replace_manager,
    "message doubled": _double_message,
    "message late": _delay_message,
    "message lost": _lose_message,
    "player killed between its games": _kill_idle_player,
    "power fails in a write": _cut_power,
    "table frozen": _freeze_table,
    "table killed": _kill_table,
    "write fails": _break_write,
}
