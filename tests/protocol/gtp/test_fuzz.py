"""Any bytes in any portions give responses, or events, and nothing else."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import pairwise
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from games import game
from games.coordinates import coordinates
from protocol import ClientEvent, Eof, Limit, Malformed, Move, RemoteProtocolError
from protocol.blocking import drained
from protocol.gtp import COMMANDS, GtpClient
from protocol.gtp.sgf import read_sgf
from tests.engine.engine_driver import Conversation

POINTS = coordinates(game("tictactoe"), "vertex")
SLOW = {"fiedler-scores"}
ARGUMENTS = "b w A1 B2 C3 D4 pass 3 0 -1 12 99999999999999999999 null seed x # \t \x00"
WORDS = [*({*COMMANDS} - SLOW), *ARGUMENTS.split(" ")]
lines = st.lists(st.sampled_from(WORDS), max_size=5).map(lambda words: " ".join(words).encode())
plays = st.builds(lambda color, point: f"play {color} {point}".encode(), st.sampled_from("bw"), st.sampled_from(WORDS))
ANSWERS = ["= A1", "=", "", "? no", "=3 B2", "= resign", "= pass", "x", "= x\ny", "?", "= Z99", "\r"]
binary = st.binary(max_size=20) | st.sampled_from([b"\xff", b"y" * 70, b"\r"])
cuts = st.lists(st.integers(0, 2000))


def portions(stream: bytes, places: list[int]) -> list[bytes]:
    at = sorted({0, len(stream), *(place % (len(stream) + 1) for place in places)})
    return [stream[start:end] for start, end in pairwise(at)]


@given(st.lists(lines | plays | binary, max_size=30).map(b"\n".join), cuts)
def test_server(stream: bytes, places: list[int]) -> None:
    answers = []
    for parts in ([stream], portions(stream, places)):
        talk = Conversation("tictactoe", "random", pinned="gtp", seed="1")
        for part in parts:
            talk.bring(part)
        talk.end()
        assert talk.session.over
        answers.append(talk.session.data_to_send())
    assert answers[0] == answers[1]
    *responses, rest = answers[0].decode().split("\n\n")
    assert rest == ""
    for response in responses:
        assert re.fullmatch(r"[=?]\d{0,19}( [^\n]+(\n[^\n]+)*)?", response)
        assert response.replace("\n", " ").isprintable()


@given(st.lists(st.sampled_from(ANSWERS).map(str.encode) | binary, max_size=30).map(b"\n".join), cuts, st.booleans())
def test_client(stream: bytes, places: list[int], asking: bool) -> None:
    found = []
    for parts in ([stream], portions(stream, places)):
        client = GtpClient(POINTS, line_limit=64)
        if asking:
            client.greet()
            client.search(["b2"], Limit())
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


SGF = ["(", ")", ";", "B", "W", "SZ", "AB", "C", "[3]", "[aa]", "[cc]", "[]", "[zz]", "[\\]]", "[", "]", " ", "x"]


@given(st.lists(st.sampled_from(SGF), max_size=30).map("".join) | st.text(max_size=30))
def test_sgf(text: str) -> None:
    with suppress(RemoteProtocolError):
        moves = read_sgf(text, 3)
        assert all(side in (0, 1) and re.fullmatch("[ABC][123]", point) for side, point in moves)
