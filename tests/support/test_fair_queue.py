"""Turns of equal time."""

from __future__ import annotations

import asyncio
import time

import pytest

from fiedler.support import fair_queue as order
from fiedler.support.fair_queue import Enough, FairQueue
from tests.patience import PATIENCE


class Endless:
    """Always has more to do, and uses all of its time."""

    def __init__(self, name: str, received: list[str]) -> None:
        self.heavy_until = 0.0
        self._name = name
        self._heard = received

    def take_turn(self, enough: Enough) -> bool:
        self._heard.append(self._name)
        while not enough():
            pass
        return True


class Brief(Endless):
    """Has one step to do."""

    def take_turn(self, enough: Enough) -> bool:
        self._heard.append(self._name)
        return False


async def until(received: list[str], count: int) -> None:
    for _ in range(int(PATIENCE / 0.001)):
        if len(received) >= count:
            return
        await asyncio.sleep(0.001)
    raise AssertionError(received)


async def test_each_has_a_turn_and_goes_to_the_end_of_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(order, "REST_SECONDS", 0.1)  # a busy machine pauses for longer than 1 ms
    received, queue = list[str](), FairQueue()
    for talker in (Endless("a", received), Endless("b", received), Brief("c", received)):
        queue.join(talker)
        queue.join(talker)  # a waiting talker keeps one place
    await until(received, 7)
    assert "c" in received[:6]  # at most one turn of the two others comes before each of its queue
    assert abs(received[:7].count("a") - received[:7].count("b")) <= 2  # `a` may have two turns before `b`
    queue.join(Brief("d", received))
    await until(received, len(received) + 3)
    assert "d" in received[7:]


async def test_small_requests_come_between_two_turns() -> None:
    received, queue, passed = list[str](), FairQueue(), list[int]()
    queue.join(Endless("a", received))
    while len(received) < 10:
        await asyncio.sleep(0)
        passed.append(len(received))
    assert sorted(set(passed)) == list(range(passed[0], 11))


async def test_a_talker_that_uses_up_its_turn_rests_and_a_small_request_passes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(order, "HEAVY_REST_SECONDS", 1.0)  # a busy machine pauses for longer than 9 ms
    monkeypatch.setattr(order, "HEAVY_SECONDS", PATIENCE)
    received, queue, began = list[str](), FairQueue(), time.monotonic()
    queue.note_small_request()
    queue.join(Endless("a", received))
    await until(received, 1)
    queue.join(Endless("b", received), heavy=True)
    queue.join(Brief("c", received))
    await until(received, 4)
    assert "".join(received[:4]) == "acab"
    assert time.monotonic() - began > 0.8


class Broken(Brief):
    """Fails at its turn."""

    def take_turn(self, enough: Enough) -> bool:
        super().take_turn(enough)
        raise RuntimeError


async def test_the_failure_of_one_stops_no_other() -> None:
    reported: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(repr(context["exception"])))
    received, queue = list[str](), FairQueue()
    for talker in (Broken("a", received), Brief("b", received), Broken("c", received), Brief("d", received)):
        queue.join(talker)
    await until(received, 4)
    assert received == ["a", "b", "c", "d"]
    assert reported == ["RuntimeError()"] * 2


async def test_many_small_requests_share_a_turn() -> None:
    received, queue = list[str](), FairQueue()
    for number in range(50):
        queue.join(Brief(str(number), received))
    await until(received, 50)
    assert received == [str(number) for number in range(50)]
