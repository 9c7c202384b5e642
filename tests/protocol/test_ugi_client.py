"""UgiClient: what engines answer, what foreign and broken ones answer, what we may not ask."""

import pytest

from protocol import (
    MAX_LINE,
    BestMove,
    ClientEvent,
    EngineId,
    Eof,
    GrowingPosition,
    Info,
    InfoLine,
    InfoString,
    Limit,
    LocalProtocolError,
    Malformed,
    Option,
    OptionOffer,
    ReadyOk,
    Response,
    State,
    UgiClient,
    UgiOk,
)


def hear(client: UgiClient, *lines: str) -> list[ClientEvent]:
    return client.receive_data("".join(line + "\n" for line in lines).encode())


def said(client: UgiClient) -> list[str]:
    return client.data_to_send().decode().splitlines()


def greeted() -> UgiClient:
    client = UgiClient()
    client.send_ugi()
    assert hear(client, "ugiok") == [UgiOk()]
    client.data_to_send()
    return client


def searching() -> UgiClient:
    client = greeted()
    client.send_go(Limit(nodes=5))
    client.data_to_send()
    return client


def test_greeting() -> None:
    client = UgiClient()
    client.send_ugi()
    assert said(client) == ["ugi"]
    lines = ["id name Parrot  1", "id author N. O. Body", "option name seed type spin default 0", "", "ugiok"]
    assert hear(client, *lines) == [
        EngineId("name", "Parrot 1"),
        EngineId("author", "N. O. Body"),
        OptionOffer(Option("seed", "spin", default="0")),
        UgiOk(),
    ]


def test_a_ply_in_one_write() -> None:
    client = greeted()
    client.send_newgame()
    client.send_setoption("seed", "7")
    client.send_setoption("Clear Hash")
    client.send_isready()
    client.send_position("startpos", ["b2", "a1"])
    client.send_query("gameover")
    client.send_go(Limit(movetime_ms=20))
    assert said(client) == [
        "uginewgame",
        "setoption name seed value 7",
        "setoption name Clear Hash",
        "isready",
        "position startpos moves b2 a1",
        "query gameover",
        "go movetime 20",
    ]
    assert client.data_to_send() == b""
    assert hear(client, "readyok", "response false", "info depth 1 pv c3", "bestmove c3") == [
        ReadyOk(),
        Response("false", "gameover"),
        InfoLine(Info(depth=1, pv=("c3",))),
        BestMove("c3"),
    ]
    assert client.state is State.IDLE


def test_responses_come_in_the_order_of_the_queries() -> None:
    client = greeted()
    client.send_query("legalmoves")
    client.send_query("board")
    client.send_query("position")
    assert hear(client, "response", "info string  . X", "response ok", "response X; ./ two  words") == [
        Response("", "legalmoves"),
        InfoString(" . X"),
        Response("ok", "board"),
        Response("X; ./ two words", "position"),
    ]


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("bestmove a1", "a1"),
        ("bestmove a1 ponder b2", "a1"),
        ("  bestmove\ta1 ", "a1"),
        ("bestmove none", None),
        ("bestmove (none)", None),
    ],
)
def test_bestmove(line: str, move: str | None) -> None:
    client = searching()
    assert hear(client, line) == [BestMove(move)]
    assert client.state is State.IDLE


def test_a_bare_bestmove_ends_the_search_too() -> None:
    client = searching()
    assert hear(client, "bestmove") == [Malformed("bestmove", "expected bestmove MOVE, got no move"), BestMove(None)]
    assert client.state is State.IDLE
    assert hear(client, "bestmove") == [Malformed("bestmove", "expected bestmove MOVE, got no move")]


def test_one_bestmove_and_no_more() -> None:
    client = searching()
    first, second = hear(client, "bestmove a1", "bestmove b2")
    assert first == BestMove("a1")
    assert second == Malformed("bestmove b2", "expected no bestmove now, nobody asked for it (the state is IDLE)")


