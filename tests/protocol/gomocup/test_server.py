"""Gomocup, the engine's side: commands, INFO, the choice of the game, bad input, searches."""

from __future__ import annotations

import pytest

from fiedler.engine.roster.lineup import Lineup
from fiedler.games import GAMES, game
from fiedler.players import create
from fiedler.players.negamax import NegamaxSettings
from fiedler.protocol import DIALECTS, MAX_LINE, Limit, detect
from fiedler.protocol.gomocup.move_time import MoveTime
from fiedler.protocol.gomocup.words import COMMANDS
from tests.engine.engine_driver import Conversation
from tests.folders import DOCS
from tests.protocol.dialogue import exchanges

PAGE = DOCS / "protocols" / "gomocup.md"
BOARDS = ("gomoku15", "gomoku9", "gomoku20", "standard15", "renju15")


def serving(game_id: str = "gomoku15", player: str = "hsp", **options: str) -> Conversation:
    """An engine for one game."""
    return Conversation(game_id, player, pinned="gomocup", **options)


def choosing(player: str = "hsp", **options: str) -> Conversation:
    """An engine whose client chooses the game."""
    lineup = Lineup(lambda one: create(one, player, options), [GAMES[name] for name in BOARDS])
    return Conversation("gomoku15", lineup.player("gomoku15"), None, lineup, pinned="gomocup")


def started(talk: Conversation, size: int = 15, *info: str) -> Conversation:
    assert talk.say(f"START {size}", *(f"INFO {one}" for one in info)) == ["OK"]
    return talk


def playing(talk: Conversation) -> str:
    """The game of an engine."""
    return talk.session._host.game


def stones(talk: Conversation) -> tuple[str, ...]:
    return talk.session._host.state.moves


def answer(talk: Conversation, *lines: str) -> list[str]:
    """The answers up to the first that is not a message, of an engine that may search in a thread."""
    talk.bring("".join(f"{line}\n" for line in lines).encode())
    received = talk.received()
    while not any(line and not line.startswith("MESSAGE") for line in received):
        assert talk.pump(), lines
        received += talk.received()
    return [line for line in received if not line.startswith("MESSAGE")]


def move(talk: Conversation, *lines: str) -> str:
    (only,) = answer(talk, *lines)
    return only


@pytest.mark.parametrize("heading", ["A dialogue", "The opening swap2"])
def test_the_dialogue_of_the_page(heading: str) -> None:
    talk = choosing(seed="1")
    for lines, answers in exchanges(PAGE, heading):
        assert talk.say(*lines) == answers, lines


def test_the_page_names_every_command() -> None:
    page = PAGE.read_text("utf-8")
    assert [name for name in COMMANDS if f"`{name}" not in page] == []


def test_the_first_line_opens_the_dialect() -> None:
    for line in ("START 15", "start 20\r\n", "INFO timeout_turn 5", "about", "BEGIN", "BOARD", "RectStart 3,4"):
        assert detect(line) == "gomocup", line
    for line in ("END", "ugi", "uci", "started", "name", "# about", "7,7"):
        assert detect(line) != "gomocup", line
    assert Conversation("gomoku15", "hsp").say("START 15") == ["OK"]
    assert DIALECTS["gomocup"].refusal("no\nroom") == b"ERROR no room\n"


def test_commands_in_any_case_with_carriage_returns_and_blanks() -> None:
    talk = serving(seed="1")
    assert talk.say("sTart  15 \r", "\r", "  ", "Info TIMEOUT_TURN 1000\r", "begin\r")[0] == "OK"
    assert len(stones(talk)) == 1
    assert move(talk, " turn  0 , 0 \r")
    assert stones(talk)[1] == "a15"


def test_the_point_counts_from_the_top_left() -> None:
    for name in BOARDS:
        talk = serving(name)
        size = GAMES[name].position().planes_shape[1]
        started(talk, size)
        assert talk.say("PLAY 0,0") == ["0,0"]
        assert stones(talk) == (f"a{size}",)
        assert talk.say(f"PLAY {size - 1},{size - 2}") == [f"{size - 1},{size - 2}"]
        assert stones(talk)[1] == f"{chr(ord('a') + size - 1)}2"


def test_about_is_one_line_of_entries() -> None:
    (line,) = serving().say("ABOUT")
    assert line.startswith('name="Fiedler hsp", version="')
    assert line.endswith('", author="the Fiedler developers", country=""')
    assert line.count('"') == 8


