"""ServerMessages: transcripts, pending answers, refusals."""

import pytest

from fiedler.protocol import Eof, Info, Limit, LocalProtocolError, Malformed, Option
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
)
from tests.protocol.ugi.session_events import ended, events_of

SEED = Option("seed", "spin", default="0", min=0, max=9)


def receive(server: ServerMessages, *lines: str) -> list[ServerEvent]:
    return events_of(server, "".join(line + "\n" for line in lines).encode())


def sent(server: ServerMessages) -> list[str]:
    return server.data_to_send().decode().splitlines()


def greeted() -> ServerMessages:
    server = ServerMessages()
    receive(server, "ugi")
    server.send_hello("Parrot", "Nobody")
    server.data_to_send()
    return server


def parrot(server: ServerMessages, event: ServerEvent) -> None:
    """Answer every event: an engine whose move is always b2, and which searches until `stop` after `infinite`."""
    match event:
        case Hello():
            server.send_hello("Parrot 1", "N. O. Body", [SEED])
        case IsReady():
            server.send_readyok()
        case Query("legalmoves"):
            server.send_response("")
        case Query("board"):
            server.send_info_string(" . X")
            server.send_response("ok")
        case Query(what):
            server.send_response({"gameover": "false", "result": "none"}.get(what, "true"))
        case Go(Limit(infinite=False)) | Stop():
            server.send_info(Info(depth=1, nodes=9, score_cp=0, pv=("b2",)))
            server.send_bestmove("b2")
        case Malformed(_, why):
            server.send_error(why)


def check(transcript: str) -> None:
    """Play `> ` lines to the parrot, one at a time, and expect the `< ` lines that follow each."""
    server = ServerMessages()
    for part in ("\n" + transcript.strip()).split("\n> ")[1:]:
        line, *replies = part.split("\n")
        for event in receive(server, line):
            parrot(server, event)
        assert sent(server) == [reply.removeprefix("< ") for reply in replies], line


TRANSCRIPTS = {
    "greeting": """
> ugi
< id name Parrot 1
< id author N. O. Body
< option name seed type spin default 0 min 0 max 9
< ugiok
> isready
< readyok
> setoption name seed value 7
> quit
> ugi
""",
    # the ply that cutegames plays: the whole move list in every line, position twice, two queries, no ucinewgame sync
    "cutegames": """
> ugi
< id name Parrot 1
< id author N. O. Body
< option name seed type spin default 0 min 0 max 9
< ugiok
> isready
< readyok
> uginewgame
> position startpos
> query p1turn
< response true
> isready
< readyok
> position startpos
> position startpos
> query gameover
< response false
> go p1time 1000 p2time 1000 p1inc 10 p2inc 10
< info depth 1 nodes 9 score cp 0 pv b2
< bestmove b2
> position fen X;@........;X.OO...../ moves b2
> query result
< response none
> quit
""",
    "stop": """
> ugi
< id name Parrot 1
< id author N. O. Body
< option name seed type spin default 0 min 0 max 9
< ugiok
> go infinite
> isready
< readyok
> position startpos
< info string error: a search is running; send stop first; got position
> go nodes 5
< info string error: a search is running; send stop first; got go
> query gameover
< info string error: a search is running; send stop first; got query
> ugi
< info string error: a search is running; send stop first; got ugi
> stop
< info depth 1 nodes 9 score cp 0 pv b2
< bestmove b2
> stop
> stop
> go nodes 5
< info depth 1 nodes 9 score cp 0 pv b2
< bestmove b2
""",
    "ours": """
> ugi
< id name Parrot 1
< id author N. O. Body
< option name seed type spin default 0 min 0 max 9
< ugiok
> query legalmoves
< response
> query board
< info string  . X
< response ok
""",
    "refusals": """
> isready
< info string error: expected ugi first; got isready
> uci
< info string error: expected one of ugi, isready, setoption, uginewgame, position, query, go, stop, quit; got 'uci'; did you mean 'ugi'?
> UGI
< info string error: expected one of ugi, isready, setoption, uginewgame, position, query, go, stop, quit; got 'UGI'; did you mean 'ugi'?
> ugi now
< info string error: expected ugi alone on its line, got 'now' after it
> ugi
< id name Parrot 1
< id author N. O. Body
< option name seed type spin default 0 min 0 max 9
< ugiok
>  \t
> end of stream
< info string error: expected one of ugi, isready, setoption, uginewgame, position, query, go, stop, quit; got 'end'
> query
< info string error: expected query gameover|p1turn|result|legalmoves|position|board|capabilities, got ''
> query gameover now
< info string error: expected query gameover|p1turn|result|legalmoves|position|board|capabilities, got 'gameover now'
> go movetime -20
< info string error: expected a whole number from 1 to 2147483647 after movetime, got '-20'
> position b2
< info string error: expected startpos or fen after position, got 'b2'
> setoption name
< info string error: expected setoption name NAME [value VALUE], got 'setoption name'
> isready
< readyok
""",  # noqa: E501
}


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_transcript(name: str) -> None:
    check(TRANSCRIPTS[name])