def test_a_late_answer_after_stop() -> None:
    client = searching()
    client.send_stop()
    client.send_stop()
    client.send_isready()
    assert said(client) == ["stop", "isready"]
    with pytest.raises(LocalProtocolError, match="expected to send go only in IDLE; the state is STOPPING"):
        client.send_go(Limit(nodes=5))
    assert hear(client, "info depth 2", "readyok", "bestmove a1") == [
        InfoLine(Info(depth=2)),
        ReadyOk(),
        BestMove("a1"),
    ]
    client.send_go(Limit(nodes=5))
    assert client.state is State.SEARCHING


def test_a_stop_that_crossed_the_bestmove() -> None:
    client = searching()
    assert hear(client, "bestmove a1") == [BestMove("a1")]
    client.send_stop()
    assert client.data_to_send() == b""


def test_a_careless_engine_answers_a_late_stop_twice() -> None:
    client = searching()
    client.send_stop()
    assert hear(client, "bestmove a1") == [BestMove("a1")]
    client.send_isready()
    second, ready = hear(client, "bestmove a1", "readyok")
    assert isinstance(second, Malformed)
    assert ready == ReadyOk()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("Parrot 1 by Nobody", "expected one of id, option, ugiok, readyok, info, response, bestmove; got 'Parrot'"),
        ("bestmove a1", "expected no bestmove now, nobody asked for it (the state is IDLE)"),
        ("response true", "expected no response now, nobody asked for it"),
        ("readyok", "expected no readyok now, nobody asked for it"),
        ("readyok now", "expected readyok alone on its line, got 'now' after it"),
        ("ugiok", "expected no ugiok now, nobody asked for it (the state is IDLE)"),
        ("ugiok now", "expected ugiok alone on its line, got 'now' after it"),
        ("id name Parrot", "expected no id now, nobody asked for it (the state is IDLE)"),
        ("id", "expected id name TEXT or id author TEXT, got 'id'"),
        ("id author", "expected id name TEXT or id author TEXT, got 'id author'"),
        ("option name x type button", "expected no option now, nobody asked for it (the state is IDLE)"),
        ("option name x", "expected option name NAME type spin|check|string|combo|button, got 'option name x'"),
        ("\x1b[2J", "expected one of id, option, ugiok, readyok, info, response, bestmove; got '\\x1b[2J'"),
    ],
)
def test_what_nobody_asked_for(line: str, why: str) -> None:
    client = greeted()
    assert hear(client, line) == [Malformed(line, why)]
    assert client.state is State.IDLE


def test_uciok_is_taken_for_ugiok() -> None:
    client = UgiClient()
    client.send_ugi()
    assert hear(client, "id name Parrot", "uciok") == [EngineId("name", "Parrot"), UgiOk()]
    assert client.state is State.IDLE


def test_the_beginning_of_a_line_can_be_seen() -> None:
    client = greeted()
    assert client.unfinished == ""
    client.receive_data(b"info\nbestmove \xff" + b"x" * 999)
    assert client.unfinished.startswith("bestmove \\xffxxx")
    assert len(client.unfinished) == 120
    client.receive_data(b"\n")
    assert client.unfinished == ""


def test_information_may_come_at_any_time() -> None:
    client = UgiClient()
    assert hear(client, "info depth 3", "info string hello", "info string", "info string error: no such option") == [
        InfoLine(Info(depth=3)),
        InfoString("hello"),
        InfoString(""),
        InfoString("error: no such option"),
    ]


def test_errors_among_the_strings() -> None:
    assert InfoString("error: no such option").error == "no such option"
    assert InfoString("no error: all is well").error is None


def test_the_engine_dies_during_a_search() -> None:
    client = searching()
    assert client.receive_data(b"bestmove a1") == []
    why = "expected a newline, got the end of the stream"
    assert client.receive_eof() == [Malformed("bestmove a1", why), Eof()]
    assert client.state is State.CLOSED
    client.send_quit()
    assert client.data_to_send() == b""
    with pytest.raises(LocalProtocolError, match="expected to send isready only in"):
        client.send_isready()


def test_nothing_is_heard_after_quit() -> None:
    client = searching()
    client.send_quit()
    assert said(client) == ["quit"]
    assert hear(client, "bestmove a1", "garbage") == []
    assert client.receive_eof() == [Eof()]


