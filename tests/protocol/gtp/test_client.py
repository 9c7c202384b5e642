"""GTP, the manager's side: what is sent, and what answers mean."""

from __future__ import annotations

import pytest

from fiedler.games import any_game, game
from fiedler.games.coordinates import coordinates
from fiedler.protocol import (
    MAX_LINE,
    ClientEvent,
    Eof,
    FinalScore,
    Identity,
    Limit,
    LocalProtocolError,
    Malformed,
    Move,
    Offer,
    Option,
    Ready,
    Refusal,
    Start,
)
from fiedler.protocol.blocking import drained
from fiedler.protocol.gtp import GtpClient
from fiedler.protocol.gtp.client import MAX_LINES
from tests.engine.engine_driver import Conversation

COMMANDS = "name\nlist_commands\nboardsize\nclear_board\nplay\ngenmove\ntime_settings\ntime_left\nlz-analyze\nseed"
SECONDS = Limit(movetime_ms=2500)


def greeted(commands: str = COMMANDS, game_id: str = "connect4") -> GtpClient:
    client = GtpClient(coordinates(any_game(game_id), "vertex"))
    client.greet()
    received(client, f"= me\n\n= {commands}\n\n=\n\n")
    client.data_to_send()
    return client


def received(client: GtpClient, text: str) -> list[ClientEvent]:
    client.receive_data(text.encode())
    return drained(client)


def sent(client: GtpClient) -> list[str]:
    return client.data_to_send().decode().splitlines()


def test_the_greeting() -> None:
    client = GtpClient(coordinates(game("connect4"), "vertex"))
    client.greet()
    assert sent(client) == ["name", "list_commands", "boardsize 7"]
    assert received(client, "= My  bot\n\n") == [Identity("name", "My bot")]
    assert received(client, f"= {COMMANDS}\n") == []
    assert received(client, "\n") == [Offer(Option("seed", "string"))]
    assert received(client, "= \n\n") == [Ready()]


def test_go_begins_with_its_komi_and_has_passes() -> None:
    client = greeted(f"{COMMANDS}\nkomi", "go9")
    client.new_game()
    assert sent(client) == ["komi 7.5", "clear_board"]
    assert received(client, "=\n\n=\n\n") == [Ready()]
    client.search(["e5", "pass"], SECONDS)
    assert sent(client) == ["play B E5", "play W PASS", "time_settings 0 2 1", "genmove B"]
    assert received(client, "=\n\n=\n\n=\n\n= pass\n\n") == [Move("pass")]
    without = greeted(game_id="go9")
    without.new_game()
    assert sent(without) == ["clear_board"]


def test_a_start_of_go_with_other_rules_is_a_komi_and_an_empty_board() -> None:
    ruled = f"{game('go9').position()};komi=-3;suicide=true"
    client = GtpClient(coordinates(game("go9"), "vertex", ruled))
    client.greet()
    received(client, f"= me\n\n= {COMMANDS}\nkomi\n\n=\n\n")
    client.new_game()
    assert sent(client)[3:] == ["komi -3", "clear_board"]
    received(client, "=\n\n=\n\n")
    client.search(["e5"], SECONDS, ruled)
    assert sent(client) == ["play B E5", "time_settings 0 2 1", "genmove W"]
    received(client, "=\n\n=\n\n= D4\n\n")
    with_rules = greeted(f"{COMMANDS}\nkomi\nkata-set-rule", "go9")
    with_rules.new_game()
    assert sent(with_rules) == ["komi 7.5", "kata-set-rule suicide false", "clear_board"]
    client.search(["e5", "d4"], SECONDS, f"{game('go9').position()};komi=0")
    assert sent(client) == ["komi 0", "clear_board", "play B E5", "play W D4", "genmove B"]
    received(client, "=\n\n=\n\n=\n\n=\n\n= D4\n\n")
    with pytest.raises(LocalProtocolError, match="GTP cannot express a start other than startpos, got O;"):
        client.search([], SECONDS, str(game("go9").position(moves=["e5"])))


def test_a_program_that_refuses_the_chosen_rules_begins_no_game() -> None:
    client = GtpClient(coordinates(game("go9"), "vertex", f"{game('go9').position()};komi=-3"))
    client.greet()
    received(client, f"= me\n\n= {COMMANDS}\nkomi\n\n=\n\n")
    client.new_game()
    assert received(client, "? too small\n\n=\n\n")[-1] == Refusal("the rules of the game", final=True)
    assert client.mistake.report("") == "; it refused komi -3: ? too small"
    client.new_game()
    assert received(client, "=\n\n=\n\n") == [Ready()]
    usual = greeted(f"{COMMANDS}\nkomi", "go9")
    usual.new_game()
    assert received(usual, "? fixed\n\n=\n\n")[-1] == Ready(), "it may play with this komi alone"