def test_events() -> None:
    lines = ["ugi", "isready", "setoption name Hash Size value 12", "uginewgame", "position startpos moves b2 a1"]
    server = ServerMessages()
    assert receive(server, *lines, "query result", "go depth 3 movetime 20", "stop", "quit", "isready") == [
        Hello(),
        IsReady(),
        SetOption("Hash Size", "12"),
        NewGame(),
        SetPosition("startpos", ("b2", "a1")),
        Query("result"),
        Go(Limit(depth=3, movetime_ms=20)),
        Stop(),
        Quit(),
    ]
    assert server.state is State.CLOSING
    assert ended(server) == [Eof()]


def test_a_refused_line_changes_nothing() -> None:
    server = greeted()
    (refused,) = receive(server, "go nodes none")
    assert isinstance(refused, Malformed)
    assert refused.line == "go nodes none"
    assert server.state is State.IDLE
    with pytest.raises(LocalProtocolError):
        server.send_bestmove("b2")


def test_every_request_has_exactly_one_answer() -> None:
    server = greeted()
    receive(server, "isready", "query gameover", "query p1turn", "ugi")
    server.send_readyok()
    server.send_response("false")
    server.send_response("true")
    server.send_hello("Parrot", "Nobody")
    assert sent(server)[:3] == ["readyok", "response false", "response true"]
    with pytest.raises(LocalProtocolError, match="expected isready before readyok, got none that is unanswered"):
        server.send_readyok()
    with pytest.raises(LocalProtocolError, match="expected query before response"):
        server.send_response("true")
    with pytest.raises(LocalProtocolError, match="expected ugi before ugiok"):
        server.send_hello("Parrot", "Nobody")


def test_answers_may_follow_the_end_of_the_stream() -> None:
    """A script at the other end of a pipe has sent everything; it still reads."""
    server = ServerMessages()
    receive(server, "ugi", "query gameover", "go nodes 5")
    assert ended(server) == [Eof()]
    server.send_hello("Parrot", "Nobody")
    server.send_response("false")
    server.send_info(Info(nodes=5))
    server.send_bestmove("b2")
    assert sent(server) == [
        "id name Parrot",
        "id author Nobody",
        "ugiok",
        "response false",
        "info nodes 5",
        "bestmove b2",
    ]
    assert server.state is State.CLOSED
    with pytest.raises(LocalProtocolError):
        server.send_bestmove("b2")


def test_a_line_cut_by_the_end_of_the_stream() -> None:
    server = greeted()
    assert events_of(server, b"go movetime 1") == []
    assert ended(server) == [
        Malformed("go movetime 1", "expected a newline, got the end of the stream"),
        Eof(),
    ]


def test_no_move() -> None:
    server = greeted()
    receive(server, "go nodes 5")
    server.send_bestmove(None)
    assert sent(server) == ["bestmove none"]


@pytest.mark.parametrize("move", ["", "a1 b2", "a1 ", "a1\n", " "])
def test_bestmove_is_two_words(move: str) -> None:
    server = greeted()
    receive(server, "go nodes 5")
    with pytest.raises(LocalProtocolError, match="expected one word as move, got"):
        server.send_bestmove(move)
    assert (server.state, server.data_to_send()) == (State.SEARCHING, b"")


def test_an_answer_that_does_not_fit_on_a_line_is_refused() -> None:
    server = ServerMessages()
    receive(server, "ugi", "query board")
    for bad in ("two\nlines", "two\rlines", "x" * 65536):
        with pytest.raises(LocalProtocolError, match="expected"):
            server.send_response(bad)
        with pytest.raises(LocalProtocolError, match="expected"):
            server.send_info_string(bad)
    with pytest.raises(LocalProtocolError, match="expected an option name"):
        server.send_hello("Parrot", "Nobody", [SEED, Option("type", "button")])
    with pytest.raises(LocalProtocolError, match="expected a name and an author in words"):
        server.send_hello("Parrot\nbestmove a1", "Nobody")
    assert server.data_to_send() == b""
    server.send_hello("Parrot", "Nobody", [SEED])
    server.send_response("ok")
    assert len(sent(server)) == 5


def test_an_error_is_always_one_line() -> None:
    server = ServerMessages()
    server.send_error("no position:\n  the file name was \udcff\r\n")
    assert sent(server) == ["info string error: no position: the file name was \\udcff"]


def test_a_short_line_limit() -> None:
    server = ServerMessages(line_limit=16)
    refused = Malformed("position startpo", "expected at most 16 bytes on a line, got more")
    assert receive(server, "ugi", "position startpos", "isready") == [Hello(), refused, IsReady()]
