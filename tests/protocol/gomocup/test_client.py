"""Gomocup, the manager's side: what is sent, and what answers mean."""

from __future__ import annotations

import pytest

from fiedler.games import game
from fiedler.games.coordinates import coordinates
from fiedler.protocol import (
    ClientEvent,
    Eof,
    Info,
    Limit,
    LocalProtocolError,
    Malformed,
    Message,
    Move,
    Ready,
    Refusal,
    Start,
)
from fiedler.protocol.blocking import drained
from fiedler.protocol.gomocup import GomocupClient

SECOND = Limit(movetime_ms=1000)
ABOUT = 'name="x", version="1"\r\n'
ANSWERED = f"OK\r\n{ABOUT}"
"""The answers to START and to ABOUT."""
INFO = ["INFO max_memory 0", "INFO game_type 2", "INFO rule 0"]
TIMES = ["INFO timeout_turn 1000", "INFO timeout_match 2147483647", "INFO time_left 2147483647"]


def made(game_id: str = "gomoku15") -> GomocupClient:
    return GomocupClient(coordinates(game(game_id), "point"))


def greeted(game_id: str = "gomoku15") -> GomocupClient:
    client = made(game_id)
    client.greet()
    client.ping()
    assert received(client, ANSWERED) == [Ready(), Ready()]
    client.data_to_send()
    return client


def received(client: GomocupClient, text: str) -> list[ClientEvent]:
    client.receive_data(text.encode("latin-1"))
    return drained(client)


def sent(client: GomocupClient) -> list[str]:
    data = client.data_to_send().decode()
    assert data.count("\r\n") == data.count("\n")
    return data.splitlines()


@pytest.mark.parametrize(
    ("game_id", "size", "rule"),
    [("gomoku9", 9, 0), ("gomoku15", 15, 0), ("gomoku20", 20, 0), ("standard15", 15, 1), ("renju15", 15, 4)],
)
def test_the_greeting(game_id: str, size: int, rule: int) -> None:
    client = made(game_id)
    client.greet()
    assert sent(client) == [f"START {size}"]
    assert received(client, "MESSAGE hello\r\nDEBUG x\r\n") == [Message("hello"), Message("x")]
    assert sent(client) == []
    assert received(client, "OK\r\n") == [Ready()]
    assert sent(client) == ["INFO max_memory 0", "INFO game_type 2", f"INFO rule {rule}"]
    client.ping()
    assert sent(client) == ["ABOUT"]
    assert received(client, ABOUT) == [Ready()]
    client.ping()
    client.ask_start()
    assert drained(client) == [Ready(), Start(None)]


@pytest.mark.parametrize("answer", ["OK", "ok", " Ok ", "OK - everything is good", "OK\r"])
def test_forms_of_ok(answer: str) -> None:
    client = made()
    client.greet()
    assert received(client, f"{answer}\n") == [Ready()]


def test_options_follow_every_start() -> None:
    client = greeted()
    client.configure("max_node", "1000")
    client.configure("rule", "1")
    assert sent(client) == ["INFO max_node 1000", "INFO rule 1"]
    client.new_game()
    assert (sent(client), drained(client)) == (["ABOUT"], [])
    assert received(client, ABOUT) == [Ready()]
    client.search([], SECOND)
    received(client, "7,7\n")
    sent(client)
    client.new_game()
    assert sent(client) == ["START 15"]
    assert received(client, ANSWERED) == [Ready()]
    assert sent(client) == [*INFO[:2], "INFO rule 1", "INFO max_node 1000", "ABOUT"]
    for name, value in (("two words", "1"), ("x", ""), ("x", "a\nb"), ("x", None)):
        with pytest.raises(LocalProtocolError):
            client.configure(name, value)


def test_numbers_that_programs_cannot_read_are_cut() -> None:
    client = greeted()
    for value in ("4294967296", "-4294967296", "2147483647", "007", "1.5", "a b"):
        client.configure("x", value)
    found = [line.removeprefix("INFO x ") for line in sent(client)]
    assert found == ["2147483647", "-2147483647", "2147483647", "7", "1.5", "a b"]


def test_a_game_stone_by_stone() -> None:
    client = greeted()
    client.search([], SECOND)
    assert client.owes_move
    assert sent(client) == [*TIMES, "BEGIN"]
    assert received(client, "MESSAGE depth 3\r\n 7 , 7 \r\n") == [Message("depth 3"), Move("h8")]
    assert not client.owes_move
    client.search(["h8", "i9"], SECOND)
    assert sent(client) == [TIMES[2], "TURN 8,6"]
    assert received(client, "0,14\n") == [Move("a1")]
    client.new_game()
    received(client, ANSWERED)
    sent(client)
    client.search(["h8"], SECOND)
    assert sent(client) == [*TIMES, "TURN 7,7"]


