"""Any bytes in any portions give only events."""

from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiedler.protocol import ClientEvent, Eof, Limit, Malformed
from fiedler.protocol.ugi import UCI, UGI, ServerEvent, ServerMessages, State, UgiClient, Vocabulary
from tests.protocol.ugi.session_events import ended, events_of

SERVER_WORDS = """
    ugi isready setoption name value uginewgame position startpos fen moves query gameover p1turn go depth nodes
    movetime p1time infinite stop quit uci ucinewgame wtime binc movestogo 5 -5 0 99999999999999999999 1e9 a1 x
"""
CLIENT_WORDS = """
    id name author option type spin check combo string button default min max var ugiok uciok readyok info depth nodes
    score cp mate pv response bestmove ponder none true 5 -5 0 99999999999999999999 1e9 a1 <empty>
"""


def streams(words: str) -> st.SearchStrategy[bytes]:
    """Arbitrary bytes, lines that are nearly right, and mixtures of both."""
    line = st.lists(st.sampled_from(words.split()), max_size=8).map(lambda found: " ".join(found).encode())
    piece = (
        st.binary(max_size=40) | line | st.sampled_from([b"\n", b"\n", b"\r\n", b"\t", b"\x00", b"\xff", b"y" * 100])
    )
    return st.lists(piece, max_size=30).map(b" ".join) | st.lists(piece, max_size=30).map(b"\n".join)


def portions(stream: bytes, cuts: list[int]) -> list[bytes]:
    """Cut the stream at the given places."""
    places = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    return [stream[start:end] for start, end in pairwise(places)]


def busy_server(words: Vocabulary) -> ServerMessages:
    server = ServerMessages(64, words)
    events_of(server, f"{words.hello}\n".encode())
    return server


def busy_client(words: Vocabulary) -> UgiClient:
    """A client that waits for one answer of each kind."""
    client = UgiClient(64, words)
    client.send_ugi()
    events_of(client, f"{words.hello_answer}\n".encode())
    client.send_isready()
    client.send_query("gameover")
    client.send_go(Limit(nodes=5))
    return client


cuts = st.lists(st.integers(0, 2000))


@pytest.mark.parametrize("words", [UGI, UCI])
@given(streams(SERVER_WORDS), cuts, st.booleans())
def test_server(words: Vocabulary, stream: bytes, places: list[int], new: bool) -> None:
    whole, cut = (ServerMessages(64, words) if new else busy_server(words) for _ in range(2))
    events = [*events_of(whole, stream), *ended(whole)]
    found = [event for portion in portions(stream, places) for event in events_of(cut, portion)]
    assert [*found, *ended(cut)] == events
    assert all(isinstance(event, get_args(ServerEvent)) for event in events)
    assert events[-1] == Eof()
    assert whole.state in {State.CLOSING, State.CLOSED}
    check_refusals(events)


@pytest.mark.parametrize("words", [UGI, UCI])
@given(streams(CLIENT_WORDS), cuts, st.booleans())
def test_client(words: Vocabulary, stream: bytes, places: list[int], new: bool) -> None:
    whole, cut = (UgiClient(64, words) if new else busy_client(words) for _ in range(2))
    events = [*events_of(whole, stream), *ended(whole)]
    found = [event for portion in portions(stream, places) for event in events_of(cut, portion)]
    assert [*found, *ended(cut)] == events
    assert all(isinstance(event, get_args(ClientEvent)) for event in events)
    assert events[-1] == Eof()
    assert whole.state is State.CLOSED
    check_refusals(events)


def check_refusals(events: list[ServerEvent] | list[ClientEvent]) -> None:
    """Refusals are bounded, and their reasons are printable."""
    for event in events:
        if isinstance(event, Malformed):
            assert len(event.line) <= 120
            assert len(event.why) <= 400
            assert event.why.isprintable()