@pytest.mark.parametrize(
    "size", ["19", "8", "0", "-15", "x", "", "15 20", "15 15 15", "15 x", "9,15", "99999999999999999999999"]
)
def test_other_sizes_are_refused(size: str) -> None:
    for talk in (serving(), choosing()):
        assert talk.say(f"START {size}") == ["ERROR only 9, 15 and 20"]
        assert talk.say("BEGIN") == ["ERROR expected START first"]
    assert serving().say(f"RECTSTART {size}") == ["ERROR only 9, 15 and 20"]


@pytest.mark.parametrize("line", ["START 15 15", "START 15,15", "RECTSTART 15,15", "RECTSTART 15, 15", "RECTSTART 15"])
def test_a_square_may_be_given_by_both_sides(line: str) -> None:
    for talk in (serving(), choosing()):
        assert talk.say(line) == ["OK"]
        assert move(talk, "TURN 14,14").count(",") == 1


@pytest.mark.parametrize(
    ("player", "options"),
    [
        ("negamax", {"nodes": "300", "depth": "3", "threads": "2"}),
        ("mcts", {"simulations": "300", "threads": "2"}),
        ("hsp", {}),
    ],
)
def test_the_words_of_other_programs_set_options(player: str, options: dict[str, str]) -> None:
    talk = started(serving(player=player), 15, "thread_num 2", "MAX_NODE 300", "max_depth 3")
    settings = talk.session._host.seat.player.settings
    assert {name: str(getattr(settings, name)) for name in options} == options
    assert answer(talk, "BEGIN")[0] != "ERROR"


def test_the_words_of_other_programs_are_cut_to_the_range() -> None:
    talk = started(serving(player="negamax"), 15, "thread_num 0", "max_node -1", "max_depth 99999", "nodes 1")
    settings = talk.session._host.seat.player.settings
    assert isinstance(settings, NegamaxSettings)
    assert (settings.threads, settings.nodes, settings.depth) == (1, 1, 1000)
    talk.say("INFO max_node -1", "INFO thread_num 100000")
    assert settings.nodes == 0
    assert move(talk, "INFO nodes 5", "BEGIN") == "7,7"


def test_an_engine_for_one_game_takes_its_board_only() -> None:
    assert serving("renju15").say("START 20") == ["ERROR expected the board of renju15, got 20"]


@pytest.mark.parametrize(
    ("size", "rule", "game_id"),
    [
        (9, "0", "gomoku9"),
        (15, "0", "gomoku15"),
        (20, "0", "gomoku20"),
        (15, "1", "standard15"),
        (15, "2", "renju15"),
        (15, "4", "renju15"),
    ],
)
def test_size_and_rule_choose_the_game(size: int, rule: str, game_id: str) -> None:
    for lines in ((f"INFO rule {rule}", f"START {size}"), (f"START {size}", f"INFO rule {rule}")):
        talk = choosing()
        assert talk.say(*lines) == ["OK"]
        assert move(talk, "BEGIN").count(",") == 1
        assert playing(talk) == game_id
    talk = serving(game_id)
    assert talk.say(f"START {size}", f"INFO rule {rule}", "BEGIN")[0] == "OK"
    assert len(stones(talk)) == 1


@pytest.mark.parametrize(("size", "rule"), [(9, "1"), (20, "4"), (15, "8"), (15, "5"), (20, "2147483648")])
def test_a_rule_without_a_game_is_an_error_of_the_next_move(size: int, rule: str) -> None:
    talk = choosing()
    assert talk.say(f"START {size}", f"INFO rule {rule}") == ["OK"]
    for line in ("BEGIN", "TURN 1,1", "PLAY 1,1"):
        assert talk.say(line)[0].startswith("ERROR expected rule 0")
    assert talk.say("BOARD", "DONE")[0].startswith("ERROR expected rule 0")
    assert move(talk, "INFO rule 0", "BEGIN").count(",") == 1


def test_another_rule_of_an_engine_for_one_game_is_an_error_of_the_next_move() -> None:
    talk = serving("standard15")
    assert talk.say("START 15", "INFO rule 0", "BEGIN") == [
        "OK",
        "ERROR expected rule 1 on this board, got rule 0",
    ]
    assert move(talk, "INFO rule 1", "BEGIN").count(",") == 1


