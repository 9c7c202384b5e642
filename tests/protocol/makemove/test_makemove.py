"""makemove: both sides, the page, bad input."""

from __future__ import annotations

import pytest

from fiedler.games import game
from fiedler.games.coordinates import coordinates
from fiedler.protocol import (
    MAX_LINE,
    ClientEvent,
    Eof,
    Limit,
    LocalProtocolError,
    Malformed,
    Move,
    Offer,
    Ready,
    Refusal,
    Start,
    detect,
)
from fiedler.protocol.blocking import answers, drained
from fiedler.protocol.makemove import LOAD_MODEL, SET_TIME_PER_MOVE, MakemoveClient, seconds_text
from tests.engine.engine_driver import Conversation
from tests.folders import DOCS
from tests.protocol.dialogue import exchanges

PAGE = DOCS / "protocols" / "makemove.md"
BYTES = coordinates(game("uttt"), "byte")
ANY = Limit(movetime_ms=100)


def player(name: str = "hsp", **options: str) -> Conversation:
    talk = Conversation("uttt", name, pinned="makemove", seed="1", **options)
    assert talk.received() == ["OK"]
    return talk


def said(client: MakemoveClient, *lines: str) -> list[ClientEvent]:
    client.receive_data("".join(f"{line}\n" for line in lines).encode())
    return drained(client)


def sent(client: MakemoveClient) -> list[str]:
    return client.data_to_send().decode().splitlines()


def greeted() -> MakemoveClient:
    client = MakemoveClient(BYTES)
    client.greet()
    assert [type(event) for event in drained(client)] == [Offer, Offer]
    assert said(client, "OK") == [Ready()]
    assert sent(client) == []
    return client


def asked(*moves: str) -> MakemoveClient:
    """A client that waits for the answer to MAKE_MOVE."""
    client = greeted()
    client.search(moves, ANY)
    for _ in moves:
        assert len(sent(client)) == 1
        assert said(client, "OK") == []
    assert sent(client) == ["MAKE_MOVE"]
    return client


def test_the_dialogue_of_the_page_is_what_a_player_says() -> None:
    (_, *rest) = dialogue()
    talk = player()
    for command, answer in rest:
        assert talk.say(command) == [answer], command
    assert talk.session.over


def test_the_dialogue_of_the_page_is_what_the_referee_says_and_understands() -> None:
    client, moves = MakemoveClient(BYTES), list[str]()
    client.greet()
    drained(client)
    for command, answer in dialogue():
        if answer.startswith("ERROR:"):
            continue  # a referee that plays by the rules does not say such commands
        name, _, value = command.partition(":")
        if name == SET_TIME_PER_MOVE:
            client.configure(name, value)
            client.ping()
        elif name == "GAME_RESET":
            client.new_game()
            moves = []
        elif name == "APPLY_MOVE":
            moves.append(BYTES.read(value, []))
            client.search(moves, ANY)
        elif name == "MAKE_MOVE" and not client.owes_move:
            client.search(moves, ANY)
        elif name == "EXIT":
            client.quit()
        assert sent(client) == [command][: bool(command)], command
        events = said(client, answer)
        if answer.startswith("MOVE:"):
            moves.append(BYTES.read(answer.removeprefix("MOVE:"), []))
            assert events == [Move(moves[-1])]
        else:
            assert events == [Ready()] * (name not in {"APPLY_MOVE", "EXIT"})


def dialogue() -> list[tuple[str, str]]:
    """The commands of the page's dialogue with their answers; the first OK has no command."""
    text = PAGE.read_text(encoding="utf-8").replace("```text\n< OK\n", "```text\n> \n< OK\n")
    assert text.count("```text") == 1
    found = [(lines[0], answers[0]) for lines, answers in exchanges(PAGE, "A dialogue", text)]
    assert found[0] == ("", "OK")
    return found


