"""A client and a server wired back to back: games, and the sample dialogue of the page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiedler.protocol import (
    ClientEvent,
    Eof,
    Identity,
    Info,
    Limit,
    Malformed,
    Message,
    Move,
    Offer,
    Option,
    Ready,
    Refusal,
    Response,
)
from fiedler.protocol.ugi import (
    Go,
    Hello,
    IsReady,
    NewGame,
    Query,
    Quit,
    ServerEvent,
    ServerMessages,
    SetOption,
    SetPosition,
    State,
    Stop,
    UgiClient,
)
from tests.folders import DOCS
from tests.protocol.ugi.session_events import ended, events_of

PAGE = DOCS / "protocols" / "ugi.md"
SEED = Option("seed", "spin", default="0", min=0, max=9)


class ConnectionPair:
    """Both ends of one conversation; each passes on its output when asked to."""

    def __init__(self) -> None:
        self.client = UgiClient()
        self.server = ServerMessages()

    def to_server(self) -> list[ServerEvent]:
        return events_of(self.server, self.client.data_to_send())

    def to_client(self) -> list[ClientEvent]:
        return events_of(self.client, self.server.data_to_send())

    def greet(self) -> None:
        self.client.send_ugi()
        assert self.to_server() == [Hello()]
        self.server.send_hello("Parrot", "Nobody", [SEED])
        assert self.to_client() == [
            Identity("name", "Parrot"),
            Identity("author", "Nobody"),
            Offer(SEED),
            Ready(),
        ]


def test_a_dialogue() -> None:
    pair = ConnectionPair()
    pair.greet()
    pair.client.send_setoption("seed", "7")
    pair.client.send_newgame()
    pair.client.send_position("startpos", ["b2"])
    pair.client.send_query("p1turn")
    pair.client.send_go(Limit(nodes=100, infinite=True))
    assert pair.to_server() == [
        SetOption("seed", "7"),
        NewGame(),
        SetPosition("startpos", ("b2",)),
        Query("p1turn"),
        Go(Limit(nodes=100, infinite=True)),
    ]
    pair.server.send_response("false")
    pair.server.send_info(Info(depth=1, mate=-3, pv=("a1", "c3")))
    pair.client.send_stop()
    pair.client.send_isready()
    assert pair.to_server() == [Stop(), IsReady()]
    pair.server.send_readyok()
    pair.server.send_bestmove("a1")
    assert pair.to_client() == [
        Response("false", "p1turn"),
        Info(depth=1, mate=-3, pv=("a1", "c3")),
        Ready(),
        Move("a1"),
    ]
    assert (pair.client.state, pair.server.state) == (State.IDLE, State.IDLE)
    pair.client.send_quit()
    assert pair.to_server() == [Quit()]
    assert ended(pair.client) == [Eof()]
    assert (pair.client.state, pair.server.state) == (State.CLOSED, State.CLOSED)


def test_stop_and_bestmove_cross_on_the_wire() -> None:
    pair = ConnectionPair()
    pair.greet()
    for _ in range(3):
        pair.client.send_go(Limit(infinite=True))
        assert pair.to_server() == [Go(Limit(infinite=True))]
        pair.client.send_stop()
        pair.server.send_bestmove("a1")
        assert pair.to_client() == [Move("a1")]
        assert pair.to_server() == []


def test_errors_arrive_as_refusals() -> None:
    pair = ConnectionPair()
    pair.greet()
    (refused,) = events_of(pair.server, b"go soon\n")
    assert isinstance(refused, Malformed)
    pair.server.send_error(refused.why)
    (event,) = pair.to_client()
    assert event == Refusal(refused.why)


@given(st.lists(st.sampled_from(["go", "stop", "isready", "bestmove", "info", "deliver"])))
def test_both_sides_agree_in_any_order_of_messages(steps: list[str]) -> None:
    """One Move for each go, and never a Malformed, in any order that the tables allow."""
    pair = ConnectionPair()
    pair.greet()
    asked, pending, moves = 0, 0, 0
    for step in [*steps, "deliver", "bestmove", "deliver"]:
        if step == "go" and pair.client.state is State.IDLE:
            pair.client.send_go(Limit(infinite=True))
            asked += 1
        elif step == "stop":
            pair.client.send_stop()
        elif step == "isready":
            pair.client.send_isready()
        elif step in {"bestmove", "info"} and pair.server.state is State.SEARCHING:
            if step == "bestmove":
                pair.server.send_bestmove("a1")
            else:
                pair.server.send_info(Info(depth=1))
        elif step == "deliver":
            pending += pair.to_server().count(IsReady())
            for _ in range(pending):
                pair.server.send_readyok()
            pending = 0
            events = pair.to_client()
            assert not any(isinstance(event, Malformed) for event in events)
            moves += events.count(Move("a1"))
    assert moves == asked
    assert (pair.client.state, pair.server.state) == (State.IDLE, State.IDLE)


def ask(client: UgiClient, event: ServerEvent) -> None:
    """Send the message that a server receives as `event`."""
    match event:
        case SetOption(name, value):
            client.send_setoption(name, value)
        case SetPosition(text, moves):
            client.send_position(text, moves)
        case Go(limit):
            client.send_go(limit)
        case Query(what):
            client.send_query(what)
        case _:
            {
                Hello: client.send_ugi,
                IsReady: client.send_isready,
                NewGame: client.send_newgame,
                Stop: client.send_stop,
                Quit: client.send_quit,
            }[type(event)]()


def answer(server: ServerMessages, event: ClientEvent) -> None:
    """Send the message that a client receives as `event`."""
    match event:
        case Ready():
            server.send_readyok()
        case Info():
            server.send_info(event)
        case Message(text):
            server.send_info_string(text)
        case Refusal(why):
            server.send_error(why)
        case Response(text, _):
            server.send_response(text)
        case Move(move):
            server.send_bestmove(move)
        case _:
            raise AssertionError(f"the page lets the server say {event}")


def dialogue() -> list[str]:
    block = PAGE.read_text(encoding="utf-8").split("```text\n> ugi\n")[1].split("```")[0]
    return ["> ugi", *block.splitlines()]


@pytest.mark.parametrize("lines", [dialogue()], ids=["page"])
def test_both_sides_speak_the_dialogue_of_the_page(lines: list[str]) -> None:
    """One side receives each line, and the other sends exactly the same line."""
    pair = ConnectionPair()
    greeting: list[ClientEvent] = []
    for line in lines:
        data = (line[2:] + "\n").encode()
        if line.startswith("> "):
            (asked,) = events_of(pair.server, data)
            if isinstance(asked, Malformed):
                continue  # the page shows that it is answered by an error
            ask(pair.client, asked)
            assert pair.client.data_to_send() == data
            continue
        (event,) = events_of(pair.client, data)
        if pair.client.state is State.GREETING or line == "< ugiok":
            greeting.append(event)
        else:
            answer(pair.server, event)
            assert pair.server.data_to_send() == data
    name, author, *options, ok = greeting
    assert isinstance(name, Identity)
    assert isinstance(author, Identity)
    pair.server = ServerMessages()
    events_of(pair.server, b"ugi\n")
    offered = [offer.option for offer in options if isinstance(offer, Offer)]
    pair.server.send_hello(name.text, author.text, offered)
    assert pair.server.data_to_send().decode().splitlines() == [line[2:] for line in lines[1 : len(greeting) + 1]]
    assert ok == Ready()