def test_the_rule_changes_in_the_midst_of_a_game_and_the_stones_stay() -> None:
    talk = started(choosing())
    move(talk, "TURN 3,3")
    before = stones(talk)
    move(talk, "INFO rule 1", "TURN 4,3")
    assert playing(talk) == "standard15"
    assert stones(talk)[:2] == before


def test_another_game_begins_on_an_empty_board() -> None:
    talk = started(choosing())
    for size, name in ((20, "gomoku20"), (9, "gomoku9"), (15, "gomoku15")):
        move(talk, "TURN 3,3")
        started(talk, size)
        assert playing(talk) == name
        assert stones(talk) == ()
    move(talk, "BEGIN")
    assert talk.say("RESTART") == ["OK"]
    assert stones(talk) == ()
    assert choosing().say("RESTART") == ["ERROR expected START first"]


BAD = {
    b"FOO 1": "UNKNOWN command 'FOO 1'",
    b"YXSHOWINFO": "UNKNOWN command 'YXSHOWINFO'",
    b"7,6": "UNKNOWN command '7,6'",
    b"DONE": "UNKNOWN command 'DONE'",
    b"BEGIN": "ERROR expected an empty board, got 2 stones",
    b"TURN": "ERROR expected X,Y, got ''",
    b"TURN 7": "ERROR expected X,Y, got '7'",
    b"TURN 7,x": "ERROR expected X,Y, got '7,x'",
    b"TURN -1,-1": "ERROR expected X,Y, got '-1,-1'",
    b"TURN 15,0": "ERROR expected X,Y, each from 0 to 14, got '15,0'",
    b"TURN 7,7": "ERROR expected a legal move, got 7,7",
    b"PLAY 7,7": "ERROR expected a legal move, got 7,7",
    b"TAKEBACK 3,3": "ERROR expected a stone to take back, got 3,3",
    b"TAKEBACK 7,7": "ERROR expected the last stone, 0,0, got 7,7",
    b"TAKEBACK x": "ERROR expected X,Y, got 'x'",
    b"START 16": "ERROR only 9, 15 and 20",
    b"RECTSTART 15,20": "ERROR only 9, 15 and 20",
    b"BOARD\n7,7\nDONE": "ERROR expected X,Y,F with F 1 or 2, or DONE; got '7,7'",
    b"BOARD\n7,7,3\n8,8,1\nhello\nDONE": "ERROR expected X,Y,F with F 1 or 2, or DONE; got '7,7,3'",
    b"BOARD\n7,7,1\nDONE": "ERROR expected 2 as often as 1, or once more, got 0 and 1 stones",
    b"BOARD\n7,7,1\n7,7,2\nDONE": "ERROR expected stones of a game, got an illegal move",
    b"BOARD\n7,99,2\nDONE": "ERROR expected X,Y, each from 0 to 14, got '7,99'",
    b"BOARD\n7,7,2\nTAKEBACK x": "ERROR expected DONE, got 'TAKEBACK x'",
    b"BOARD\n\xff\nDONE": "ERROR expected UTF-8, got byte 0xff at offset 0",
    b"SWAP2BOARD\n7,7\nDONE": "ERROR expected 0, 3 or 5 stones, got 1",
    b"SWAP2BOARD\n7,7,1\nDONE": "ERROR expected X,Y, got '7,7,1'",
    b"BOARD\n" + b"1,1,1\n" * 500 + b"DONE": "ERROR expected at most 400 stones, got more",
    b"\xff\xfe": "ERROR expected UTF-8, got byte 0xff at offset 0",
    b"TURN 3,3" + MAX_LINE * b" ": f"ERROR expected at most {MAX_LINE} bytes on a line, got more",
}


@pytest.mark.parametrize(("line", "why"), BAD.items(), ids=[line[:24].decode(errors="replace") for line in BAD])
def test_a_bad_line_is_refused_and_changes_nothing(line: bytes, why: str) -> None:
    talk = started(serving(seed="1"))
    assert talk.say("PLAY 7,7", "PLAY 0,0") == ["7,7", "0,0"]
    talk.bring(line + b"\n")
    assert talk.received()[0] == why
    assert stones(talk) == ("h8", "a15")
    assert talk.say("PLAY 1,1") == ["1,1"]


