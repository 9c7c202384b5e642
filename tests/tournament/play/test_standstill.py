"""A standstill is noticed, and a busy second is none."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from fiedler.tournament.play.standstill import Standstill
from tests.simulated.virtual_loop import Process, VirtualLoop


@pytest.mark.parametrize(("frozen_s", "noticed"), [(0.0, False), (0.9, False), (1.6, True), (30.0, True)])
@pytest.mark.parametrize("rest_s", [0.0, 5.0])
def test_a_standstill_is_noticed(
    monkeypatch: pytest.MonkeyPatch, frozen_s: float, noticed: bool, rest_s: float
) -> None:
    loop, process = VirtualLoop(), Process("table")
    monkeypatch.setattr("fiedler.tournament.play.standstill.time", SimpleNamespace(monotonic=loop.time))

    async def look() -> float:
        with Standstill(loop) as standstill:
            await asyncio.sleep(10.2 + frozen_s)
            await asyncio.sleep(rest_s)
            return standstill.seconds

    async def main() -> float:
        looking = loop.create_task(look(), context=process.context)
        await asyncio.sleep(10.2)
        process.freeze()
        await asyncio.sleep(frozen_s)
        process.thaw()
        return float(await looking)

    seconds = loop.run(main())
    assert (seconds > 0) == noticed
    assert abs(seconds - frozen_s) <= 0.5 or not noticed
