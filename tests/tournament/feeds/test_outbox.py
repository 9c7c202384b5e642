"""The way of notices to receivers that answer, refuse and hang."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import httpx
import pytest

from fiedler.tournament.feeds.notices import RunNotice, payload
from fiedler.tournament.feeds.outbox import Outbox
from tests.patience import PATIENCE
from tests.tournament.feeds.receivers import SECRET, closed, receiving, silent


def notice(event: str, text: str = "text") -> RunNotice:
    return RunNotice(event=event, run="test", game="uttt", at="2026-01-01T00:00:00.000+00:00", text=text)


async def sent(
    url: str, *events: str, form: str = "json", try_s: float = PATIENCE, drain_s: float = PATIENCE
) -> Sequence[str]:
    """Send notices, and return the warnings."""
    warnings: list[str] = []
    async with httpx.AsyncClient(timeout=None, trust_env=False) as client:
        outbox = Outbox(client, url, form, warnings.append, try_s=try_s, pauses_s=(0.01, 0.01))
        for event in events:
            outbox.put(notice(event))
        await outbox.finish(asyncio.create_task(outbox.run()), drain_s)
    assert SECRET not in str(warnings)
    return warnings


async def test_notices_arrive_once_and_in_order() -> None:
    with receiving(500, 429, 204) as receiver:
        assert await sent(receiver.url, "started", "finished") == []
        assert receiver.events == ["started", "started", "started", "finished"]
        assert receiver.posts[0].path == f"/{SECRET}"


async def test_a_text_has_its_title() -> None:
    with receiving() as receiver:
        assert await sent(receiver.url, "started", form="text") == []
        (post,) = receiver.posts
    assert (post.body, post.headers["Title"]) == ("text", "test started")
    assert post.headers["Content-Type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize(("code", "tries"), [(500, "3 tries"), (404, "1 try"), (302, "1 try")])
async def test_a_refused_notice_has_a_line_after_a_few_tries(code: int, tries: str) -> None:
    with receiving(code) as receiver:
        assert await sent(receiver.url, "started") == [f"started: not sent: HTTP status {code} ({tries})"]
        assert len(receiver.posts) == int(tries[0])


async def test_a_port_where_nobody_listens() -> None:
    assert await sent(closed(), "started") == ["started: not sent: connection refused (3 tries)"]


async def test_a_receiver_that_hangs_holds_nothing_for_long() -> None:
    with silent() as url:
        found = await sent(url, "started", try_s=0.05)
        assert found == ["started: not sent: no answer within 0.05 s (3 tries)"]
        found = await sent(url, "started", "finished", drain_s=0.1)
        assert found == [f"{event}: not sent within 0.1 s of the end" for event in ("started", "finished")]


async def test_words_of_libraries_which_quote_the_url_are_left_out() -> None:
    for url in (f"http://127.0.0.1:1{SECRET}/", f"ftp://127.0.0.1/{SECRET}", f"http://{SECRET}\u2603..example/"):
        (warning,) = await sent(url, "started")
        assert warning.startswith("started: not sent: cannot be reached")


def test_a_name_calls_nobody() -> None:
    document = payload(notice("started", "@everyone <!channel> 1 < 2"))
    assert document["text"] == document["content"] == "@\u200beveryone <\u200b!channel> 1 < 2"
