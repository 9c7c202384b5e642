"""A game by agreement loses no failure, and leaves no question behind."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import cast

import pytest

from fiedler import games
from fiedler.protocol import Limit
from fiedler.protocol.ugi.queries import GAMEOVER, P1TURN
from fiedler.tournament.play.agreement import AgreementReferee
from fiedler.tournament.play.agreement_match import AgreementMatch
from fiedler.tournament.play.clock import make_clock
from fiedler.tournament.play.opinion import DisputeError
from fiedler.tournament.play.session import Fault, PlayerSession
from fiedler.tournament.schedule.schedule import LimitSection
from fiedler.tournament.termination import Termination
from tests.patience import PATIENCE

RUNNING = {GAMEOVER: "false", P1TURN: "true"}


class Asked:
    """A session whose answers a test gives; `say` is the next one, or a fault of our own code."""

    def __init__(self, name: str) -> None:
        self.player = name
        self.fault: Fault | None = None
        self.listener: AgreementMatch | None = None
        self.lag_credit = self.asked_from = 0.0
        self.mistake = self.wrong_answer = ""
        self.begun = asyncio.Event()
        self.thinks = asyncio.Event()
        self.next: asyncio.Future[Mapping[str, str]] = asyncio.get_running_loop().create_future()

    async def capabilities(self) -> frozenset[str]:
        return frozenset()

    async def answers(self, questions: Sequence[str], moves: Sequence[str]) -> Mapping[str, str]:
        assert (questions, moves) == ([GAMEOVER, P1TURN], [])
        self.begun.set()
        return await self.next

    def go(self, _moves: Sequence[str], _limit: Limit, _start: str) -> None:
        self.thinks.set()


class Asking:
    """A match whose players are being asked."""

    def __init__(self) -> None:
        self.sides = Asked("a"), Asked("b")
        referee = AgreementReferee(games.any_game("generic"), ())
        clock = make_clock(LimitSection(movetime_ms=3_600_000))
        sessions = cast("Sequence[PlayerSession]", self.sides)
        self.match = AgreementMatch(referee, clock, sessions, asyncio.get_running_loop())
        self.match.answer_s = PATIENCE
        self.task = asyncio.create_task(self.match.play())

    async def begun(self) -> None:
        for side in self.sides:
            await side.begun.wait()


async def begin() -> Asking:
    asking = Asking()
    await asking.begun()
    return asking


def bug(group: ExceptionGroup[Exception]) -> bool:
    return group.subgroup(ZeroDivisionError) is not None


def alone() -> bool:
    return asyncio.all_tasks() == {asyncio.current_task()}


def test_a_failure_of_ours_surfaces_also_after_the_end_of_the_game() -> None:
    async def check() -> None:
        asking = await begin()
        asking.match.gone(0, Fault(Termination.CRASH, "crashed"))
        asking.sides[0].next.set_result(RUNNING)
        asking.sides[1].next.set_exception(ZeroDivisionError())
        with pytest.raises(ExceptionGroup) as caught:
            await asking.task
        assert bug(caught.value)
        assert alone()

    asyncio.run(check())


def test_a_failure_of_ours_ends_the_questions_to_both() -> None:
    async def check() -> None:
        asking = await begin()
        asking.sides[0].next.set_exception(ZeroDivisionError())
        with pytest.raises(ExceptionGroup) as caught:
            await asking.task
        assert bug(caught.value)
        assert alone(), "nobody waits for the other one"
        assert all(side.listener is None for side in asking.sides)

    asyncio.run(check())


def test_a_dispute_is_not_wrapped() -> None:
    async def check() -> None:
        asking = await begin()
        asking.sides[0].next.set_result(RUNNING)
        asking.sides[1].next.set_result({GAMEOVER: "true"})
        with pytest.raises(DisputeError, match=GAMEOVER):
            await asking.task
        assert alone()

    asyncio.run(check())


def test_a_game_that_is_cancelled_asks_nobody_any_more() -> None:
    async def check() -> None:
        asking = await begin()
        asking.sides[0].next.set_result(RUNNING)
        asking.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking.task
        assert alone()
        assert not asking.sides[0].thinks.is_set()

    asyncio.run(check())


def test_the_end_waits_for_the_answers_of_the_other_player() -> None:
    async def check() -> None:
        asking = await begin()
        asking.match.gone(0, Fault(Termination.CRASH, "crashed"))
        await asyncio.wait({asking.task}, timeout=0)
        assert not asking.task.done()
        for side in asking.sides:
            side.next.set_result(RUNNING)
        outcome = await asking.task
        assert (outcome.termination, outcome.detail) == (Termination.CRASH, "a crashed")

    asyncio.run(check())