def test_names_of_moves() -> None:
    assert [BYTES.write(move, []) for move in ("a9", "e5", "i1", "a8", "d9")] == ["0", "68", "136", "3", "16"]
    assert len(set(BYTES.legal([]))) == 81
    for byte in ("9", "15", "144", "255"):
        with pytest.raises(ValueError, match="16·BOARD"):
            BYTES.read(byte, [])


def test_no_first_line_opens_it() -> None:
    assert [detect(line) for line in ("OK", "GAME_RESET", "MAKE_MOVE")] == [None] * 3


def test_lines_end_in_a_newline_alone() -> None:
    assert Conversation("uttt", "hsp", pinned="makemove").session.data_to_send() == b"OK\n"
    client = greeted()
    client.new_game()
    assert client.data_to_send() == b"GAME_RESET\n"
    assert said(client, "OK\r") == [Ready()]


def test_a_game_between_both_sides() -> None:
    client, talk, moves = MakemoveClient(BYTES), player(), ["e5", "e4"]
    client.receive_data(b"OK\n")
    client.greet()
    client.new_game()
    position = game("uttt").position(moves=moves)
    while position.result is None:
        client.search(moves, ANY)
        while client.owes_move:
            commands = sent(client)
            assert len(commands) == 1, "a command before the answer to the last one"
            said(client, *talk.say(*commands))
        (made,) = client._moves[len(moves) :]
        moves.append(made)
        position = game("uttt").position(moves=moves)
        if position.result is None:
            moves.append(position.move_text(position.legal_moves()[0]))
            position = game("uttt").position(moves=moves)
    client.new_game()
    assert said(client, *talk.say(*sent(client))) == [Ready()]
    assert client.takes_another_game
    client.quit()
    client.quit()
    assert talk.say(*sent(client)) == ["OK"]
    assert talk.session.over


def test_a_driver_that_blocks_sends_every_command() -> None:
    client, talk = MakemoveClient(BYTES), player()
    heard = [b"OK\n"]

    def send(data: bytes) -> None:
        heard.append("".join(f"{line}\n" for line in talk.say(*data.decode().splitlines())).encode())

    client.greet()
    assert Ready() in answers(client, Ready, send, lambda: heard.pop(0))
    client.search(["e5", "e4"], ANY)
    (event,) = answers(client, Move, send, lambda: heard.pop(0))
    assert isinstance(event, Move)
    assert BYTES.write(event.move or "", []) in BYTES.legal(["e5", "e4"])


BAD = [
    (b"HELLO\n", "expected one of GAME_RESET, MAKE_MOVE, EXIT, APPLY_MOVE:…, SET_TIME_PER_MOVE:…, LOAD_MODEL:…; got "),
    (b"game_reset\n", "expected one of GAME_RESET"),
    (b"GAME_RESET:1\n", "expected one of GAME_RESET"),
    (b"MAKE_MOVE:4\n", "expected one of GAME_RESET"),
    (b"APPLY_MOVE\n", "expected one of GAME_RESET"),
    (b"APPLY_MOVE:\n", "expected a whole number from 0 to 255, got ''"),
    (b"APPLY_MOVE:e5\n", "expected a whole number from 0 to 255, got 'e5'"),
    (b"APPLY_MOVE:-1\n", "expected a whole number from 0 to 255, got '-1'"),
    (b"APPLY_MOVE:256\n", "expected a whole number from 0 to 255, got '256'"),
    (b"APPLY_MOVE:9\n", "expected a legal move, got '9'"),
    (b"APPLY_MOVE:68\n", "expected a legal move, got '68'"),
    (b"APPLY_MOVE:136\n", "expected a legal move, got '136'"),
    (b"SET_TIME_PER_MOVE:0\n", "expected seconds from 0.001 to 2147483.647, got '0'"),
    (b"SET_TIME_PER_MOVE:nan\n", "expected seconds from 0.001 to 2147483.647, got 'nan'"),
    (b"SET_TIME_PER_MOVE:2147483.648\n", "expected seconds from 0.001 to 2147483.647, got '2147483.648'"),
    (b"LOAD_MODEL:/etc/passwd\n", "expected no LOAD_MODEL: this player has no model"),
    (b"MOVE:4\n", "expected one of GAME_RESET"),
    (b"\x00\xff\n", "expected UTF-8, got byte 0xff at offset 1"),
    (b"A" * (MAX_LINE + 1) + b"\n", "expected at most 65536 bytes on a line, got more"),
]


