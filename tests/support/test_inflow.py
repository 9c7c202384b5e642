"""Much input of an engine: in slices, in turns, and not read meanwhile."""

from __future__ import annotations

import asyncio

import pytest

from fiedler.protocol.flood import FLOOD_S, FREE, FREE_LINES, Flood
from fiedler.support.fair_queue import Enough
from fiedler.support.inflow import LINE, SLICE, Inflow
from tests.patience import PATIENCE


class Source:
    """Notes whether it is read."""

    def __init__(self) -> None:
        self.is_read = True
        self.pauses = 0

    def pause_reading(self) -> None:
        self.is_read = False
        self.pauses += 1

    def resume_reading(self) -> None:
        self.is_read = True


class Reader:
    """An engine's inflow, and the portions that were passed on."""

    def __init__(self) -> None:
        self.portions: list[bytes] = []
        self.spent = 0.0
        self.source = Source()
        self.inflow = Inflow(self.portions.append, self._spend, self.source)

    def _spend(self, seconds: float) -> None:
        self.spent += seconds

    async def all_read(self) -> bytes:
        async with asyncio.timeout(PATIENCE):
            while self.inflow.waiting:
                await self.inflow.turn()
        return b"".join(self.portions)


@pytest.fixture(autouse=True)
def slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn ends after three slices, on any machine."""

    def three(_: float) -> Enough:
        calls = iter((False, False))
        return lambda: next(calls, True)

    monkeypatch.setattr("fiedler.support.inflow.within", three)
    monkeypatch.setattr("fiedler.support.fair_queue.within", three)


async def test_short_input_is_passed_on_at_once() -> None:
    reader = Reader()
    reader.inflow.add(b"readyok\n")
    assert reader.portions == [b"readyok\n"]
    assert reader.source.pauses == 0
    assert reader.spent > 0


@pytest.mark.parametrize(("portion", "is_too_much"), [(b"info string x\n", False), (b"x\n" * 128, True)])
async def test_the_lines_of_short_portions_count(portion: bytes, is_too_much: bool) -> None:
    now, flood, too_much = 0.0, Flood(), list[bool]()
    inflow = Inflow(lambda _: None, lambda seconds: too_much.append(flood.works(seconds, lambda: now)))
    for _ in range(2000):  # in two seconds
        now += 0.001
        flood.count(portion)
        inflow.add(portion)
    assert any(too_much) == is_too_much


@pytest.mark.parametrize("portion", [b"x\n" * FREE_LINES, b"x" * FREE], ids=["lines", "bytes"])
def test_no_time_is_too_much_for_a_free_portion(portion: bytes) -> None:
    flood = Flood()
    flood.rises(len(portion), lambda: 0.0)
    flood.count(portion)
    assert not flood.works(3600.0, lambda: 0.0)
    flood.rises(2, lambda: 2 * FLOOD_S)
    flood.count(b"x\n")
    assert flood.works(0.0, lambda: 2 * FLOOD_S)
    flood.ask()
    assert not flood.works(3600.0, lambda: 2 * FLOOD_S)


async def test_much_input_waits_for_turns_and_is_not_read_meanwhile() -> None:
    reader, data = Reader(), bytes(range(256)) * 40
    reader.inflow.add(data)
    assert len(reader.portions) == 3
    assert all(SLICE <= len(portion) <= SLICE + LINE and portion[-1:] == b"\n" for portion in reader.portions)
    assert not reader.source.is_read
    assert await reader.all_read() == data
    assert reader.source.is_read
    assert not reader.inflow.is_paused


async def test_input_that_comes_meanwhile_keeps_its_order() -> None:
    reader, data = Reader(), b"x\n" * 2000
    reader.inflow.add(data)
    reader.inflow.add(b"bestmove a1\n")
    assert await reader.all_read() == data + b"bestmove a1\n"


async def test_much_input_of_a_heavy_engine_gets_no_time_before_its_turn() -> None:
    reader, data = Reader(), b"x\n" * 2000
    reader.inflow.add(data)
    await reader.all_read()
    before = len(reader.portions)
    reader.inflow.add(data)
    assert len(reader.portions) == before
    assert await reader.all_read() == 2 * data


async def test_heavy_engines_have_turns_one_after_the_other() -> None:
    readers = [Reader() for _ in range(3)]
    for reader in readers:
        reader.inflow.add(b"x\n" * 2000)
    while any(reader.inflow.waiting for reader in readers):
        counts = [len(reader.portions) for reader in readers if reader.inflow.waiting]
        assert max(counts) - min(counts) <= 6
        await asyncio.sleep(0.001)


async def test_dropped_input_is_not_passed_on() -> None:
    reader, data = Reader(), b"x\n" * 2000
    reader.inflow.add(data)
    rest = reader.inflow.clear()
    assert b"".join(reader.portions) + rest == data
    assert reader.source.is_read
    reader.inflow.add(b"readyok\n")
    assert reader.portions[-1] == b"readyok\n"


async def test_the_reader_may_drop_the_rest() -> None:
    inflow = Inflow(lambda _: calls.append(inflow.clear()), lambda _: None, Source())
    calls: list[bytes] = []
    inflow.add(b"x" * 2000)
    assert calls == [b"x" * (2000 - SLICE)]
    assert not inflow.waiting


async def test_a_resting_source_is_read_again() -> None:
    reader = Reader()
    reader.inflow.rest()
    assert not reader.source.is_read
    async with asyncio.timeout(PATIENCE):
        while not reader.source.is_read:  # noqa: ASYNC110 - a fact of a real loop
            await asyncio.sleep(0.001)