def test_what_we_may_not_ask() -> None:
    client = greeted()
    with pytest.raises(LocalProtocolError, match="expected one word as query, got 'game over'"):
        client.send_query("game over")
    with pytest.raises(LocalProtocolError, match="expected nodes from 1"):
        client.send_go(Limit(nodes=0))
    with pytest.raises(LocalProtocolError, match="expected moves of one word each"):
        client.send_position(moves=["a1\nquit"])
    with pytest.raises(LocalProtocolError, match="expected at most 65536 bytes on a line"):
        client.send_position(moves=["x" * 100] * 700)
    assert (client.state, client.data_to_send()) == (State.IDLE, b"")
    client.send_query("capabilities")
    assert hear(client, "response legalmoves board") == [Response("legalmoves board", "capabilities")]


@pytest.mark.parametrize(
    "data",
    [
        *(b"bestmove a1\n", b"bestmove a1\r\n", b"bestmove none\n", b"bestmove (none)\n", b"bestmove a1 ponder b2\n"),
        *(
            b"bestmove \n",
            b"bestmove a1\nbestmove b2\n",
            "bestmove é\n".encode(),
            b"bestmove a\xff\n",
            b" bestmove a1\n",
        ),
        *(b"bestmove a1\r\r\n", b"bestmove a\x1cb\n", b"bestmove " + b"a" * 99999 + b"\n", b"bestmove a1"),
    ],
)
@pytest.mark.parametrize("asked", [False, True])
def test_answer_at_once_is_the_answer_byte_by_byte(data: bytes, asked: bool) -> None:
    at_once, slowly = [searching() if asked else greeted() for _ in range(2)]
    move = at_once.receive_move(data)
    events = [BestMove(move)] if move else at_once.receive_data(data)
    assert events == [event for at in range(len(data)) for event in slowly.receive_data(data[at : at + 1])]
    assert at_once.state == slowly.state


def test_limit_that_changes_and_comes_back() -> None:
    client = greeted()
    for nodes in (5, 5, 6, 5):
        client.send_search(GrowingPosition(), Limit(nodes=nodes))
        assert said(client) == ["position startpos", f"go nodes {nodes}"]
        assert hear(client, "bestmove a1") == [BestMove("a1")]


def test_only_a_whole_move_is_taken_at_once() -> None:
    client = searching()
    assert [client.receive_move(data) for data in (b"info depth 1\n", b"bestmove a1", b"bestmove none\n")] == [""] * 3
    client.receive_data(b"best")
    assert client.receive_move(b"bestmove a1\n") == ""
    client.receive_data(b"ies\n")
    assert client.receive_move(b"bestmove a1\n") == "a1"
    assert client.receive_move(b"bestmove a1\n") == ""


def test_search_is_refused_as_a_whole() -> None:
    client = greeted()
    position = GrowingPosition(["a" * MAX_LINE])
    with pytest.raises(LocalProtocolError, match="expected at most"):
        client.send_search(position, Limit(nodes=1))
    assert (client.state, client.data_to_send()) == (State.IDLE, b"")
    client.send_search(GrowingPosition(["a1"]), Limit(nodes=1))
    assert said(client) == ["position startpos moves a1", "go nodes 1"]
    with pytest.raises(LocalProtocolError, match="expected to send go only in IDLE"):
        client.send_search(GrowingPosition(["a1"]), Limit(nodes=1))


def test_info_that_nobody_reads_is_kept() -> None:
    client = UgiClient(reads_info=False)
    client.send_ugi()
    hear(client, "ugiok")
    client.send_go(Limit(nodes=5))
    assert client.last_info is None
    lines = ["info depth 1", "info string x", "info depth 2 score cp 30 pv a1", "bestmove a1"]
    assert hear(client, *lines) == [InfoString("x"), BestMove("a1")]
    assert client.last_info == Info(depth=2, score_cp=30, pv=("a1",))
    client.send_go(Limit(nodes=5))
    assert client.last_info is None
