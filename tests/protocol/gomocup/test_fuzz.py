"""Any bytes in any portions give answers, or events, and nothing else."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from fiedler.engine.roster.lineup import Lineup
from fiedler.games import GAMES, game
from fiedler.games.coordinates import coordinates
from fiedler.players import create
from fiedler.protocol import ClientEvent, Eof, Limit, Malformed, Move
from fiedler.protocol.blocking import drained
from fiedler.protocol.gomocup import GomocupClient
from fiedler.protocol.gomocup.words import COMMANDS
from tests.engine.engine_driver import Conversation

POINTS = coordinates(game("gomoku9"), "point")
NAMES = ("gomoku9", "gomoku15", "gomoku20", "standard15", "renju15")
LINEUP = Lineup(lambda one: create(one, "random", {"seed": "1"}), [GAMES[name] for name in NAMES])
KEYS = [
    "timeout_turn",
    "timeout_match",
    "time_left",
    "max_memory",
    "rule",
    "game_type",
    "folder",
    "evaluate",
    "seed",
    "hash_mb",
    "x",
]
VALUES = ["0", "1", "4", "8", "9", "15", "20", "-5", "2147483648", "99999999999999999999", "x", "", "\t", "\x00"]
points = st.tuples(st.integers(-1, 21), st.integers(-1, 21)).map(lambda one: f"{one[0]},{one[1]}")
stones = st.builds(lambda point, side: f"{point},{side}", points, st.integers(0, 4))
information = st.builds(lambda key, value: f"INFO {key} {value}", st.sampled_from(KEYS), st.sampled_from(VALUES))
commands = st.builds(
    lambda name, text: f"{name} {text}", st.sampled_from([*COMMANDS, "done", "Foo"]), points | st.sampled_from(VALUES)
)
lines = st.one_of(commands, information, stones, points, st.just("DONE")).map(str.encode)
binary = st.binary(max_size=20) | st.sampled_from([b"\xff", b"y" * 70, b"\r"])
cuts = st.lists(st.integers(0, 2000))
ANSWER = re.compile(r"OK|(ERROR|UNKNOWN) .+|name=.+|SWAP|MESSAGE .+|\d+,\d+( \d+,\d+ \d+,\d+)?|")
ANSWERS = ["7,7", "OK", "ok", "ERROR x", "UNKNOWN", "MESSAGE score 5", "SUGGEST 1,1", "-1,-1", "9,9", "SWAP", "", "\r"]


def portions(stream: bytes, places: list[int]) -> list[bytes]:
    at = sorted({0, len(stream), *(place % (len(stream) + 1) for place in places)})
    return [stream[start:end] for start, end in pairwise(at)]


@given(st.lists(lines | binary, max_size=30).map(lambda some: b"\n".join([b"START 9", *some])), cuts)
def test_server(stream: bytes, places: list[int]) -> None:
    answers = []
    for parts in ([stream], portions(stream, places)):
        talk = Conversation("gomoku15", LINEUP.player("gomoku15"), None, LINEUP, pinned="gomocup")
        for part in parts:
            talk.bring(part)
        talk.end()
        assert talk.session.over
        answers.append(talk.session.data_to_send())
    assert answers[0] == answers[1]
    for line in answers[0].decode().splitlines():
        assert ANSWER.fullmatch(line)
        assert line.isprintable()


@given(st.lists(st.sampled_from(ANSWERS).map(str.encode) | binary, max_size=30).map(b"\n".join), cuts, st.booleans())
def test_client(stream: bytes, places: list[int], asking: bool) -> None:
    found = []
    for parts in ([stream], portions(stream, places)):
        client = GomocupClient(POINTS, line_limit=64)
        if asking:
            client.greet()
            client.search(["e5"], Limit(movetime_ms=5))
        events: list[ClientEvent] = []
        for part in parts:
            client.receive_data(part)
            events += drained(client)
        client.receive_eof()
        found.append(events + drained(client))
    assert found[0] == found[1]
    assert found[0][-1] == Eof()
    assert sum(isinstance(event, Move) for event in found[0]) <= asking
    for event in found[0]:
        assert isinstance(event, get_args(ClientEvent))
        if isinstance(event, Malformed):
            assert event.why.isprintable()
