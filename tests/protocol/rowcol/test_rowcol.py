"""rowcol and rowcol-list: both sides, the page, bad input."""

from __future__ import annotations

import pytest

from fiedler.games import game
from fiedler.games.coordinates import coordinates, fits
from fiedler.protocol import (
    MAX_LINE,
    ClientEvent,
    Eof,
    Limit,
    LocalProtocolError,
    Malformed,
    Move,
    Ready,
    Refusal,
    Start,
    detect,
)
from fiedler.protocol.blocking import drained
from fiedler.protocol.rowcol import RowcolClient
from fiedler.protocol.rowcol.server import ERROR
from tests.engine.engine_driver import Conversation
from tests.folders import DOCS
from tests.protocol.dialogue import exchanges

PAGE = DOCS / "protocols" / "rowcol.md"
DIALOGUES = [("rowcol", "A dialogue in rowcol"), ("rowcol-list", "A dialogue in rowcol-list")]
CELLS = coordinates(game("uttt"), "row column")
ANY = Limit(movetime_ms=100)


def serving(dialect: str = "rowcol", player: str = "hsp", game_id: str = "uttt") -> Conversation:
    return Conversation(game_id, player, pinned=dialect, seed="1")


def asked(*moves: str, with_list: bool = False) -> RowcolClient:
    """A client that waits for the answer to the last of these moves, which both sides chose."""
    client = RowcolClient(CELLS, with_list=with_list)
    for ply in range(len(moves) % 2, len(moves), 2):
        client.search(moves[:ply], ANY)
        said(client, f"{CELLS.write(moves[ply], moves[:ply])}\n".encode())
    client.search(moves, ANY)
    client.data_to_send()
    return client


def said(client: RowcolClient, data: bytes) -> list[ClientEvent]:
    client.receive_data(data)
    return drained(client)


@pytest.mark.parametrize("rest", [" 0.5729 878080", " message of the bot", "\t1 2", "  ", " 5 5\r"])
def test_words_after_the_move_do_not_count(rest: str) -> None:
    for with_list in (False, True):
        assert said(asked(with_list=with_list), f"4 4{rest}\n".encode()) == [Move("e5")]


@pytest.mark.parametrize("line", ["4", "4 four", "4.0 4", "4,4 1", "9 4 1", "-1 -1 1", "move 4 4", "0.5 4 4"])
def test_a_line_without_two_numbers_first_is_no_move(line: str) -> None:
    wrong, none = said(asked(), f"{line}\n".encode())
    assert isinstance(wrong, Malformed)
    assert none == Move(None)


@pytest.mark.parametrize(("dialect", "heading"), DIALOGUES)
def test_the_dialogue_of_the_page_is_what_an_engine_says(dialect: str, heading: str) -> None:
    talk = serving(dialect)
    for lines, answers in exchanges(PAGE, heading):
        assert talk.say(*lines) == answers, lines


@pytest.mark.parametrize(("dialect", "heading"), DIALOGUES)
def test_the_dialogue_of_the_page_is_what_the_manager_understands(dialect: str, heading: str) -> None:
    for lines, (answer,) in exchanges(PAGE, heading):
        client = RowcolClient(CELLS, with_list=dialect == "rowcol-list")
        client.search(["e5"], ANY)
        sent = client.data_to_send().decode().splitlines()
        if answer.startswith(ERROR):
            assert said(client, f"{answer}\n".encode()) == [Refusal(answer.removeprefix(f"{ERROR} ")), Move(None)]
        else:
            assert sent == lines
            assert said(client, f"{answer}\n".encode()) == [Move(CELLS.read(answer, ["e5"]))]


def test_the_first_line_tells() -> None:
    assert [detect(line) for line in ("4 4", " -1\t-1 \r\n", "0 99")] == ["rowcol"] * 3
    assert [detect(line) for line in ("4", "4 4 4", "a 4", "4 4.", "")] == [None] * 5
    assert Conversation("uttt", "hsp", seed="1").say("4 4") == serving().say("4 4")
    assert Conversation("connect4", "hsp").say("4 4")[0].startswith("info string error: ")


def test_names_of_cells() -> None:
    assert [CELLS.write(move, []) for move in ("a9", "e5", "i1", "b7")] == ["0 0", "4 4", "8 8", "2 1"]
    assert fits(game("uttt-majority"), "row column")
    assert not any(fits(game(other), "row column") for other in ("connect4", "tictactoe", "cube", "gomoku9"))