@pytest.mark.parametrize(("rules", "lines"), [("komi=6", ["=", "? no such rule"]), ("suicide=true", ["? fixed", "="])])
def test_a_refusal_of_a_rule_that_nobody_has_chosen_is_none_of_the_game(rules: str, lines: list[str]) -> None:
    client = GtpClient(coordinates(game("go9"), "vertex", f"{game('go9').position()};{rules}"))
    client.greet()
    received(client, f"= me\n\n= {COMMANDS}\nkomi\nkata-set-rule\n\n=\n\n")
    client.new_game()
    assert received(client, "\n\n".join([*lines, "=\n\n"]))[-1] == Ready()
    client.new_game()
    answers = received(client, "\n\n".join([*reversed(lines), "=\n\n"]))
    assert answers[-1] == Refusal("the rules of the game", final=True)


def test_the_score_of_a_finished_game_is_asked_after_its_last_pass() -> None:
    client = greeted(f"{COMMANDS}\nfinal_score", "go9")
    client.new_game()
    client.search(["e5"], SECONDS)
    received(client, "=\n\n=\n\n=\n\n= PASS\n\n")
    client.data_to_send()
    client.ask_score(["e5", "pass", "pass"])
    assert sent(client) == ["play B PASS", "final_score"]
    assert received(client, "=\n\n= B+73.5\n\n") == [FinalScore("B+73.5")]
    client.ask_score(["e5", "pass", "pass"])
    assert sent(client) == ["final_score"]
    answers = received(client, "? cannot score\n\n")
    assert answers[-1] == FinalScore(None)
    without = greeted(game_id="go9")
    without.ask_score([])
    assert (sent(without), drained(without)) == ([], [FinalScore(None)])


def test_a_program_with_handicaps_plays_go() -> None:
    assert greeted(f"{COMMANDS}\nfixed_handicap", "gomoku9").family == "Go"
    assert greeted(game_id="gomoku9").family == ""


def test_a_program_that_answers_only_what_it_must() -> None:
    client = GtpClient(coordinates(game("connect4"), "vertex"))
    client.greet()
    events = received(client, "? unknown command\n\n? unknown command\n\n=\n\n")
    assert events == [Refusal("name: unknown command"), Refusal("list_commands: unknown command"), Ready()]
    client.ping()
    assert received(client, "? unknown command\n\n")[-1] == Ready()
    client.ask_start()
    assert drained(client) == [Start(None)]
    client.search([], SECONDS)
    assert sent(client)[-1] == "genmove B"
    assert "time_settings 0 2 1" not in sent(client)


def test_another_size_is_a_refusal_and_not_ready() -> None:
    client = GtpClient(coordinates(game("connect4"), "vertex"))
    client.greet()
    assert received(client, "=\n\n=\n\n? unacceptable size\n\n") == [
        Refusal("boardsize 7: unacceptable size", final=True)
    ]
    assert client.mistake.report("") == "; it sent '? unacceptable size', expected '=' after boardsize"


def test_errors_of_another_protocol_refuse_the_greeting() -> None:
    client = GtpClient(coordinates(game("connect4"), "vertex"))
    client.greet()
    found = received(client, "ERROR:unknown command\nhello\nERROR:unknown command\n")
    assert [type(event) for event in found] == [Malformed] * 3
    *_, last = received(client, "info string error: unknown command\n")
    assert last == Refusal("info string error: unknown command", final=True)
    assert client.mistake.report("") == "; it sent 'info string error: unknown command', expected '=' after boardsize"


def test_a_program_that_speaks_gtp_may_print_errors() -> None:
    client = GtpClient(coordinates(game("connect4"), "vertex"))
    client.greet()
    lines = ["error: no book", "= x", "", *["error: no cache"] * 3, "=", "", "=", "", ""]
    found = received(client, "\n".join(lines))
    assert [event for event in found if not isinstance(event, Malformed)] == [Identity("name", "x"), Ready()]


def test_a_game_is_sent_stone_by_stone() -> None:
    client = greeted()
    client.new_game()
    assert sent(client) == ["clear_board"]
    assert received(client, "=\n\n") == [Ready()]
    moves = ["d", "d"]
    client.search(moves, SECONDS)
    assert client.owes_move
    assert sent(client) == ["play B D1", "play W D2", "time_settings 0 2 1", "genmove B"]
    assert received(client, "=\n\n=\n\n=\n\n=   d3 \r\n\r\n") == [Move("d")]
    assert not client.owes_move
    moves += ["d", "a"]
    client.search(moves, SECONDS)
    assert sent(client) == ["play W A1", "genmove B"]
    assert received(client, "=\n\n= D4\n\n") == [Move("d")]
    client.search(["a"], SECONDS)
    assert sent(client) == ["clear_board", "play B A1", "genmove W"]