@pytest.mark.parametrize(("line", "why"), BAD, ids=[repr(line[:30]) for line, _ in BAD])
def test_bad_input_is_refused_and_changes_nothing(line: bytes, why: str) -> None:
    talk, plain = player(), player()
    for one in (talk, plain):
        assert one.say("GAME_RESET", "APPLY_MOVE:68") == ["OK", "OK"]
    talk.bring(line)
    (answer,) = talk.received()
    assert answer.startswith(f"ERROR:{why}")
    assert talk.say("MAKE_MOVE") == plain.say("MAKE_MOVE")


def test_half_a_line_at_the_end_is_refused() -> None:
    talk = player()
    talk.bring(b"MAKE_MOVE")
    talk.end()
    assert talk.received() == ["ERROR:expected a newline, got the end of the stream"]
    assert talk.session.over


def test_a_command_before_our_move_is_refused() -> None:
    talk = Conversation("uttt", "mcts", pinned="makemove", simulations="2000")
    talk.bring(b"MAKE_MOVE\nMAKE_MOVE\nEXIT\n")
    assert talk.received() == ["OK"] + [
        f"ERROR:expected nothing before our move, got {command!r}" for command in ("MAKE_MOVE", "EXIT")
    ]
    while not (lines := talk.received()):
        assert talk.pump()
    assert lines[0].startswith("MOVE:")


def test_after_the_end_of_a_game_only_another_game_follows() -> None:
    talk, position = player(), game("uttt").position()
    while position.result is None:
        move = position.legal_moves()[-1]
        assert talk.say(f"APPLY_MOVE:{BYTES.write(position.move_text(move), [])}") == ["OK"]
        position.play(move)
    assert talk.say("MAKE_MOVE") == ["ERROR:expected GAME_RESET: the game is over"]
    assert talk.say("APPLY_MOVE:0")[0].startswith("ERROR:expected a legal move")
    assert talk.say("GAME_RESET", "APPLY_MOVE:0") == ["OK", "OK"]


def test_the_time_is_that_of_the_referee() -> None:
    talk = Conversation("uttt", "mcts", pinned="makemove")
    talk.bring(b"SET_TIME_PER_MOVE: 0.25 \n")
    assert talk.session._server._limit == Limit(movetime_ms=250)  # type: ignore[union-attr]
    assert [seconds_text(ms) for ms in (1, 100, 500, 2000, 2**31 - 1)] == ["0.001", "0.1", "0.5", "2", "2147483.647"]


def test_a_model_is_loaded_only_if_it_is_that_of_the_start() -> None:
    talk = Conversation("uttt", "checkpoint", pinned="makemove", model="models/uttt-small.onnx")
    good = [f"LOAD_MODEL:{name}" for name in ("uttt-small.onnx", "models/uttt-small.onnx")]
    bad = "ERROR:expected the model of the start, 'uttt-small.onnx', got 'x.onnx'"
    assert talk.say(*good, "LOAD_MODEL:x.onnx") == ["OK", "OK", "OK", bad]
    talk.session.close()


def test_a_player_that_fails_answers_by_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def best_of(*_: object) -> None:
        raise RuntimeError("no such move")

    talk = player()
    with monkeypatch.context() as broken:
        broken.setattr("fiedler.engine.host.searcher.best_of", best_of)
        assert talk.say("MAKE_MOVE") == ["ERROR:player hsp failed; see the log of the engine"]
    assert talk.say("MAKE_MOVE")[0].startswith("MOVE:")


