"""Every cell of both state tables: the sessions do what the tables say, and nothing else."""

from collections.abc import Callable
from typing import Any

import pytest

from fiedler.protocol import Eof, Info, Limit, LocalProtocolError, Malformed, Move
from fiedler.protocol.ugi import ServerMessages, State, UgiClient, states
from fiedler.protocol.ugi.session import UgiSession
from tests.folders import DOCS
from tests.protocol.ugi.session_events import ended, events_of

PAGE = DOCS / "protocols" / "ugi.md"

# the steps into each state
SERVER_PATHS: dict[State, Callable[[ServerMessages], object]] = {
    State.NEW: lambda server: None,
    State.IDLE: lambda server: events_of(server, b"ugi\n"),
    State.SEARCHING: lambda server: events_of(server, b"ugi\ngo nodes 1\n"),
    State.CLOSING: lambda server: events_of(server, b"ugi\ngo nodes 1\nquit\n"),
    State.CLOSED: lambda server: events_of(server, b"ugi\nquit\n"),
}


def ugiok(client: UgiClient) -> None:
    events_of(client, b"ugiok\n")


def go(client: UgiClient) -> None:
    client.send_go(Limit(nodes=1))


CLIENT_PATHS: dict[State, list[Callable[[UgiClient], None]]] = {
    State.NEW: [],
    State.GREETING: [UgiClient.send_ugi],
    State.IDLE: [UgiClient.send_ugi, ugiok],
    State.SEARCHING: [UgiClient.send_ugi, ugiok, go],
    State.STOPPING: [UgiClient.send_ugi, ugiok, go, UgiClient.send_stop],
    State.CLOSED: [UgiClient.send_quit],
}
LINES = {
    "setoption": "setoption name seed value 1",
    "position": "position startpos moves b2",
    "query": "query gameover",
    "go": "go nodes 1",
    "id": "id name Parrot",
    "option": "option name seed type spin default 0",
    "bestmove": "bestmove b2",
}
SERVER_SENDS: dict[str, Callable[[ServerMessages], None]] = {
    "info": lambda server: server.send_info(Info(depth=1)),
    "bestmove": lambda server: server.send_bestmove("b2"),
}
CLIENT_SENDS: dict[str, Callable[[UgiClient], None]] = {
    "ugi": UgiClient.send_ugi,
    "isready": UgiClient.send_isready,
    "setoption": lambda client: client.send_setoption("seed", "1"),
    "uginewgame": UgiClient.send_newgame,
    "position": lambda client: client.send_position("startpos", ["b2"]),
    "query": lambda client: client.send_query("gameover"),
    "go": go,
    "stop": UgiClient.send_stop,
    "quit": UgiClient.send_quit,
}


def server_in(state: State) -> ServerMessages:
    server = ServerMessages()
    SERVER_PATHS[state](server)
    assert server.state is state
    return server


def client_in(state: State) -> UgiClient:
    client = UgiClient()
    for step in CLIENT_PATHS[state]:
        step(client)
    client.data_to_send()
    assert client.state is state
    return client


def receives(session: UgiSession[Any], message: str) -> list[object]:
    if message == "end of stream":
        return [*ended(session)]
    return [*events_of(session, (LINES.get(message, message) + "\n").encode())]


@pytest.mark.parametrize("message", states.RECEIVED_BY_SERVER)
@pytest.mark.parametrize("state", SERVER_PATHS)
def test_server_receives(state: State, message: str) -> None:
    server = server_in(state)
    events = receives(server, message)
    after = states.SERVER.get((state, message))
    assert server.state is (after or state)
    over = state in {State.CLOSING, State.CLOSED}
    if after:
        assert len(events) == (0 if (state, message) == (State.IDLE, "stop") else 1)
        assert not isinstance(events[0] if events else None, Malformed)
    else:
        assert [type(event) for event in events] == ([] if over else [Malformed])


@pytest.mark.parametrize("message", states.SENT_BY_SERVER)
@pytest.mark.parametrize("state", SERVER_PATHS)
def test_server_sends(state: State, message: str) -> None:
    server = server_in(state)
    after = states.SERVER.get((state, message))
    if after:
        SERVER_SENDS[message](server)
        assert server.state is after
        assert server.data_to_send().startswith(message.encode())
    else:
        with pytest.raises(LocalProtocolError, match=f"expected to send {message} only in SEARCHING, CLOSING"):
            SERVER_SENDS[message](server)
        assert server.state is state
        assert server.data_to_send() == b""


@pytest.mark.parametrize("message", states.SENT_BY_CLIENT)
@pytest.mark.parametrize("state", CLIENT_PATHS)
def test_client_sends(state: State, message: str) -> None:
    client = client_in(state)
    after = states.CLIENT.get((state, message))
    silent = (message == "stop" and state is not State.SEARCHING) or state is State.CLOSED
    if after:
        CLIENT_SENDS[message](client)
        assert client.state is after
        assert client.data_to_send() == (b"" if silent else (LINES.get(message, message) + "\n").encode())
    else:
        with pytest.raises(LocalProtocolError, match=f"expected to send {message} only in .*; the state is {state}"):
            CLIENT_SENDS[message](client)
        assert client.state is state
        assert client.data_to_send() == b""


@pytest.mark.parametrize("message", states.RECEIVED_BY_CLIENT)
@pytest.mark.parametrize("state", CLIENT_PATHS)
def test_client_receives(state: State, message: str) -> None:
    client = client_in(state)
    events = receives(client, message)
    after = states.CLIENT.get((state, message))
    assert client.state is (after or state)
    if after:
        assert len(events) == 1
        assert not isinstance(events[0], Malformed)
        assert message != "bestmove" or events == [Move("b2")]
    else:
        assert [type(event) for event in events] == ([] if state is State.CLOSED else [Malformed])


@pytest.mark.parametrize("session", [ServerMessages(), UgiClient()])
def test_after_the_end_of_the_stream(session: UgiSession[Any]) -> None:
    assert ended(session) == [Eof()]
    assert ended(session) == []
    with pytest.raises(LocalProtocolError, match="expected no data after receive_eof"):
        events_of(session, b"ugi\n")


def test_the_tables_hold_only_drawn_cells() -> None:
    for table, messages in (
        (states.SERVER, {*states.RECEIVED_BY_SERVER, *states.SENT_BY_SERVER}),
        (states.CLIENT, {*states.RECEIVED_BY_CLIENT, *states.SENT_BY_CLIENT}),
    ):
        assert {message for _, message in table} == messages
        assert {*table.values()} <= {state for state, _ in table}


def test_the_page_shows_the_tables() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert states.server_markdown() in page
    assert states.client_markdown() in page
