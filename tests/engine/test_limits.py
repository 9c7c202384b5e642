"""The limits of a server: over each of them a client gets a sentence in its dialect, and others notice nothing."""

from __future__ import annotations

import math
import time

import pytest

from fiedler.engine.port.bounds import ELSEWHERE, Bounds, Rate, bounds_at
from fiedler.players import Factory, Player
from fiedler.support.errors import UsageError
from tests.engine.engine_process import Client, serving
from tests.engine.test_server import house


async def test_a_peer_has_a_limit_of_its_own() -> None:
    async with house(bounds=Bounds(per_peer=2)) as home:
        first, _ = await home.peer(), await home.peer()
        third = await home.peer(greeted=False)
        assert await third.line() == "info string error: expected at most 2 concurrent sessions of one peer"
        assert await third.closed()
        assert home.server.terms.counts.refused == {"peer": 1}
        first.say("quit")
        assert await first.closed()
        await home.sessions(1)
        await home.peer()


@pytest.mark.parametrize(
    ("greeting", "last"),
    [
        ("ugi", "info string error: expected at most 50 lines in a second, got more; closing"),
        ("protocol_version", "? expected at most 50 lines in a second, got more; closing"),
    ],
)
async def test_a_session_above_the_rate_is_closed_with_a_sentence(greeting: str, last: str) -> None:
    async with house(bounds=Bounds(rate=50)) as home:
        other = await home.peer()
        flooding = await home.peer(greeted=False)
        flooding.say(greeting, *["isready"] * 500)
        lines = (await flooding.reader.read()).decode().splitlines()
        assert last in lines
        assert home.server.terms.counts.refused == {"rate": 1}
        other.say("isready")
        assert await other.line() == "readyok"


async def test_a_client_that_never_says_a_line_is_closed_with_a_sentence() -> None:
    async with house(bounds=Bounds(idle_seconds=0.1)) as home:
        silent = await home.peer(greeted=False)
        assert await silent.line() == "info string error: expected a line within 0.1 s, got none; closing"
        assert await silent.closed()
        assert home.server.terms.counts.refused == {"idle": 1}


async def test_a_player_that_cannot_be_made_is_counted_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Factory) -> Player:
        raise UsageError("model m.onnx: damaged")

    async with house(bounds=Bounds(memory_mb=1)) as home:
        monkeypatch.setattr(Factory, "player", fail)
        peer = await home.peer(greeted=False)
        peer.say("ugi")
        assert await peer.line() == "info string error: model m.onnx: damaged"
        assert await peer.closed()
        assert home.server.terms.counts.refused == {"player": 1}


@pytest.mark.parametrize("ends", [False, True])
async def test_a_session_without_memory_is_counted_as_such(*, ends: bool) -> None:
    """Also that of a client whose stream ends within its first line."""
    async with house("mcts", bounds=Bounds(memory_mb=1)) as home:
        peer = await home.peer(greeted=False)
        peer.writer.write(b"ugi" if ends else b"ugi\n")
        if ends:
            peer.writer.write_eof()
        assert (await peer.line()).startswith("info string error: hash_mb: expected at most 1 MiB")
        assert await peer.closed()
        assert home.server.terms.counts.refused == {"memory": 1}


def test_a_rate_allows_a_burst_and_recovers() -> None:
    rate = Rate(10, 100.0)
    assert rate.take(10, 100.0)
    assert not rate.take(1, 100.0)
    assert rate.take(4, 100.5)
    assert not rate.take(11, 200.0)
    assert Rate(math.inf, 0.0).take(10**9, 0.0)


@pytest.mark.parametrize("go", ["go infinite", "go nodes 1000000000000", "go movetime 3600000"])
async def test_a_search_ends_at_the_limit_of_the_server(go: str) -> None:
    async with house("mcts", Bounds(think_seconds=0.2)) as home:
        peer = await home.peer()
        peer.say(go)
        lines = await peer.until("info string")
        assert lines[-1] == "info string the search ended after 0.2 s, the limit of this server"
        if go == "go infinite":
            peer.say("isready", "stop")
            assert await peer.until("readyok")
        assert (await peer.until("bestmove"))[-1] != "bestmove none"


async def test_a_search_within_the_limit_gets_no_remark() -> None:
    async with house("mcts", Bounds(think_seconds=60.0)) as home:
        peer = await home.peer()
        peer.say("go nodes 200")
        assert not [line for line in await peer.until("bestmove") if "limit" in line]
        counts = home.server.terms.counts
        assert counts.searches == 1
        assert counts.nodes >= 200
        assert sum(counts.buckets) == 1


def test_the_defaults_depend_on_the_interface() -> None:
    assert bounds_at("127.0.0.1", 0) == bounds_at("localhost", 0) == Bounds()
    assert bounds_at("0.0.0.0", 0) == bounds_at("no.such.host.invalid", 0) == ELSEWHERE
    assert (ELSEWHERE.sessions, ELSEWHERE.per_peer, ELSEWHERE.rate, ELSEWHERE.think_seconds) == (256, 32, 1000, 60)
    assert (Bounds().sessions, Bounds().per_peer, Bounds().rate, Bounds().think_seconds) == (
        256,
        256,
        math.inf,
        math.inf,
    )
    assert Bounds().idle_seconds == ELSEWHERE.idle_seconds == 3600


def test_the_options_set_the_limits() -> None:
    options = ("--max-sessions", "2", "--max-per-peer", "1", "--max-think-s", "0.1", "--idle-s", "8")
    with serving("--game", "uttt", "--player", "mcts", *options) as server, Client(server.port) as one:
        one.hello().say("go infinite")
        assert one.until("info string")[-1].startswith("info string the search ended after 0.1 s")
        with Client(server.port) as two:
            two.say("ugi")
            assert two.line() == "info string error: expected at most 1 concurrent sessions of one peer"
        began = time.monotonic()
        one.say("stop")
        assert one.until("info string error")[-1].startswith("info string error: expected a line within 8 s")
        assert time.monotonic() - began > 6
        assert one.line() == ""
