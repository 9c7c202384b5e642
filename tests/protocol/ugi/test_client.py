"""The client: answers of our engines, of foreign and of broken ones, and requests that are not allowed."""

import pytest

from fiedler.protocol import (
    MAX_LINE,
    ClientEvent,
    Eof,
    Identity,
    Info,
    Limit,
    LocalProtocolError,
    Malformed,
    Message,
    Move,
    Offer,
    Option,
    Ready,
    Refusal,
    Response,
    Start,
)
from fiedler.protocol.ugi import State, UgiClient
from tests.protocol.ugi.session_events import ended, events_of


def receive(client: UgiClient, *lines: str) -> list[ClientEvent]:
    return events_of(client, "".join(line + "\n" for line in lines).encode())


def sent(client: UgiClient) -> list[str]:
    return client.data_to_send().decode().splitlines()


def greeted() -> UgiClient:
    client = UgiClient()
    client.send_ugi()
    assert receive(client, "ugiok") == [Ready()]
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
    assert sent(client) == ["ugi"]
    lines = ["id name Parrot  1", "id author N. O. Body", "option name seed type spin default 0", "", "ugiok"]
    assert receive(client, *lines) == [
        Identity("name", "Parrot 1"),
        Identity("author", "N. O. Body"),
        Offer(Option("seed", "spin", default="0")),
        Ready(),
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
    assert sent(client) == [
        "uginewgame",
        "setoption name seed value 7",
        "setoption name Clear Hash",
        "isready",
        "position startpos moves b2 a1",
        "query gameover",
        "go movetime 20",
    ]
    assert client.data_to_send() == b""
    assert receive(client, "readyok", "response false", "info depth 1 pv c3", "bestmove c3") == [
        Ready(),
        Response("false", "gameover"),
        Info(depth=1, pv=("c3",)),
        Move("c3"),
    ]
    assert client.state is State.IDLE


def test_responses_come_in_the_order_of_the_queries() -> None:
    client = greeted()
    client.send_query("legalmoves")
    client.send_query("board")
    client.send_query("position")
    assert receive(client, "response", "info string  . X", "response ok", "response X; ./ two  words") == [
        Response("", "legalmoves"),
        Message(" . X"),
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
    assert receive(client, line) == [Move(move)]
    assert client.state is State.IDLE


def test_a_bare_bestmove_ends_the_search_too() -> None:
    client = searching()
    assert receive(client, "bestmove") == [Malformed("bestmove", "expected bestmove MOVE, got no move"), Move(None)]
    assert client.state is State.IDLE
    assert receive(client, "bestmove") == [Malformed("bestmove", "expected bestmove MOVE, got no move")]


def test_a_second_bestmove_is_malformed() -> None:
    client = searching()
    first, second = receive(client, "bestmove a1", "bestmove b2")
    assert first == Move("a1")
    assert second == Malformed("bestmove b2", "expected no bestmove now, nobody asked for it (the state is IDLE)")


def test_a_bestmove_after_stop_is_one_move() -> None:
    client = searching()
    client.send_stop()
    client.send_stop()
    client.send_isready()
    assert sent(client) == ["stop", "isready"]
    with pytest.raises(LocalProtocolError, match="expected to send go only in IDLE; the state is STOPPING"):
        client.send_go(Limit(nodes=5))
    assert receive(client, "info depth 2", "readyok", "bestmove a1") == [
        Info(depth=2),
        Ready(),
        Move("a1"),
    ]
    client.send_go(Limit(nodes=5))
    assert client.state is State.SEARCHING


def test_a_stop_that_crossed_the_bestmove() -> None:
    client = searching()
    assert receive(client, "bestmove a1") == [Move("a1")]
    client.send_stop()
    assert client.data_to_send() == b""


def test_a_careless_engine_answers_a_late_stop_twice() -> None:
    client = searching()
    client.send_stop()
    assert receive(client, "bestmove a1") == [Move("a1")]
    client.send_isready()
    second, ready = receive(client, "bestmove a1", "readyok")
    assert isinstance(second, Malformed)
    assert ready == Ready()


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
def test_an_answer_without_a_request_is_malformed(line: str, why: str) -> None:
    client = greeted()
    assert receive(client, line) == [Malformed(line, why)]
    assert client.state is State.IDLE


def test_uciok_is_taken_for_ugiok() -> None:
    client = UgiClient()
    client.send_ugi()
    assert receive(client, "id name Parrot", "uciok") == [Identity("name", "Parrot"), Ready()]
    assert client.state is State.IDLE


def test_the_beginning_of_a_line_is_visible() -> None:
    client = greeted()
    assert client.unfinished == ""
    events_of(client, b"info\nbestmove \xff" + b"x" * 999)
    assert client.unfinished.startswith("bestmove \\xffxxx")
    assert len(client.unfinished) == 120
    events_of(client, b"\n")
    assert client.unfinished == ""


def test_information_may_come_at_any_time() -> None:
    client = UgiClient()
    strings = ("hello", "", "error: no such option", "no error: x")
    lines = ["info depth 3", *(f"info string {text}".rstrip() for text in strings)]
    assert receive(client, *lines) == [
        Info(depth=3),
        Message("hello"),
        Message(""),
        Refusal("no such option"),
        Message("no error: x"),
    ]


def test_the_engine_dies_during_a_search() -> None:
    client = searching()
    assert events_of(client, b"bestmove a1") == []
    why = "expected a newline, got the end of the stream"
    assert ended(client) == [Malformed("bestmove a1", why), Eof()]
    assert client.state is State.CLOSED
    client.send_quit()
    assert client.data_to_send() == b""
    with pytest.raises(LocalProtocolError, match="expected to send isready only in"):
        client.send_isready()


def test_input_after_quit_is_dropped() -> None:
    client = searching()
    client.send_quit()
    assert sent(client) == ["quit"]
    assert receive(client, "bestmove a1", "garbage") == []
    assert ended(client) == [Eof()]


def test_requests_that_are_not_allowed() -> None:
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
    assert receive(client, "response legalmoves board") == [Response("legalmoves board", "capabilities")]


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
@pytest.mark.parametrize(
    "info",
    [
        *(b"", b"info depth 3 score cp 5 pv a1\n", b"info score mate 1\r\n", b"info string x\n", b"info\n", b"\n"),
        *(b"info score cp 1\ninfo depth 2\n", b"info depth 2\ninfo score cp 1\n", b"info pv score \xff\n", b"x\n"),
        *(b"info score cp 1\n" + b"info pv" + 300 * b" a1" + b" score cp 2\n", b"info score cp 1\ninfo score cp 2\n"),
        *(b"info depth 1\n\ninfo depth 2\n", b"info score cp 1\rinfo score cp 2\n", b"info score cp 1\x1cdepth 2\n"),
        *(b"info score cp 1\ninfo string a score b\n", b"info string error: x\n", b"info string\n"),
        *(b"info multipv 1 score cp 1\ninfo multipv 2 score cp 2\n", b"info multipv 12 score cp 1\n"),
    ],
)
@pytest.mark.parametrize("reads_info", [False, True])
@pytest.mark.parametrize("asked", [False, True])
def test_answer_at_once_is_the_answer_byte_by_byte(data: bytes, info: bytes, asked: bool, reads_info: bool) -> None:
    at_once, slowly = [searching() if asked else greeted() for _ in range(2)]
    at_once.reads_info = slowly.reads_info = reads_info
    data = info + data
    move = at_once.receive_answer(data)
    events = events_of(at_once, data) if move is None else [Move(move)] if move else []
    assert events == [event for at in range(len(data)) for event in events_of(slowly, data[at : at + 1])]
    assert (at_once.state, at_once.last_info) == (slowly.state, slowly.last_info)


def test_a_limit_that_changes_and_returns() -> None:
    client = greeted()
    for nodes in (5, 5, 6, 5):
        client.search([], Limit(nodes=nodes))
        assert sent(client) == ["position startpos", f"go nodes {nodes}"]
        assert receive(client, "bestmove a1") == [Move("a1")]


def test_only_whole_lines_are_taken_at_once() -> None:
    client = searching()
    for data in (b"bestmove a1", b"bestmove none\n", b"info depth 1", b"", b"info depth 1\nbestmove none\n"):
        assert client.receive_answer(data) is None
    events_of(client, b"best")
    assert client.receive_answer(b"bestmove a1\n") is None
    events_of(client, b"ies\n")
    client.reads_info = False
    assert client.receive_answer(b"info depth 1\ninfo score cp 7 pv a1\n") == ""
    assert client.receive_answer(b"info depth 2\nbestmove a1 ponder b1\n") == "a1"
    assert client.last_info == Info(score_cp=7, pv=("a1",))
    assert client.receive_answer(b"bestmove a1\n") is None


def test_search_is_refused_as_a_whole() -> None:
    client = greeted()
    with pytest.raises(LocalProtocolError, match="expected at most"):
        client.search(["a" * MAX_LINE], Limit(nodes=1))
    assert (client.state, client.data_to_send()) == (State.IDLE, b"")
    client.search(["a1"], Limit(nodes=1))
    assert sent(client) == ["position startpos moves a1", "go nodes 1"]
    with pytest.raises(LocalProtocolError, match="expected to send go only in IDLE"):
        client.search(["a1"], Limit(nodes=1))


def test_the_last_unread_info_is_kept() -> None:
    client = UgiClient()
    client.reads_info = False
    client.send_ugi()
    receive(client, "ugiok")
    client.send_go(Limit(nodes=5))
    assert client.last_info is None
    lines = ["info depth 1", "info string x", "info depth 2 score cp 30 pv a1", "bestmove a1"]
    assert receive(client, *lines) == [Move("a1")]
    assert client.last_info == Info(depth=2, score_cp=30, pv=("a1",))
    kept = client.keep_info()
    client.send_go(Limit(nodes=5))
    assert client.last_info is None
    assert client.keep_info()() is None
    assert kept() == Info(depth=2, score_cp=30, pv=("a1",))


@pytest.mark.parametrize("at_once", [True, False])
def test_the_beginning_of_a_long_info_is_kept(at_once: bool) -> None:
    """A line of 64 KiB for each move would hold the reader of all of them at the end of the game."""
    client = UgiClient()
    client.greet()
    client.reads_info = False
    receive(client, "ugiok")
    client.search([], Limit(nodes=5))
    lines = "info depth 2 score cp 30 pv" + " a1" * 20_000 + "\nbestmove a1\n"
    if at_once:
        assert client.receive_answer(lines.encode()) == "a1"
    else:
        assert receive(client, *lines.splitlines()) == [Move("a1")]
    assert client.last_info == Info(depth=2, score_cp=30, pv=("a1",) * 332)


def test_an_info_without_a_score_in_its_beginning_is_not_kept() -> None:
    client = searching()
    client.reads_info = False
    receive(client, "info depth 1 score cp 7", "info" + " nodes 5" * 200 + " score cp 30")
    assert client.last_info == Info(depth=1, score_cp=7)


def test_requests_in_the_words_of_ugi() -> None:
    client = UgiClient()
    client.greet()
    assert sent(client) == ["ugi"]
    assert receive(client, "id name Fiedler random", "ugiok")[-1] == Ready()
    client.configure("seed", "7")
    client.configure("Clear Hash")
    client.ping()
    client.new_game()
    assert sent(client) == [
        "setoption name seed value 7",
        "setoption name Clear Hash",
        "isready",
        "uginewgame",
        "isready",
    ]
    assert receive(client, "readyok", "readyok") == [Ready(), Ready()]
    client.ask_start()
    client.search(["b2"], Limit(nodes=5))
    assert client.owes_move
    client.stop()
    assert sent(client) == ["query position", "position startpos moves b2", "go nodes 5", "stop"]
    assert receive(client, "response X;.../.../...", "bestmove a1") == [Start("X;.../.../..."), Move("a1")]
    assert not client.owes_move
    client.quit()
    assert sent(client) == ["quit"]


def test_only_our_engines_are_asked_for_their_start() -> None:
    client = greeted()
    client.ask_start()
    assert sent(client) == []
    assert client.next_event() == Start(None)
    client.send_query("position")
    assert receive(client, "response X") == [Response("X", "position")]


def test_a_search_from_another_start() -> None:
    client = greeted()
    for start, moves in (("X;.../.../...", ["a1"]), ("X;.../.../...", ["a1", "b2", "c3"]), ("startpos", ["a1"])):
        client.search(moves, Limit(nodes=5), start)
        begin = start if start == "startpos" else f"fen {start}"
        assert sent(client) == [f"position {begin} moves {' '.join(moves)}", "go nodes 5"]
        receive(client, "bestmove a1")


def test_output_that_is_not_an_answer_is_kept_for_messages() -> None:
    client = greeted()
    client.search([], Limit(nodes=5))
    receive(client, "bestmov a1")
    client.receive_data(b"info")
    assert client.mistake.report(client.unfinished) == "; it sent 'info' without a newline"
    assert client.mistake.report("") == "; it sent 'bestmov a1', expected 'bestmove a1'"
    receive(client, "", "bestmove a1", "bestmove b2")
    assert client.mistake.take_stray() == "bestmove b2"
    client.ping()
    assert client.mistake.report("") == "; it sent 'bestmove b2' before it was asked"
    assert client.mistake.silence(received=True) == "; no readyok after isready yet"


def test_questions_about_a_position() -> None:
    client = greeted()
    moves = ["b2"]
    client.place(moves)
    client.query("legalmoves")
    assert sent(client) == ["position startpos moves b2", "query legalmoves", "isready"]
    assert client.mistake.silence(received=True) == "; no response after query legalmoves yet"
    assert receive(client, "response  a1  c3", "readyok") == [Response("a1 c3", "legalmoves"), Ready()]
    moves.append("a1")
    client.search(moves, Limit(nodes=5))
    assert sent(client) == ["position startpos moves b2 a1", "go nodes 5"]
    with pytest.raises(LocalProtocolError, match="expected to send position only in IDLE"):
        client.place(moves)
    with pytest.raises(LocalProtocolError, match="expected to send query only in IDLE"):
        client.query("gameover")
    assert sent(client) == []


def test_a_question_without_an_answer_stays_unanswered_from_the_next_ready_on() -> None:
    client = greeted()
    client.query("capabilities")
    assert receive(client, "info string error: no", "readyok") == [Refusal("no"), Ready()]
    client.query("gameover")
    assert receive(client, "response true", "readyok") == [Response("true", "gameover"), Ready()]
    assert events_of(client, b"response late\n")[0] == Malformed(
        "response late", "expected no response now, nobody asked for it"
    )


def test_a_line_of_a_position_is_bounded() -> None:
    client = greeted()
    with pytest.raises(LocalProtocolError, match=f"expected at most {MAX_LINE} bytes on a line"):
        client.place(["x" * MAX_LINE])
