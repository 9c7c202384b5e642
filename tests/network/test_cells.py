"""Every cell of `docs/network.md`: a fault of the network, its word, and the time to it.

All cells of a session are tried at the same time, for nearly all of their time is waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import cast

import pytest

from tests.network.bed import Bed
from tests.network.faults import FAULTS
from tests.network.feed_bed import FeedBed
from tests.network.node_bed import NodeBed
from tests.network.page_bed import PageBed
from tests.network.player_bed import LIMITS, PlayerBed
from tests.network.table import Cell, cells
from tools.wire.wire import Wire

AT_ONCE, CLUSTERS = 8, 1
"""The most cells that are tried at the same time; of them those with a cluster of Ray, which takes 0.5 GB."""
PLAYERS = [f"{way}, {limit}" for way in ("address", "dials in") for limit in LIMITS]
NODE = "node"
ENDS = [*PLAYERS, "page", "feed", NODE]
QUICK = {
    "address, clock": ("100 ms", "64 kbit/s", "cut for 3 s", "cut for good", "frozen for 20 s"),
    "dials in, clock": ("one-way cut", "new address"),
    "address, nodes": ("power-off for 20 s",),
    "dials in, nodes": ("5 % loss", "reset"),
    "page": ("cut for 3 s",),
    "feed": ("reset",),
    NODE: (),
}
"""The cells of `make test`: they end soon."""

Outcomes = Mapping[str, BaseException | None]


def parameters() -> list[object]:
    """Return the cells; `make soak` tries those that are not quick."""
    return [
        pytest.param(cell, id=str(cell), marks=() if cell.fault in QUICK[cell.end] else pytest.mark.soak)
        for cell in cells()
    ]


def test_the_page_has_every_fault_at_every_end_once() -> None:
    assert sorted((cell.fault, cell.end) for cell in cells()) == sorted((one, end) for one in FAULTS for end in ENDS)


@pytest.fixture(scope="module")
def outcomes(request: pytest.FixtureRequest, wires: None, tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """Try all cells that this session tests; the failures by the names of the cells."""
    chosen: dict[Cell, Path] = {
        cast("Cell", item.callspec.params["cell"]): tmp_path_factory.mktemp("cell")
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.module is request.module and hasattr(item, "callspec")
    }
    return asyncio.run(_try_all(chosen))


@pytest.mark.parametrize("cell", parameters())
def test_a_fault_has_its_word_in_its_time(cell: Cell, outcomes: Outcomes) -> None:
    if (failure := outcomes[str(cell)]) is not None:
        raise failure


async def _try_all(chosen: Mapping[Cell, Path]) -> Outcomes:
    places, clusters = asyncio.Semaphore(AT_ONCE), asyncio.Semaphore(CLUSTERS)
    found = await asyncio.gather(
        *(_try(cell, folder, clusters if cell.end == NODE else places) for cell, folder in chosen.items()),
        return_exceptions=True,
    )
    return dict(zip(map(str, chosen), found, strict=True))


async def _try(cell: Cell, folder: Path, places: asyncio.Semaphore) -> None:
    """Try one cell; raises AssertionError or TimeoutError."""
    async with places:
        wire = Wire(seed=1)
        bed = _bed(cell.end, wire, folder)
        try:
            async with wire:
                await bed.start()
                await _fail(bed, cell)
        finally:
            await bed.close()


async def _fail(bed: Bed, cell: Cell) -> None:
    fault = FAULTS[cell.fault]
    bed.fault_lasts = fault.end is None
    await fault.begin(bed)
    end = asyncio.create_task(fault.rest(bed))
    bed.release()
    try:
        assert await bed.come_to(cell.word, cell.seconds) == cell.word, bed.said()
    finally:
        end.cancel()
        with suppress(asyncio.CancelledError):
            await end


def _bed(end: str, wire: Wire, folder: Path) -> Bed:
    if end in PLAYERS:
        return PlayerBed(wire, folder, end)
    beds: dict[str, type[PageBed | FeedBed | NodeBed]] = {"page": PageBed, "feed": FeedBed, NODE: NodeBed}
    return beds[end](wire, folder)
