"""The bytes to a node and back, in few calls, and the words that keep its table process from ending."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from fiedler.tournament.cluster import exchange
from fiedler.tournament.cluster.cluster import NodeLostError
from fiedler.tournament.cluster.exchange import HEARD, Exchange
from fiedler.tournament.run.table_messages import Alive, Heard, Probe, encoded, whole
from tests.patience import until

ASKED = [encoded(Probe((name,))) for name in "abc"]


@dataclass
class Line:
    """The calls of an exchange; a test answers them."""

    asked: list[bytes] = field(default_factory=list)
    answers: list[asyncio.Future[tuple[bytes, str]]] = field(default_factory=list)

    async def call(self, method: str, *words: object) -> object:
        assert method == "exchange"
        number, data = words
        assert number == len(self.asked) + 1
        assert isinstance(data, bytes)
        self.asked.append(data)
        self.answers.append(asyncio.get_running_loop().create_future())
        return await self.answers[-1]

    def end(self) -> None:
        """Nothing ends here."""

    async def has_asked(self, *expected: bytes) -> None:
        """Wait for so many calls, and compare their bytes."""
        await until(lambda: len(self.asked) >= len(expected))
        assert self.asked == list(expected)


def test_what_is_sent_in_one_moment_goes_in_one_call_and_no_answer_is_no_word() -> None:
    async def talk() -> None:
        line = Line()
        between = Exchange(line)
        for data in ASKED[:2]:
            between.send(data)
        await line.has_asked(ASKED[0] + ASKED[1] + HEARD)
        between.send(ASKED[2])
        await line.has_asked(ASKED[0] + ASKED[1] + HEARD, ASKED[2])
        line.answers[0].set_result((HEARD, ""))
        assert await between.news() == (HEARD, "")
        between.send(ASKED[0])
        await line.has_asked(ASKED[0] + ASKED[1] + HEARD, ASKED[2], ASKED[0] + HEARD)
        between.close()

    asyncio.run(talk())


def test_after_an_answer_the_next_lease_has_a_moment_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    async def talk() -> Sequence[bytes]:
        line = Line()
        between = Exchange(line)
        between.send(b"")
        await line.has_asked(HEARD)
        monkeypatch.setattr(exchange, "REST_S", 3600.0)
        line.answers[0].set_result((b"", ""))
        await between.news()
        await until(lambda: between._planned is not None)
        between.send(ASKED[0])
        await line.has_asked(HEARD, ASKED[0] + HEARD)
        monkeypatch.setattr(exchange, "REST_S", 0.01)
        line.answers[1].set_result((b"", ""))
        await line.has_asked(HEARD, ASKED[0] + HEARD, HEARD)
        between.close()
        return line.asked

    assert len(asyncio.run(talk())) == 3


def test_while_an_answer_is_missing_nothing_is_asked_without_a_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    """Soon nothing more is asked, and the node is lost."""
    monkeypatch.setattr(exchange, "REST_S", 0.0)

    async def talk() -> None:
        line = Line()
        between = Exchange(line)
        between.send(ASKED[0])
        await line.has_asked(ASKED[0] + HEARD)
        between.send(ASKED[1])
        await line.has_asked(ASKED[0] + HEARD, ASKED[1])
        line.answers[1].set_result((HEARD, ""))
        await between.news()
        await until(lambda: list(between._under_way) == [1])
        assert between._planned is None
        line.answers[0].set_result((HEARD, ""))
        await line.has_asked(ASKED[0] + HEARD, ASKED[1], HEARD)
        between.close()

    asyncio.run(talk())


@pytest.mark.parametrize("error", [NodeLostError("its actor has ended"), ValueError("a fault of ours")])
def test_the_error_of_a_call_is_raised(error: Exception) -> None:
    async def talk() -> None:
        line = Line()
        between = Exchange(line)
        between.send(b"")
        await line.has_asked(HEARD)
        line.answers[0].set_exception(error)
        try:
            with pytest.raises(type(error), match=str(error)):
                await between.news()
        finally:
            between.close()

    asyncio.run(talk())


@pytest.mark.parametrize("rest", [0, 1, 4, 10])
def test_news_are_whole_messages(rest: int) -> None:
    messages = encoded(Alive(3)) + encoded(Heard())
    assert whole(messages + encoded(Alive(7))[:rest]) == len(messages)
    assert whole(messages) == len(messages)
