"""Whatever bytes come, in whatever portions: the error form or events, and nothing else."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from games import game
from games.coordinates import coordinates
from protocol import ClientEvent, Eof, Limit, Malformed, Move
from protocol.blocking import drained
from protocol.rowcol import RowcolClient
from tests.engine.engine_driver import Conversation

CELLS = coordinates(game("uttt"), "row column")
LINES = ["-1 -1", "4 4", "3 3", "0 0", "8 8", "9 9", "81", "0", "1", "x", "error: x", " 4  4 ", "4", "4 4 4", ""]
piece = st.binary(max_size=20) | st.sampled_from(LINES).map(str.encode) | st.sampled_from([b"\xff", b"y" * 70])
streams = st.lists(piece, max_size=30).map(b"\n".join)
cuts = st.lists(st.integers(0, 2000))


def portions(stream: bytes, places: list[int]) -> list[bytes]:
    at = sorted({0, len(stream), *(place % (len(stream) + 1) for place in places)})
    return [stream[start:end] for start, end in pairwise(at)]


@given(streams, cuts, st.booleans())
def test_server(stream: bytes, places: list[int], with_list: bool) -> None:
    answers = []
    for parts in ([stream], portions(stream, places)):
        talk = Conversation("uttt", "random", pinned="rowcol-list" if with_list else "rowcol", seed="1")
        for part in parts:
            talk.bring(part)
        talk.end()
        assert talk.session.over
        answers.append(talk.session.data_to_send())
    assert answers[0] == answers[1]
    for line in answers[0].decode().splitlines():
        assert re.fullmatch(r"[0-8] [0-8]|error: .{1,300}", line)
        assert line.isprintable()


@given(streams, cuts, st.booleans(), st.booleans())
def test_client(stream: bytes, places: list[int], with_list: bool, asking: bool) -> None:
    found = []
    for parts in ([stream], portions(stream, places)):
        client = RowcolClient(CELLS, with_list=with_list, line_limit=64)
        if asking:
            client.search(["e5"], Limit())
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
            assert len(event.line) <= 120
            assert event.why.isprintable()