def test_an_opening_is_a_board_with_black_first() -> None:
    client = greeted()
    client.search(["h8", "i9", "j10"], SECOND)
    assert sent(client) == [*TIMES, "BOARD", "7,7,2", "8,6,1", "9,5,2", "DONE"]
    received(client, "0,0\n")
    client.new_game()
    received(client, ANSWERED)
    sent(client)
    client.search(["h8", "i9"], SECOND)
    assert sent(client)[3:] == ["BOARD", "7,7,1", "8,6,2", "DONE"]


def test_another_game_without_notice_begins_with_start() -> None:
    client = greeted()
    client.search(["h8"], SECOND)
    received(client, "0,0\n")
    sent(client)
    client.search(["a1"], SECOND)
    assert sent(client) == ["START 15"]
    assert received(client, "OK\n") == []
    assert sent(client) == [*INFO, *TIMES, "TURN 0,14"]
    assert received(client, "3,3\n") == [Move("d12")]


def test_a_search_before_the_answer_to_start_waits() -> None:
    client = made()
    client.greet()
    client.search(["h8"], SECOND)
    assert sent(client) == ["START 15"]
    assert received(client, "OK\n") == [Ready()]
    assert sent(client) == [*INFO, *TIMES, "TURN 7,7"]


def test_a_clock() -> None:
    client = greeted()
    client.search([], Limit(p1time_ms=60_000, p2time_ms=50_000))
    first = ["INFO timeout_turn 60000", "INFO timeout_match 60000", "INFO time_left 60000"]
    assert sent(client) == [*first, "BEGIN"]
    received(client, "7,7\n")
    client.search(["h8", "a1"], Limit(p1time_ms=0, p2time_ms=50_000))
    assert sent(client) == ["INFO time_left 1", "TURN 0,14"]


@pytest.mark.parametrize("limit", [Limit(), Limit(nodes=5), Limit(depth=5)])
def test_a_limit_without_words_is_not_sent(limit: Limit) -> None:
    client = greeted()
    client.search([], limit)
    assert sent(client) == ["BEGIN"]


def test_a_missing_ok_can_be_assumed() -> None:
    client = made()
    client.greet()
    client.assume_answer()
    assert drained(client) == [Ready()]
    assert sent(client) == ["START 15", *INFO]
    assert received(client, "OK\n") == []
    client = made()
    client.greet()
    assert received(client, "ERROR unsupported size\n") == [Refusal("ERROR unsupported size", final=True)]
    client.assume_answer()
    assert drained(client) == []
    assert client.mistake.report("") == "; it sent 'ERROR unsupported size', expected 'OK' after START"


ANSWERS = [
    'name="x", version="1"',
    " Name = x",
    "Pela 7.9 by Petr Lastovicka",
    "UNKNOWN ABOUT",
    "unknown command",
    "ERROR no such command: ABOUT",
]


@pytest.mark.parametrize("answer", ANSWERS)
def test_the_settings_are_taken_before_the_first_clock_runs(answer: str) -> None:
    """A program may take a second for INFO max_memory: the barrier is its start, not its thinking."""
    client = made()
    client.greet()
    client.ping()
    assert received(client, "OK\n") == [Ready()]
    assert sent(client) == ["START 15", *INFO, "ABOUT"]
    assert received(client, "MESSAGE thinking\nERROR unknown key\n") == [
        Message("thinking"),
        Refusal("ERROR unknown key"),
    ]
    assert received(client, f"{answer}\n") == [Ready()]
    client.new_game()
    assert (sent(client), drained(client)) == ([], [Ready()])
    client.search([], SECOND)
    assert sent(client) == [*TIMES, "BEGIN"]
    assert received(client, "7,7\n") == [Move("h8")]


def test_a_missing_answer_to_about_is_assumed_once_and_a_late_one_means_nothing() -> None:
    client = made()
    client.greet()
    received(client, "OK\n")
    client.ping()
    assert client.mistake.silence(received=True) == "; no answer after ABOUT yet"
    client.assume_answer()
    assert drained(client) == [Ready()]
    sent(client)
    client.search([], SECOND)
    assert received(client, f"{ABOUT}7,7\n") == [Move("h8")]
    client.new_game()
    assert received(client, "OK\n") == [Ready()]
    assert sent(client)[-1] == INFO[-1], "it is not asked again"


def test_a_program_without_ok_is_not_asked_about() -> None:
    client = made()
    client.greet()
    client.assume_answer()
    client.ping()
    assert drained(client) == [Ready(), Ready()]
    assert sent(client) == ["START 15", *INFO]


