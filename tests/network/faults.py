"""The faults of `docs/network.md`: how each begins and, if it does, ends."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from tests.network.bed import Bed
from tools.wire.lane import Quality
from tools.wire.wire import FAR, NEAR

Step = Callable[[Bed], Awaitable[None]]


class Fault(NamedTuple):
    begin: Step
    seconds: float = 0.0
    """The seconds from the begin to the end."""
    end: Step | None = None
    """None: the fault lasts."""

    async def rest(self, bed: Bed) -> None:
        """End the fault in its time."""
        if self.end is not None:
            await asyncio.sleep(self.seconds)
            await self.end(bed)


def _set(quality: Quality) -> Step:
    async def begin(bed: Bed) -> None:
        bed.wire.set(quality)

    return begin


def _cut(to: str | None = None) -> Step:
    async def begin(bed: Bed) -> None:
        bed.wire.cut(to=to)

    return begin


async def _heal(bed: Bed) -> None:
    bed.wire.heal()


async def _reset(bed: Bed) -> None:
    bed.wire.reset()


async def _power_off(bed: Bed) -> None:
    await bed.wire.power_off(FAR)


async def _power_on(bed: Bed) -> None:
    await bed.wire.power_on(FAR)
    await bed.start_peer()


def _signal(number: signal.Signals) -> Step:
    async def begin(bed: Bed) -> None:
        await bed.wire.hosts[FAR].signal(number)

    return begin


async def _move(bed: Bed) -> None:
    await bed.wire.hosts[FAR].move("10.99.0.3")


FAULTS = {
    "100 ms": Fault(_set(Quality(delay_s=0.1))),
    "5 % loss": Fault(_set(Quality(loss=0.05))),
    "64 kbit/s": Fault(_set(Quality(rate=64_000))),
    "cut for 3 s": Fault(_cut(), 3.0, _heal),
    "cut for 60 s": Fault(_cut(), 60.0, _heal),
    "cut for good": Fault(_cut()),
    "one-way cut": Fault(_cut(to=NEAR)),
    "reset": Fault(_reset),
    "power-off for 20 s": Fault(_power_off, 20.0, _power_on),
    "frozen for 20 s": Fault(_signal(signal.SIGSTOP), 20.0, _signal(signal.SIGCONT)),
    "new address": Fault(_move),
}