def test_half_a_line_at_the_end_is_refused() -> None:
    talk = started(serving())
    talk.bring(b"TURN 3,")
    talk.end()
    assert talk.received() == ["ERROR expected a newline, got the end of the stream"]
    assert talk.session.over


def test_a_move_after_the_end_of_the_game_is_refused() -> None:
    talk = started(serving())
    for x in range(4):
        talk.say(f"PLAY {x},0", f"PLAY {x},5")
    assert talk.say("PLAY 4,0") == ["4,0"]
    assert talk.say("TURN 9,9") == ["ERROR expected a legal move, got 9,9"]
    assert talk.say("TAKEBACK 4,0", "PLAY 9,9") == ["OK", "9,9"]
    assert talk.say("TURN 4,5") == ["ERROR the game is over"]
    assert talk.say("TAKEBACK 9,9") == ["OK"]


def test_a_board_in_the_order_of_play() -> None:
    talk = started(serving("renju15", seed="1"))
    assert move(talk, "BOARD", "7,7,2", "8,8,1", "9,9,2", "DONE").count(",") == 1
    assert stones(talk)[:3] == ("h8", "i7", "j6")
    move(talk, "BOARD", "7,7,1", "8,8,2", "done")
    assert stones(talk)[:2] == ("h8", "i7")
    assert len(stones(talk)) == 3


def test_a_board_in_any_order() -> None:
    talk = started(serving(seed="1"))
    move(talk, "BOARD", "0,0,1", "7,7,2", "1,1,1", "8,8,2", "9,9,2", "DONE")
    assert stones(talk)[:5] == ("h8", "a15", "i7", "b14", "j6")


def test_an_empty_board_asks_for_the_first_move() -> None:
    talk = started(serving())
    assert move(talk, "BOARD", "DONE").count(",") == 1


def test_a_command_in_place_of_done_drops_the_board() -> None:
    talk = started(serving())
    assert talk.say("BOARD", "7,7,2", "START 15") == ["ERROR expected DONE, got 'START 15'", "OK"]
    assert talk.say("BOARD", "7,7,2", "END") == []
    assert talk.session.over


def test_stones_are_taken_back_one_by_one() -> None:
    talk = started(serving())
    move(talk, "TURN 3,3")
    mine, theirs = (talk.session._server._point(one) for one in reversed(stones(talk)))  # type: ignore[union-attr]
    assert talk.say(f"TAKEBACK {mine}", f"TAKEBACK {theirs}") == ["OK", "OK"]
    assert stones(talk) == ()


def test_swap2() -> None:
    talk = started(serving(player="negamax"), 15, "timeout_turn 200")
    (line,) = talk.say("SWAP2BOARD", "DONE")
    points = line.split()
    assert len({*points}) == 3
    three = answer(talk, "SWAP2BOARD", *points, "DONE")
    assert three == ["SWAP"] or three[0].count(",") == 1
    lost = ["7,7", "0,0", "8,7", "14,14", "9,7"]
    assert answer(talk, "SWAP2BOARD", *lost, "DONE") == ["SWAP"]
    won = ["0,0", "7,7", "14,0", "8,7", "0,14"]
    assert move(talk, "SWAP2BOARD", *won, "DONE").count(",") == 1


def test_swap2_begins_on_every_board_with_three_stones() -> None:
    for size in (9, 15, 20):
        (line,) = started(choosing(), size).say("SWAP2BOARD", "DONE")
        assert len({*line.split()}) == 3


def test_information_changes_options() -> None:
    talk = started(serving(player="negamax"), 15, "DEPTH 1", "timeout_turn 60000")
    talk.bring(b"TURN 7,7\n")
    received: list[str] = []
    while not (received and not received[-1].startswith("MESSAGE")):
        assert talk.pump()
        received += talk.received()
    assert " depth 1 " in received[-2]


def test_the_memory_is_bounded() -> None:
    talk = started(serving(player="negamax"), 15, "max_memory 20971520")
    assert talk.session._host.seat.player.memory_mb == 10
    assert talk.say("INFO max_memory 0", "INFO max_memory 99999999999") == []
    assert talk.session._host.seat.player.memory_mb == 10


def test_options_hold_in_every_game() -> None:
    talk = started(choosing("negamax"), 15, "hash_mb 3")
    started(talk, 20)
    assert playing(talk) == "gomoku20"
    assert talk.session._host.seat.player.memory_mb == 3


