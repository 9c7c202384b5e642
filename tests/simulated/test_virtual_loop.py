"""The loop of a simulation: time jumps, processes freeze and die."""

from __future__ import annotations

import asyncio

import pytest

from tests.simulated.virtual_loop import BEGINNING, Process, StuckError, VirtualLoop


async def _tick(ticks: list[float], number: int) -> None:
    for _ in range(number):
        ticks.append(asyncio.get_running_loop().time() - BEGINNING)
        await asyncio.sleep(1)


def test_an_hour_passes_at_once() -> None:
    loop = VirtualLoop()
    loop.run(asyncio.sleep(3600))
    assert loop.time() == BEGINNING + 3600


def test_a_timeout_and_a_thread_are_those_of_the_loop() -> None:
    async def main() -> list[str]:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5):
                await asyncio.sleep(6)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(asyncio.to_thread(str, 7))
        return [task.result(), f"{asyncio.get_running_loop().time() - BEGINNING:g}"]

    assert VirtualLoop().run(main()) == ["7", "5"]


def test_a_frozen_process_does_later_what_was_due() -> None:
    loop, process, ticks = VirtualLoop(), Process("frozen"), list[float]()

    async def main() -> None:
        task = loop.create_task(_tick(ticks, 4), context=process.context)
        await asyncio.sleep(1.5)
        process.freeze()
        await asyncio.sleep(10)
        process.thaw()
        await task

    loop.run(main())
    assert ticks == [0, 1, 11.5, 12.5]


def test_a_dead_process_does_nothing_more_and_its_children_die() -> None:
    loop, process, child, ticks = VirtualLoop(), Process("parent"), Process("child"), list[float]()
    process.children.append(child)

    async def main() -> None:
        loop.create_task(_tick(ticks, 4), context=process.context)
        loop.create_task(_tick(ticks, 4), context=child.context)
        await asyncio.sleep(1.5)
        process.die()
        await asyncio.sleep(10)

    loop.run(main())
    assert ticks == [0, 0, 1, 1]
    assert child.is_dead


def test_a_run_that_hangs_is_noticed() -> None:
    loop = VirtualLoop()
    with pytest.raises(StuckError, match="nothing more will happen"):
        loop.run(_never())
    loop.bound = BEGINNING + 60
    with pytest.raises(StuckError, match="not over after 70 s"):
        loop.run(asyncio.sleep(70))


def test_an_error_that_nobody_reads_is_known() -> None:
    loop, process = VirtualLoop(), Process("fails")

    async def main() -> asyncio.Task[None]:
        failing = loop.create_task(_fail(), context=process.context)
        await asyncio.sleep(1)
        return failing

    failing = loop.run(main())
    assert loop.errors == ["nobody reads the error of _fail"]
    process.freeze()
    assert not loop.errors, "it may read it later"
    process.thaw()
    assert isinstance(failing.exception(), ValueError)
    assert not loop.errors


async def _fail() -> None:
    raise ValueError


async def _never() -> None:
    await asyncio.get_running_loop().create_future()
