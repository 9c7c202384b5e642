"""Much output of a player: its own turns, its own budget, and the moment at which it came."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable

import pytest

from fiedler import games
from fiedler.games.coordinates import coordinates
from fiedler.protocol import DIALECTS, Client, Limit
from fiedler.protocol.flood import LINES
from fiedler.tournament.play.session import Fault, PlayerSession
from fiedler.tournament.termination import Termination
from tests.patience import PATIENCE

GAME = "gomoku15"


class Wire:
    """A carrier without a player."""

    def __init__(self) -> None:
        self.is_read = True
        self.aborted = False
        self.sent = b""

    def write(self, data: bytes) -> None:
        self.sent += data

    def pause_reading(self) -> None:
        self.is_read = False

    def resume_reading(self) -> None:
        self.is_read = True

    def has_unread(self) -> bool:
        return False

    def abort(self) -> None:
        self.aborted = True

    async def close(self) -> None: ...


class Listener:
    """Notes moves with their moments."""

    def __init__(self) -> None:
        self.moves: list[tuple[str | None, float]] = []
        self.faults: list[Fault] = []

    def moved(self, session: PlayerSession, move: str | None, came: float) -> None:
        self.moves.append((move, came))

    def lost(self, session: PlayerSession, fault: Fault) -> None:
        self.faults.append(fault)


class Talk:
    """A session with a player of a dialect that has been greeted."""

    def __init__(self, dialect: str = "ugi") -> None:
        self.wire, self.listener = Wire(), Listener()
        self.client: Client = DIALECTS[dialect].client(coordinates(games.game(GAME), DIALECTS[dialect].coordinates))
        self.parsed = 0
        """Bytes that were read as lines."""
        self._count(self.client)
        self.session = PlayerSession("a", self.wire, None, self.client)
        self._greet(
            {"ugi": b"ugiok\n", "gomocup": b"OK\n", "gtp": b"= a\n\n= play\ngenmove\n\n=\n\n"}.get(dialect, b"")
        )

    def _count(self, client: Client) -> None:
        receive = client.receive_data

        def counted(data: bytes) -> None:
            self.parsed += len(data)
            receive(data)

        client.receive_data = counted  # type: ignore[method-assign]

    def _greet(self, answer: bytes) -> None:
        self.client.greet()
        self.client.data_to_send()
        if answer:
            self.session.feed(answer)
        self.session.listener = self.listener

    def ask(self, *moves: str) -> None:
        self.session.go([*moves], Limit(movetime_ms=100))

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():  # noqa: ASYNC110 - a fact of a real loop
                await asyncio.sleep(0.001)


MOVE = {"ugi": b"bestmove h8\n", "rowcol": b"7 7\n", "gomocup": b"7,7\n", "gtp": b"= H8\n\n"}
JUNK = {"ugi": b"info x y\n", "rowcol": b"\n", "gomocup": b"MESSAGE x\n", "gtp": b"x\n"}


@pytest.mark.parametrize("dialect", MOVE)
async def test_lines_that_nobody_asked_for_are_hardly_read(dialect: str) -> None:
    talk = Talk(dialect)
    talk.ask()
    talk.session.feed(MOVE[dialect])
    assert [move for move, _ in talk.listener.moves] == ["h8"]
    for _ in range(3):
        talk.parsed = 0
        talk.session.feed(b"x\n" * (LINES // 4))
        assert talk.parsed < 100
    assert talk.session.fault is None


@pytest.mark.parametrize("more", [b"bestmove a1\n", b"x\n" * 9000 + b"bestmove a1\n"])
async def test_a_second_answer_is_not_that_to_the_next_question(more: bytes) -> None:
    """A side may move twice in a row: its next question follows the first answer at once."""
    talk = Talk()
    talk.ask()

    def again(session: PlayerSession, move: str | None, came: float) -> None:
        moved(session, move, came)
        if len(talk.listener.moves) == 1:
            talk.ask("h8")

    moved, talk.listener.moved = talk.listener.moved, again  # type: ignore[method-assign]
    talk.session.feed(MOVE["ugi"] + more)
    await talk.until(lambda: not talk.session._inflow.waiting)
    assert [move for move, _ in talk.listener.moves] == ["h8"]
    talk.session.feed(b"bestmove b2\n")
    assert [move for move, _ in talk.listener.moves] == ["h8", "b2"]
    assert talk.session.fault is None


@pytest.mark.parametrize("dialect", MOVE)
async def test_lines_after_a_move_are_hardly_read(dialect: str) -> None:
    talk = Talk(dialect)
    talk.ask()
    talk.parsed = 0
    talk.session.feed(MOVE[dialect] + b"x\n" * 30_000)
    assert [move for move, _ in talk.listener.moves] == ["h8"]
    await talk.until(lambda: not talk.session._inflow.waiting)
    assert talk.parsed < 1000
    talk.session.feed(b"y\n" * (LINES + 1))
    assert talk.session.fault is not None
    assert talk.session.fault.detail.endswith("lines within a second without being asked")


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("dialect", MOVE)
async def test_many_lines_that_nobody_asked_for_are_a_disconnect(dialect: str, end: bytes) -> None:
    talk = Talk(dialect)
    talk.ask()
    talk.session.feed(MOVE[dialect])
    talk.session.feed((b"x" + end) * (LINES + 1))
    assert talk.session.fault == Fault(Termination.DISCONNECT, "sent 100,001 lines within a second without being asked")
    assert talk.wire.aborted
    assert talk.listener.faults == [talk.session.fault]


async def test_a_move_after_many_lines_came_with_its_bytes() -> None:
    talk = Talk()
    talk.ask()
    before = time.monotonic()
    talk.session.feed(b"x\n" * 20_000 + MOVE["ugi"])
    after = time.monotonic()
    assert talk.parsed < 40_000
    assert not talk.wire.is_read
    assert before <= talk.session.waits_since <= after
    await talk.until(lambda: bool(talk.listener.moves) or talk.session.fault is not None)
    assert talk.session.fault is None
    [(move, came)] = talk.listener.moves
    assert move == "h8"
    assert before <= came <= after
    await talk.until(lambda: talk.wire.is_read)
    assert talk.session.waits_since == math.inf


async def test_a_short_answer_came_with_its_bytes() -> None:
    talk = Talk()
    for data in (MOVE["ugi"], b"info depth 1\r\nx\n" + MOVE["ugi"]):
        talk.ask()
        before = time.monotonic()
        talk.session.feed(data)
        move, came = talk.listener.moves[-1]
        assert move == "h8"
        assert before <= came <= time.monotonic()


async def test_the_end_of_the_stream_comes_after_the_lines_before_it() -> None:
    talk = Talk()
    talk.ask()
    talk.session.feed(b"x\n" * 10_000 + MOVE["ugi"])
    talk.session.ended("closed the connection")
    assert talk.session.fault is None
    await talk.until(lambda: talk.session.fault is not None)
    assert [move for move, _ in talk.listener.moves] == ["h8"]
    fault = talk.session.fault
    assert fault is not None
    assert fault.detail.startswith("closed the connection")


async def test_lines_of_before_a_question_do_not_answer_it() -> None:
    talk = Talk()
    talk.ask()
    talk.session.feed(MOVE["ugi"] + b"x\n" * 30 + b"y\n" * 2000 + b"bestmove a1\n" * 2000 + b"best")
    assert [move for move, _ in talk.listener.moves] == ["h8"]
    talk.ask("h8", "a1")
    assert talk.wire.is_read
    talk.session.feed(b"move b2\n")
    await asyncio.sleep(0.02)
    assert [move for move, _ in talk.listener.moves] == ["h8", "b2"]


async def test_endless_lines_in_place_of_a_move_use_the_budget_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fiedler.protocol.flood.WORK_S", 0.02)
    talk = Talk()
    talk.ask()

    async def print_on() -> None:
        while talk.session.fault is None:
            if talk.wire.is_read:
                talk.session.feed(b"x\n" * 4000)
            await asyncio.sleep(0)

    async with asyncio.timeout(PATIENCE):
        await print_on()
    fault = talk.session.fault
    assert fault is not None
    assert fault.termination == "disconnect"
    assert fault.detail.startswith("sent ")
    assert "without being asked" not in fault.detail
    assert talk.wire.is_read, "the end is noticed"