@pytest.mark.parametrize("limit", [Limit(movetime_ms=999), Limit(nodes=100), Limit(depth=3)])
def test_a_limit_without_words_is_not_sent(limit: Limit) -> None:
    client = greeted()
    client.search([], limit)
    assert sent(client) == ["genmove B"]


def test_clocks_are_sent_in_whole_seconds() -> None:
    client = greeted()
    client.search([], Limit(p1time_ms=60_999, p2time_ms=50_000, p1inc_ms=5))
    assert sent(client) == ["time_settings 60 0 0", "time_left B 60 0", "genmove B"]
    received(client, "=\n\n=\n\n= D1\n\n")
    client.search(["d", "d"], Limit(p1time_ms=900, p2time_ms=50_000))
    assert sent(client) == ["play W D2", "time_left B 0 0", "genmove B"]


BAD = {
    "= pass": "= pass",
    "= D9": "= D9",
    "= D2": "= D2",
    "= hello world": "= hello world",
    "=": "=",
    "? I do not know": "? I do not know",
}


@pytest.mark.parametrize("answer", BAD)
def test_an_answer_without_a_move(answer: str) -> None:
    client = greeted()
    client.search([], Limit())
    assert received(client, f"{answer}\n\n")[-1] == Move(None)
    assert client.mistake.report("") == f"; it sent {answer!r}, expected '= VERTEX' after genmove"
    assert not client.owes_move


@pytest.mark.parametrize(
    ("game_id", "answer", "hint"),
    [
        ("gomoku9", "= I5", "; GTP leaves out the letter I: J follows H"),
        ("uttt", "= i9", "; GTP leaves out the letter I: J follows H"),
        ("cube", "= I1", "; GTP leaves out the letter I: J follows H"),
        ("gomoku15", "= INDEX", ""),
        ("gomoku15", "= Z5", ""),
        ("connect4", "= I5", ""),
        ("openspiel:hex", "= I12", ""),
    ],
)
def test_a_column_i_has_a_reminder(game_id: str, answer: str, hint: str) -> None:
    client = greeted(game_id=game_id)
    client.search([], Limit())
    found = received(client, f"{answer}\n\n")
    assert client.mistake.report("") == f"; it sent {answer!r}, expected '= VERTEX' after genmove{hint}"
    assert isinstance(found[0], Malformed)
    assert found[0].why.endswith(hint)
    client.search([], Limit())
    assert received(client, "= pass\n\n")[-1] == Move(None)
    assert client.mistake.report("") == "; it sent '= pass', expected '= VERTEX' after genmove"


@pytest.mark.parametrize(
    ("game_id", "move", "point", "hint"),
    [
        ("gomoku9", "i5", "J5", "; GTP leaves out the letter I: J follows H"),
        ("gomoku15", "o1", "P1", "; GTP leaves out the letter I: J follows H"),
        ("gomoku15", "i1", "J1", ""),
        ("gomoku9", "h5", "H5", ""),
        ("connect4", "g", "G1", ""),
        ("openspiel:hex", "k1", "K1", ""),
    ],
)
def test_a_refused_last_column_has_the_reminder(game_id: str, move: str, point: str, hint: str) -> None:
    client = greeted(game_id=game_id)
    client.search([move], Limit())
    assert received(client, "? illegal move\n\n= A1\n\n")[-1] == Move(None)
    assert client.mistake.report("") == f"; it refused play B {point}: ? illegal move{hint}"
    client.search([], Limit())
    assert received(client, "=\n\n= pass\n\n")[-1] == Move(None)
    assert client.mistake.report("").endswith("expected '= VERTEX' after genmove")


def test_the_board_of_go_has_no_column_i_and_passes() -> None:
    client, hint = greeted(game_id="openspiel:go(board_size=9)"), "; GTP leaves out the letter I: J follows H"
    client.search([], Limit())
    received(client, "= I1\n\n")
    assert client.mistake.report("") == f"; it sent '= I1', expected '= VERTEX' after genmove{hint}"
    client.search(["B_j1"], Limit())
    received(client, "? illegal move\n\n= A1\n\n")
    assert client.mistake.report("") == f"; it refused play B J1: ? illegal move{hint}"
    client.new_game()
    sent(client)
    client.search(["B_j1"], Limit())
    assert sent(client) == ["play B J1", "genmove W"]
    assert received(client, "=\n\n=\n\n= pass\n\n")[-1] == Move("W_PASS")
    client.search(["B_j1", "W_PASS", "B_c2"], Limit())
    assert sent(client) == ["play B C2", "genmove W"]


