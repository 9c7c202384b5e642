"""Engines that print much: their answers are found, others of the loop have their turns, endless output is an error."""

from __future__ import annotations

import asyncio

import pytest

from fiedler.client import EngineRulesError, open_engine_async
from fiedler.support.fair_queue import Enough
from tests.client.test_client import TICTACTOE, answering, program
from tests.patience import PATIENCE

LINES = 20_000
BEFORE = answering(f"if line.startswith('go'): say('x\\n' * {LINES} + 'bestmove a1')")
AFTER = answering(f"if line.startswith('go'): say('bestmove a1\\n' + 'x\\n' * {LINES})")
ENDLESS = answering("while line.startswith('go'): say('x\\n' * 1000)")


async def counted(count: list[int]) -> None:
    """Count turns of the loop, until cancelled."""
    while True:
        count[0] += 1
        await asyncio.sleep(0.001)


async def test_others_have_their_turns_while_an_engine_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    def three(_: float) -> Enough:
        looks = iter((False, False))
        return lambda: next(looks, True)

    monkeypatch.setattr("fiedler.support.inflow.within", three)
    monkeypatch.setattr("fiedler.support.fair_queue.within", three)
    monkeypatch.setattr("fiedler.protocol.flood.WORK_S", PATIENCE)  # so small portions cost more
    async with await open_engine_async(BEFORE, TICTACTOE, start_seconds=PATIENCE) as engine:
        count = [0]
        async with asyncio.TaskGroup() as group:
            other = group.create_task(counted(count))
            assert (await engine.play("startpos", 1.0)).move == "a1"
            other.cancel()
    assert count[0] > 20, "one turn for three slices"


@pytest.mark.parametrize("command", [BEFORE, AFTER], ids=["before", "after"])
async def test_many_lines_beside_an_answer_cost_nothing(command: list[str]) -> None:
    async with await open_engine_async(command, TICTACTOE, start_seconds=PATIENCE) as engine:
        for _ in range(2):
            assert (await engine.play("startpos", 1.0)).move == "a1"


async def test_endless_lines_are_an_error() -> None:
    async with await open_engine_async(ENDLESS, TICTACTOE, start_seconds=PATIENCE, answer_seconds=None) as engine:
        with pytest.raises(EngineRulesError, match=r" sent [0-9,]+ lines.*; it sent 'x', expected 'bestmove MOVE'"):
            await engine.play("startpos", 1.0)


async def test_endless_words_on_standard_error_cost_nothing() -> None:
    code = "import os\nif os.fork() == 0:\n    while True: os.write(2, b'x\\n' * 2000)\nfor line in sys.stdin:\n"
    answers = {"ugi": "ugiok", "isready": "readyok", "go": "bestmove a1"}
    loop = f"    say({answers!r}.get(line.split()[0], ''))\n"
    async with await open_engine_async(program(code + loop), TICTACTOE, start_seconds=PATIENCE) as engine:
        for _ in range(3):
            assert (await engine.play("startpos", 1.0)).move == "a1"