def test_a_game_to_its_end_closes_the_conversation() -> None:
    talk, client, moves = serving(), RowcolClient(CELLS), list[str]()
    client.greet()
    client.ping()
    client.new_game()
    client.ask_start()
    assert drained(client) == [Ready(), Ready(), Ready(), Start(None)]
    position = game("uttt").position()
    while position.result is None:
        client.search(moves, ANY)
        talk.bring(client.data_to_send())
        (event,) = said(client, talk.session.data_to_send())
        assert isinstance(event, Move)
        assert event.move is not None
        moves.append(event.move)
        position = game("uttt").position(moves=moves)
        if position.result is None:
            moves.append(position.move_text(position.legal_moves()[0]))
            position = game("uttt").position(moves=moves)
    if len(moves) % 2 == 0:  # the manager's last move, which nobody is sent
        talk.end()
    assert talk.session.over
    assert not client.takes_another_game
    client.quit()
    client.receive_eof()
    assert client.data_to_send() == b""
    assert drained(client) == [Eof()]


BAD = [
    (b"4\n", "expected ROW COLUMN, each from 0 to 8, got '4'"),
    (b"4 4 4\n", "expected ROW COLUMN, each from 0 to 8, got '4 4 4'"),
    (b"9 0\n", "expected ROW COLUMN, each from 0 to 8, got '9 0'"),
    (b"-1 0\n", "expected ROW COLUMN, each from 0 to 8, got '-1 0'"),
    (b"4 4.0\n", "expected ROW COLUMN, each from 0 to 8, got '4 4.0'"),
    ("٤ ٤\n".encode(), "expected ROW COLUMN, each from 0 to 8, got '٤ ٤'"),
    (b"isready\n", "expected ROW COLUMN, each from 0 to 8, got 'isready'"),
    (b"8 8\n", "expected a legal move, got '8 8'"),
    (b"4 4\n", "expected a legal move, got '4 4'"),
    (b"-1 -1\n", "expected the opponent's move, got '-1 -1', which only begins a game"),
    (b"\x00\xff\n", "expected UTF-8, got byte 0xff at offset 1"),
    (b"4" * (MAX_LINE + 1) + b"\n", "expected at most 65536 bytes on a line, got more"),
]


@pytest.mark.parametrize("line", [line for line, _ in BAD], ids=[why for _, why in BAD])
def test_bad_input_is_refused_and_changes_nothing(line: bytes) -> None:
    talk, plain = serving(), serving()
    assert talk.say("4 4") == plain.say("4 4") == ["3 3"]
    talk.bring(line)
    assert talk.received() == [f"error: {dict(BAD)[line]}"]
    assert talk.session._host.state.moves == plain.session._host.state.moves
    assert talk.say("1 1") == plain.say("1 1")


def test_half_a_line_at_the_end_is_refused() -> None:
    talk = serving()
    talk.bring(b"4 4")
    assert talk.received() == []
    talk.end()
    assert talk.received() == ["error: expected a newline, got the end of the stream"]
    assert talk.session.over


def test_a_line_before_our_move_is_refused() -> None:
    talk = Conversation("uttt", "mcts", pinned="rowcol", simulations="2000")
    talk.bring(b"-1 -1\n4 4\n")
    assert talk.received() == ["error: expected nothing before our move, got '4 4'"]
    while not (lines := talk.received()):
        assert talk.pump()
    assert len(lines) == 1
    assert CELLS.read(lines[0], [])


def test_what_is_due_is_said_after_the_end_of_the_input() -> None:
    talk = Conversation("uttt", "mcts", pinned="rowcol", simulations="200")
    talk.bring(b"-1 -1\n")
    talk.end()
    assert not talk.session.over
    while not talk.session.over:
        assert talk.pump()
    assert len(talk.received()) == 1


LIST = ["3 3", "3 4", "3 5", "4 3", "4 5", "5 3", "5 4", "5 5"]
TURN = ["4 4", "8", *LIST]
COUNT = "expected the number of legal moves, from 0 to 81"
CELL = "expected ROW COLUMN, each from 0 to 8"
BAD_LISTS = [
    (["4 4"], f"{COUNT}, got '4 4'"),
    (["4 4", "82"], f"{COUNT}, got '82'"),
    (["4 4", "8", "9 9", *LIST[1:]], f"{CELL}, got '9 9'"),
    (["4 4", "8", *LIST[1:], "-1 -1"], f"{CELL}, got '-1 -1'"),
    (["4 4", "7", *LIST[1:]], "expected 8 legal moves, got 7"),
    (["4 4", "0"], "expected 8 legal moves, got 0"),
    (["4 4", "8", "3 4", *LIST[1:]], "expected '3 3' among the legal moves, got a list without it"),
]