def test_a_refused_stone_costs_the_move() -> None:
    client = greeted()
    client.search(["d"], Limit())
    assert received(client, "? illegal move\n\n= D2\n\n") == [Refusal("play B D1: illegal move"), Move(None)]
    assert client.mistake.report("") == "; it refused play B D1: ? illegal move"


def test_a_refused_pass_costs_nothing() -> None:
    """gtp-rhino passes by itself where it must, and has no word for it."""
    othello = any_game("openspiel:othello")
    moves = [
        *["d3", "c3", "b3", "b2", "b1", "a1", "c4", "c1", "c2", "d2", "d1", "e1", "a2", "a3", "f5", "e2", "f1", "g1"],
        "pass",
    ]
    answer = othello.position(moves=moves).legal_moves()[0]
    point = othello.position(moves=moves).move_text(answer)
    client = GtpClient(coordinates(othello, "vertex"))
    client.greet()
    assert sent(client)[-1] == "boardsize 8"
    received(client, f"= rhino\n\n= {COMMANDS}\n\n=\n\n")
    client.search(moves, Limit())
    assert sent(client)[-2:] == ["play B PASS", "genmove W"]
    assert received(client, "=\n\n" * 18 + f"? syntax error\n\n= {point.upper()}\n\n")[-1] == Move(point)


def test_a_resignation() -> None:
    client = greeted()
    client.search([], Limit())
    assert received(client, "= resign\n\n") == [Move("resign")]


def test_output_outside_a_response_is_skipped() -> None:
    client = greeted()
    client.search([], Limit())
    assert received(client, "thinking\n\n") == [Malformed("thinking", "expected a response that begins with = or ?")]
    assert received(client, "= D1\nmore\n\n= D2\n\n") == [
        Move("d"),
        Malformed("= D2", "expected no response: no command is open"),
    ]
    assert client.mistake.take_stray() == "= D2"


def test_a_response_without_end() -> None:
    client = greeted()
    client.search([], Limit())
    assert received(client, "= D1\n" + "x\n" * (MAX_LINES - 2)) == []
    assert received(client, "x\n" * 9)[0] == Move("d")


def test_stop_interrupts_the_programs_that_know_it() -> None:
    client = greeted(f"{COMMANDS}\ngogui-interrupt")
    client.stop()
    client.search([], Limit())
    sent(client)
    client.stop()
    assert sent(client) == ["# interrupt"]
    other = greeted()
    other.search([], Limit())
    sent(other)
    other.stop()
    assert sent(other) == []


def test_requests_that_gtp_cannot_express() -> None:
    client = greeted()
    with pytest.raises(LocalProtocolError, match="start"):
        client.search([], Limit(), "X;...")
    client.search([], Limit())
    with pytest.raises(LocalProtocolError, match="last search"):
        client.search([], Limit())
    with pytest.raises(LocalProtocolError, match="one line"):
        client.configure("seed", "1\nquit")
    with pytest.raises(LocalProtocolError, match="option name"):
        client.configure("se ed", "1")
    with pytest.raises(LocalProtocolError, match="bytes"):
        client.configure("seed", "1" * MAX_LINE)


def test_after_quit_nothing_counts() -> None:
    client = greeted()
    client.search([], Limit())
    client.quit()
    client.quit()
    assert sent(client)[-2:] == ["genmove B", "quit"]
    assert received(client, "= D1\n\n") == []
    client.receive_eof()
    client.receive_eof()
    assert drained(client) == [Eof()]
    with pytest.raises(LocalProtocolError):
        client.ping()


@pytest.mark.parametrize("game_id", ["tictactoe", "connect4", "uttt", "cube", "gomoku9", "renju15"])
def test_both_sides_play_a_game(game_id: str) -> None:
    talk = Conversation(game_id, "osp", pinned="gtp", seed="1")
    client = GtpClient(coordinates(any_game(game_id), "vertex"))
    events: list[ClientEvent] = []

    def exchange() -> ClientEvent:
        talk.bring(client.data_to_send())
        while talk.session.busy:
            assert talk.pump()
        client.receive_data(talk.session.data_to_send())
        events.extend(drained(client))
        return events[-1]

    client.greet()
    assert exchange() == Ready()
    client.configure("seed", "7")
    client.ask_start()
    assert exchange() == Start(str(game(game_id).position()))
    client.new_game()
    assert exchange() == Ready()
    position, moves = game(game_id).position(), list[str]()
    while position.result is None:
        client.search(moves, Limit(movetime_ms=1000))
        found = exchange()
        assert isinstance(found, Move)
        position.play(position.parse_move(found.move or ""))
        moves.append(found.move or "")
        if position.result is None:
            reply = position.legal_moves()[len(moves) // 2 % len(position.legal_moves())]
            moves.append(position.move_text(reply))
            position.play(reply)
    assert not [event for event in events if isinstance(event, Refusal | Malformed)]