@pytest.mark.parametrize(
    "line", ["INFO", "INFO x", "INFO unknown 5", "INFO evaluate 3,4", "INFO folder C:/a b", "INFO game_type 9"]
)
def test_information_without_a_meaning_is_ignored(line: str) -> None:
    talk = started(serving())
    assert talk.say(line) == []
    assert move(talk, "BEGIN").count(",") == 1


@pytest.mark.parametrize("key", ["timeout_turn", "timeout_match", "time_left", "max_memory", "rule", "hash_mb"])
def test_wrong_information_is_an_error_of_the_next_move(key: str) -> None:
    talk = started(serving(player="negamax"), 15, "timeout_turn 50")
    assert talk.say(f"INFO {key} much") == []
    assert talk.say("ABOUT")[0].startswith("name=")
    assert talk.say("BEGIN")[0].startswith(f"ERROR INFO '{key}': ")
    assert stones(talk) == ()
    assert move(talk, "BEGIN").count(",") == 1
    assert talk.say(f"INFO {key} much", f"INFO {key} 4" if key != "rule" else "INFO rule 0") == []
    assert move(talk, "TURN 0,0").count(",") == 1


def test_the_time_of_a_move() -> None:
    time = MoveTime()
    assert time.limit() == Limit()
    time.turn = 0
    assert time.limit() == Limit(movetime_ms=1)
    time.turn, time.match = 5000, 60_000
    assert time.limit() == Limit(movetime_ms=5000, p1time_ms=60_000, p2time_ms=60_000)
    time.spend(2000)
    assert time.limit().p1time_ms == 58_000
    time.set_left(1000)
    assert time.limit().p2time_ms == 1000
    time.set_left(-5)
    assert time.limit().p1time_ms == 0
    time.set_left(2**31 - 1)
    assert time.limit() == Limit(movetime_ms=5000)
    time.start()
    assert time.limit().p1time_ms == 60_000
    time.match = 0
    assert time.limit() == Limit(movetime_ms=5000)


def searching() -> Conversation:
    """An engine in a search that would last for hours."""
    talk = started(serving(player="mcts", simulations="0"), 15, "timeout_turn 9999999")
    talk.bring(b"BEGIN\n")
    assert talk.session.searching
    return talk


def test_information_during_a_search_is_taken_at_once() -> None:
    talk = searching()
    assert talk.say("INFO time_left 99999999", "INFO evaluate 3,3") == []
    assert talk.session.searching
    assert move(talk, "\r", "INFO timeout_turn 0").count(",") == 1
    talk = searching()
    assert move(talk, "INFO timeout_turn 300").count(",") == 1


def test_an_end_during_a_search_ends_at_once() -> None:
    talk = searching()
    talk.bring(b"TURN 1,1\nBOARD\nend\n")
    while not talk.session.over:
        assert talk.pump()
    assert talk.received() == []


def test_commands_wait_for_the_end_of_a_search() -> None:
    talk = searching()
    talk.bring(b"ABOUT\nINFO timeout_turn 1\nFOO\n")
    assert talk.received() == []
    assert not talk.session.waiting
    talk.session._server._host.stop()  # type: ignore[union-attr]
    received: list[str] = []
    while len(received) < 3:
        assert talk.pump()
        received += [line for line in talk.received() if not line.startswith("MESSAGE")]
    assert received[0].count(",") == 1
    assert received[1].startswith("name=")
    assert received[2] == "UNKNOWN command 'FOO'"


def test_a_client_that_floods_a_search_is_not_read() -> None:
    talk = searching()
    assert not talk.session.busy
    talk.bring(b"ABOUT\n" * (MAX_LINE // 5))
    assert talk.session.busy
    talk.session.close()


def test_a_search_ends_with_a_message() -> None:
    talk = started(serving(player="negamax"), 15, "depth 2")
    talk.bring(b"TURN 7,7\n")
    received: list[str] = []
    while not (received and not received[-1].startswith("MESSAGE")):
        assert talk.pump()
        received += talk.received()
    message = received[-2].split()
    assert message[:2] == ["MESSAGE", "score"]
    assert message[message.index("pv") + 1] == received[-1]


def test_every_command_is_known() -> None:
    talk = started(serving())
    for command in COMMANDS:
        if command not in ("BOARD", "SWAP2BOARD", "END"):
            assert not any(line.startswith("UNKNOWN") for line in talk.say(command))
    assert game("gomoku15").id == playing(talk)
