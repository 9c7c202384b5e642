"""Whatever bytes come, in whatever portions: answers or events of the dialect, and nothing else."""

from __future__ import annotations

import re
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from games import game
from games.coordinates import coordinates
from protocol import ClientEvent, Eof, Limit, Malformed, Move
from protocol.blocking import drained
from protocol.makemove import MakemoveClient
from tests.engine.engine_driver import Conversation
from tests.protocol.rowcol.test_fuzz import cuts, portions

BYTES = coordinates(game("uttt"), "byte")
COMMANDS = ["GAME_RESET", "APPLY_MOVE:68", "APPLY_MOVE:x", "APPLY_MOVE:", "MAKE_MOVE", "SET_TIME_PER_MOVE:0.1", "EXIT"]
ANSWERS = ["OK", "MOVE:64", "MOVE:", "MOVE:9", "ERROR:why", "ERROR", "", " OK ", "MOVE:-1", "LOAD_MODEL:x"]
piece = st.binary(max_size=20) | st.sampled_from(COMMANDS + ANSWERS).map(str.encode) | st.just(b"\xff")
streams = st.lists(piece, max_size=30).map(b"\n".join)


@given(streams, cuts)
def test_server(stream: bytes, places: list[int]) -> None:
    answers = []
    for parts in ([stream], portions(stream, places)):
        talk = Conversation("uttt", "random", pinned="makemove", seed="1")
        for part in parts:
            talk.bring(part)
        talk.end()
        assert talk.session.over
        answers.append(talk.session.data_to_send())
    assert answers[0] == answers[1]
    for line in answers[0].decode().splitlines():
        assert re.fullmatch(r"OK|MOVE:\d{1,3}|ERROR:.{1,300}", line)
        assert line.isprintable()


@given(streams, cuts, st.booleans())
def test_client(stream: bytes, places: list[int], asking: bool) -> None:
    found = []
    for parts in ([stream], portions(stream, places)):
        client = MakemoveClient(BYTES, line_limit=64)
        client.greet()
        if asking:
            client.search(["e5"], Limit())
        events: list[ClientEvent] = []
        for part in parts:
            client.receive_data(part)
            events += drained(client)
        client.receive_eof()
        found.append((events + drained(client), client.data_to_send()))
    assert found[0] == found[1]
    events, sent = found[0]
    assert events[-1] == Eof()
    assert sum(isinstance(event, Move) for event in events) <= asking
    assert set(sent.decode().splitlines()) <= {"APPLY_MOVE:68", "MAKE_MOVE"}
    for event in events:
        assert isinstance(event, get_args(ClientEvent))
        if isinstance(event, Malformed):
            assert len(event.line) <= 120
            assert event.why.isprintable()