@pytest.mark.parametrize(("lines", "why"), BAD_LISTS, ids=[why for _, why in BAD_LISTS])
def test_a_bad_list_costs_one_turn(lines: list[str], why: str) -> None:
    assert serving("rowcol-list").say(*lines, *TURN) == [f"error: {why}", "3 3"]


def test_a_binary_line_in_a_list_costs_one_turn() -> None:
    talk = serving("rowcol-list")
    talk.bring(b"4 4\n8\n\xff\n" + "".join(f"{cell}\n" for cell in LIST[1:]).encode())
    assert talk.received() == ["error: expected UTF-8, got byte 0xff at offset 0"]
    assert talk.say(*TURN) == ["3 3"]


def test_a_turn_without_its_end_is_refused() -> None:
    talk = serving("rowcol-list")
    talk.say("4 4", "8", "3 3")
    talk.end()
    assert talk.received() == ["error: expected the rest of the turn, got the end of the stream"]


def test_a_player_that_fails_leaves_the_position_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def best_of(*_: object) -> None:
        raise RuntimeError("no such move")

    talk = serving()
    with monkeypatch.context() as broken:
        broken.setattr("fiedler.engine.host.searcher.best_of", best_of)
        assert talk.say("4 4") == ["error: player hsp failed; see the log of the engine"]
    assert talk.say("4 4") == ["3 3"]


@pytest.mark.parametrize(
    ("answer", "events"),
    [
        (b"3 3\n", [Move("d6")]),
        (b"  3\t3 \r\n", [Move("d6")]),
        (b"8 8\n", [Move("i1")]),  # not legal: the referee says so
        (b"\n\n3 3\n", [Move("d6")]),
        (b"3 3\n4 4\n", [Move("d6"), Malformed("4 4", "expected nothing before the opponent's move")]),
        (b"d6\n", [Malformed("d6", "expected ROW COLUMN, each from 0 to 8, got 'd6'"), Move(None)]),
        (b"9 9\n", [Malformed("9 9", "expected ROW COLUMN, each from 0 to 8, got '9 9'"), Move(None)]),
        (b"\xff\n", [Malformed("\\xff", "expected UTF-8, got byte 0xff at offset 0"), Move(None)]),
        (b"error: no idea\n", [Refusal("no idea"), Move(None)]),
        (b"3 3", []),
    ],
)
def test_what_a_player_says(answer: bytes, events: list[ClientEvent]) -> None:
    assert said(asked("e5"), answer) == events


def test_half_an_answer_is_no_answer() -> None:
    client = asked("e5")
    said(client, b"3 3")
    client.receive_eof()
    assert drained(client) == [Malformed("3 3", "expected a newline, got the end of the stream"), Eof()]
    assert client.owes_move


def test_the_mistake_is_quoted() -> None:
    client = asked("e5")
    said(client, b"d6\n")
    assert client.mistake.report("") == "; it sent 'd6', expected 'ROW COLUMN' after the opponent's move"
    silent = asked("e5").mistake.silence(received=False)
    assert silent == "; no move after the opponent's move yet: too slow, or its output is not flushed"


def test_the_list_is_that_of_the_rules() -> None:
    client = RowcolClient(CELLS, with_list=True)
    client.search(["e5"], ANY)
    assert client.data_to_send().decode().splitlines() == ["4 4", "8", *LIST]


def test_what_cannot_be_said_is_refused_and_changes_nothing() -> None:
    client = RowcolClient(CELLS)
    for moves, start in ((["e5", "d6"], "startpos"), ([], "X;@........;")):
        with pytest.raises(LocalProtocolError, match="from its start"):
            client.search(moves, ANY, start)
    with pytest.raises(LocalProtocolError, match="no words for options"):
        client.configure("seed", "1")
    client.stop()
    assert client.takes_another_game
    assert client.data_to_send() == b""
    client.search([], ANY)
    assert client.data_to_send() == b"-1 -1\n"
    for request in (client.new_game, lambda: client.search(["e5"], ANY)):
        with pytest.raises(LocalProtocolError):
            request()