@pytest.mark.parametrize(
    ("answer", "events"),
    [
        ("MOVE:64", [Move("d6")]),
        ("MOVE: 64 ", [Move("d6")]),
        ("MOVE:136", [Move("i1")]),  # not legal: the referee of the match refuses it
        ("MOVE:", [Malformed("MOVE:", "expected a whole number from 0 to 255, got ''"), Move(None)]),
        ("MOVE:e5", [Malformed("MOVE:e5", "expected a whole number from 0 to 255, got 'e5'"), Move(None)]),
        ("MOVE:256", [Malformed("MOVE:256", "expected a whole number from 0 to 255, got '256'"), Move(None)]),
        ("MOVE:9", [Malformed("MOVE:9", "expected 16·BOARD + CELL, each from 0 to 8, got '9'"), Move(None)]),
        ("ERROR:no idea", [Refusal("no idea"), Move(None)]),
        ("OK", [Malformed("OK", "expected MOVE:N")]),
        ("thinking …", [Malformed("thinking …", "expected MOVE:N")]),
        ("MOVE", [Malformed("MOVE", "expected MOVE:N")]),
        ("", []),
    ],
)
def test_what_a_player_answers(answer: str, events: list[ClientEvent]) -> None:
    client = asked("e5")
    assert said(client, answer) == events
    assert client.owes_move != any(isinstance(event, Move) for event in events)
    client.receive_eof()
    assert drained(client) == [Eof()]


def test_a_move_that_a_player_does_not_take_ends_its_search() -> None:
    client = greeted()
    client.search(["e5", "d6"], ANY)
    assert sent(client) == ["APPLY_MOVE:68"]
    assert said(client, "what?", "MOVE:1") == [
        Malformed("what?", "expected OK"),
        Malformed("MOVE:1", "expected OK"),
    ]
    assert client.mistake.report("") == "; it sent 'MOVE:1', expected 'OK' after APPLY_MOVE"
    assert said(client, "ERROR:illegal") == [Refusal("illegal"), Move(None)]
    assert sent(client) == []
    client.new_game()
    assert sent(client) == ["GAME_RESET"]


def test_an_error_outside_a_search_is_final() -> None:
    client = greeted()
    client.new_game()
    assert said(client, "ERROR:no memory") == [Refusal("no memory", final=True)]


def test_the_line_of_a_move_is_kept_for_messages() -> None:
    client = asked("e5")
    said(client, "MOVE:136 ")
    assert client.mistake.move_line == "MOVE:136"


def test_a_search_that_was_not_sent_is_dropped_by_stop() -> None:
    client = greeted()
    client.search(["e5"], ANY)
    client.stop()
    assert drained(client) == [Move(None)]
    client.new_game()
    assert sent(client) == ["APPLY_MOVE:68"]
    said(client, "OK")
    assert sent(client) == ["GAME_RESET"]
    late = asked()
    late.stop()
    assert late.owes_move
    assert drained(late) == []


def test_settings_are_sent_one_after_the_other_and_only_if_asked_for() -> None:
    client = greeted()
    client.configure(LOAD_MODEL, "a b")
    client.configure(SET_TIME_PER_MOVE, "0.5")
    client.ping()
    assert sent(client) == ["LOAD_MODEL:a b"]
    assert client.mistake.silence(received=False).startswith("; no OK after LOAD_MODEL yet")
    assert said(client, "OK") == []
    assert sent(client) == ["SET_TIME_PER_MOVE:0.5"]
    assert said(client, "OK") == [Ready()]


def test_what_cannot_be_said_is_refused_and_changes_nothing() -> None:
    client = greeted()
    for name, value in (("seed", "1"), (LOAD_MODEL, None)):
        with pytest.raises(LocalProtocolError, match="no words for options"):
            client.configure(name, value)
    with pytest.raises(LocalProtocolError, match="from its start"):
        client.search([], ANY, "X;@........;")
    client.ask_start()
    assert drained(client) == [Start(None)]
    assert said(client, "OK") == [Malformed("OK", "expected nothing before the next command")]
    assert client.mistake.take_stray() == "OK"
    assert sent(client) == []
    client.search([], ANY)
    with pytest.raises(LocalProtocolError, match="answer to the last search"):
        client.search([], ANY)
