"""The stream of a run: snapshot first, then changes with numbers; no viewer delays another."""

from __future__ import annotations

import asyncio
import http.client
import json
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from starlette.requests import Request

from fiedler.web import follower, player_pages
from fiedler.web.followers import Followers
from fiedler.web.listing import Listing
from fiedler.web.player_pages import PlayerPages
from fiedler.web.settings import SiteSettings
from fiedler.web.viewer import MOST_WAITING, Viewer, message
from tests.patience import PATIENCE
from tests.tournament.manager_process import NODES, Manager
from tests.tournament.schedules import Bench, player
from tests.web.pages import Pages
from tests.web.runs import HELD, play, release
from tests.web.test_server import ask, content

Start = Callable[..., Pages]
Message = tuple[str, str, Any]
"""Its id, its kind and its content."""


@contextmanager
def stream(pages: Pages, query: str = "", **headers: str) -> Iterator[Iterator[Message]]:
    """Yield the messages of a stream."""
    link = http.client.HTTPConnection(urlsplit(pages.url).netloc, timeout=PATIENCE)
    try:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        link.request("GET", f"/api/runs/test/live{query}", headers=sent)
        answer = link.getresponse()
        assert answer.status == 200
        yield messages(answer)
    finally:
        link.close()


def messages(answer: http.client.HTTPResponse) -> Iterator[Message]:
    fields: dict[str, str] = {}
    for line in answer:
        name, colon, value = line.decode().rstrip("\n").partition(": ")
        if colon:
            fields[name] = value
        elif "event" in fields:
            yield fields.get("id", ""), fields["event"], json.loads(fields["data"])
            fields = {}


def played(bench: Bench) -> None:
    play(bench, [player("a"), player("b")], tournament={"games_per_pair": 20}, limit=NODES)


def test_a_stream_begins_with_the_snapshot(bench: Bench, pages: Start) -> None:
    played(bench)
    one = pages()
    with stream(one) as found:
        number, kind, document = next(found)
        assert (kind, number) == ("snapshot", document["id"])
        assert document["pairs"] == [[0, 1, *document["pairs"][0][2:]]]
        assert sum(document["pairs"][0][2:]) == 20
        while (last := next(found))[1] != "standings":
            pass
    assert last[2]["games"] == 20
    same = json.loads(content(ask(one, "/api/runs/test")))
    assert {**document, "standings": last[2]} == {**same, "progress": document["progress"]}
    assert document["progress"]["command"] == shlex.join(
        ["tournament", "run", str(bench.path), "--results", str(bench.results)]
    )


def test_a_stream_continues_after_the_last_event(bench: Bench, pages: Start) -> None:
    bench.write([player("a", "held"), player("b")], tournament={"games_per_pair": 20}, limit=HELD)
    manager = Manager(bench, "--progress", "all")
    manager.wait_for("Started game ", 1)
    one = pages()
    with stream(one) as found:
        number, kind, document = next(found)
        first = document["seq"]
        release(bench)
        while next(found)[1] != "changes":
            pass
    for way in ({"query": f"?after={number}"}, {"Last_Event_ID": number}):
        with stream(one, **way) as found:
            seqs, kinds = [], []
            while "ended" not in kinds:
                _, kind, changes = next(found)
                assert kind != "snapshot"
                if kind == "changes":
                    seqs += [change["seq"] for change in changes]
                    kinds += [change["kind"] for change in changes]
        assert seqs[0] == first + 1
        assert seqs == sorted(set(seqs))
        assert len(kinds) > 20
    assert manager.end() == (0, "")
    for strange in ("0badbeef-3", "x", number.rpartition("-")[0] + "-999999"):
        with stream(one, f"?after={strange}") as found:
            assert next(found)[1] == "snapshot"


def test_there_is_a_most_of_viewers(bench: Bench) -> None:
    played(bench)

    async def views() -> list[bool]:
        followers = Followers(Listing(bench.results), 2)
        async with followers.running():
            follower = followers.get("test")
            assert follower is not None
            await follower.settled.wait()

            def is_admitted() -> bool:
                return followers.view(follower, 0, "") is not None

            found = [is_admitted() for _ in range(3)]
            next(iter(follower.viewers)).close()
            found += [is_admitted(), is_admitted()]
            followers.close()
            return [*found, is_admitted()]

    assert asyncio.run(views()) == [True, True, False, True, False, False]


def test_a_viewer_that_takes_nothing_is_cut_off() -> None:
    async def end() -> tuple[bytes, int]:
        left: list[Viewer] = []
        viewer = Viewer(left.append)
        for number in range(MOST_WAITING):
            viewer.send(message("progress", number), "progress")
            viewer.send(message("tables", number))
        assert viewer.is_open is False
        assert left == [viewer]
        return await viewer.next(), len(left)

    assert asyncio.run(end()) == (b"", 1)


def test_the_latest_message_about_a_thing_replaces_the_waiting_one() -> None:
    async def sent() -> bytes:
        viewer = Viewer(lambda _: None)
        for number in range(3 * MOST_WAITING):
            viewer.send(message("progress", number), "progress")
        return await viewer.next()

    assert asyncio.run(sent()) == message("progress", 3 * MOST_WAITING - 1)


def test_results_are_final_once_their_ranking_is_that_of_all_games(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    played(bench)
    monkeypatch.setattr(player_pages, "RATED_S", PATIENCE)

    async def is_final() -> bool:
        listing = Listing(bench.results)
        followers = Followers(listing, 1)
        async with followers.running():
            pages = PlayerPages(SiteSettings(bench.results), listing, followers)
            scope = {"type": "http", "path_params": {"run": "test"}, "query_string": b"player=a", "headers": []}
            found: dict[str, Any] = json.loads(bytes((await pages.player(Request(scope))).body))
        assert found["state"] == "finished"
        return bool(found["final"])

    assert asyncio.run(is_final())
    early = {"games": 19, "players": []}
    monkeypatch.setattr(follower, "timed", lambda _: (early, 0.0))
    assert not asyncio.run(is_final())