def test_requests_before_the_answer_to_start_are_done_after_it_in_order() -> None:
    client = made()
    client.greet()
    client.ping()
    client.search(["h8"], SECOND)
    assert drained(client) == []
    assert received(client, f"{ANSWERED}7,8\n") == [Ready(), Ready(), Move("h7")]


def test_an_error_that_may_belong_to_an_option_is_no_refusal_of_start() -> None:
    client = greeted()
    client.search([], SECOND)
    received(client, "7,7\n")
    client.configure("max_node", "1000")
    client.new_game()
    assert received(client, f"ERROR unknown key\n{ANSWERED}") == [Refusal("ERROR unknown key"), Ready()]
    client.search([], SECOND)
    received(client, "7,7\n")
    client.new_game()
    assert received(client, "ERROR no more games\n") == [Refusal("ERROR no more games", final=True)]


def test_a_suggestion_is_played() -> None:
    client = greeted()
    client.search([], SECOND)
    sent(client)
    assert received(client, "SUGGEST 3,4\n") == []
    assert sent(client) == ["PLAY 3,4"]
    assert received(client, "3,4\n") == [Move("d11")]


def test_one_suggestion_of_a_search_is_answered() -> None:
    """Each answer to a flood of them would begin the count of the player's output again."""
    client = greeted()
    client.search([], SECOND)
    sent(client)
    events = received(client, "SUGGEST 3,4\n" * 3)
    assert [type(event) for event in events] == [Malformed] * 2
    assert sent(client) == ["PLAY 3,4"]
    assert received(client, "3,4\n") == [Move("d11")]
    client.search(["d11", "e5"], SECOND)
    sent(client)
    assert received(client, "SUGGEST 5,5\n") == []
    assert sent(client) == ["PLAY 5,5"]


def test_an_error_and_still_a_move() -> None:
    client = greeted()
    client.search([], SECOND)
    assert received(client, "ERROR bad coordinates\nUNKNOWN\n7,7\n") == [
        Refusal("ERROR bad coordinates"),
        Refusal("UNKNOWN"),
        Move("h8"),
    ]


@pytest.mark.parametrize(
    "line", ["hello", "7;7", "7,7,1", "SWAP", "7 7", "move 7,7", "7,7 8,8", "X,Y", "SUGGESTION 1,1"]
)
def test_a_line_that_is_no_move_is_skipped(line: str) -> None:
    client = greeted()
    client.search([], SECOND)
    (event,) = received(client, f"{line}\n")
    assert isinstance(event, Malformed)
    assert client.owes_move
    assert client.mistake.report("").startswith(f"; it sent '{line}'")
    assert received(client, "7,7\n") == [Move("h8")]


@pytest.mark.parametrize("line", ["15,0", "-1,-1", "0,999999999"])
def test_a_point_outside_the_board_is_no_move(line: str) -> None:
    client = greeted()
    client.search([], SECOND)
    malformed, move = received(client, f"{line}\n")
    assert isinstance(malformed, Malformed)
    assert move == Move(None)
    assert not client.owes_move


def test_a_move_without_a_question_is_a_stray_line() -> None:
    client = greeted()
    (event,) = received(client, "7,7\n")
    assert isinstance(event, Malformed)
    assert client.mistake.take_stray() == "7,7"


def test_ends_of_lines_and_other_encodings() -> None:
    client = greeted()
    client.search([], SECOND)
    assert received(client, "MESSAGE a\r\r\nMESSAGE \xe9\xb5\r7,7\r")[-1] == Move("h8")
    client = greeted()
    client.search([], SECOND)
    events = received(client, "\x14\xff half\n7,7\n")
    assert [type(event) for event in events] == [Malformed, Move]


def test_the_score_in_our_messages() -> None:
    client = greeted()
    client.search([], SECOND)
    received(client, "MESSAGE score +35 depth 9 nodes 12 pv 7,7\n7,7\n")
    assert client.last_info == Info(score_cp=35)
    kept = client.keep_info()
    client.search(["h8", "a1"], SECOND)
    assert client.last_info is None
    assert (kept(), client.keep_info()()) == (Info(score_cp=35), None)
    received(client, "MESSAGE mate -3 depth 9\n")
    assert client.last_info == Info(mate=-3)


def test_requests_that_are_not_allowed() -> None:
    client = greeted()
    with pytest.raises(LocalProtocolError, match="a start other than startpos"):
        client.search([], SECOND, "X;...")
    client.search([], SECOND)
    with pytest.raises(LocalProtocolError, match="expected the answer"):
        client.search([], SECOND)
    client.stop()
    assert sent(client)[-1] == "BEGIN"
    client.quit()
    client.quit()
    assert sent(client) == ["END"]
    assert received(client, "7,7\n") == []
    client.receive_eof()
    assert drained(client) == [Eof()]
