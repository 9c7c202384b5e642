"""Turns of equal time, and the threads that are lent."""

from __future__ import annotations

import asyncio
import threading

from engine.crew import Crew
from engine.turns import Enough, Turns
from tests.patience import PATIENCE, wait_until


class Endless:
    """Always has more to say, and uses all the time that there is."""

    def __init__(self, name: str, heard: list[str]) -> None:
        self._name = name
        self._heard = heard

    def take_turn(self, enough: Enough) -> bool:
        self._heard.append(self._name)
        while not enough():
            pass
        return True


class Brief(Endless):
    """Has one thing to say."""

    def take_turn(self, enough: Enough) -> bool:
        self._heard.append(self._name)
        return False


async def until(heard: list[str], count: int) -> None:
    for _ in range(int(PATIENCE / 0.001)):
        if len(heard) >= count:
            return
        await asyncio.sleep(0.001)
    raise AssertionError(heard)


async def test_each_has_a_turn_and_goes_to_the_end_of_the_queue() -> None:
    heard, turns = list[str](), Turns()
    for talker in (Endless("a", heard), Endless("b", heard), Brief("c", heard)):
        turns.join(talker)
        turns.join(talker)  # who waits has one place
    await until(heard, 7)
    assert "".join(heard[:7]) == "abcabab"
    turns.join(Brief("d", heard))
    await until(heard, len(heard) + 3)
    assert "d" in heard[7:]


async def test_those_who_say_little_come_between_two_turns() -> None:
    heard, turns, passed = list[str](), Turns(), list[int]()
    turns.join(Endless("a", heard))
    while len(heard) < 10:
        await asyncio.sleep(0)
        passed.append(len(heard))
    assert sorted(set(passed)) == list(range(passed[0], 11))


async def test_many_who_say_little_share_a_turn() -> None:
    heard, turns = list[str](), Turns()
    for number in range(50):
        turns.join(Brief(str(number), heard))
    await until(heard, 50)
    assert heard == [str(number) for number in range(50)]


def test_jobs_run_side_by_side_and_an_idle_thread_is_lent_again() -> None:
    crew, met, threads = Crew(), threading.Barrier(3), list[int]()

    def job() -> None:
        met.wait(PATIENCE)
        threads.append(threading.get_ident())

    for _ in range(2):
        for _ in range(2):
            crew.work(job)
        met.wait(PATIENCE)
        wait_until(lambda: crew._idle._value == 2)
    assert len(threads) == 4
    assert len(set(threads)) == 2
    crew.dismiss()
    wait_until(lambda: crew.gone)


def test_who_works_is_not_gone() -> None:
    crew, gate = Crew(), threading.Event()

    def job() -> None:
        gate.wait(PATIENCE)

    crew.work(job)
    crew.dismiss()
    assert not crew.gone
    gate.set()
    wait_until(lambda: crew.gone)
