"""GTP, the engine's side: the page, bad input, time, searches, and what GoGui asks for."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import NoReturn

import pytest

from fiedler.games import GAMES, any_game
from fiedler.games.coordinates import VERTEX, fits
from fiedler.games.go import is_go, lead
from fiedler.games.position import Position
from fiedler.native import Limits, StopFlag
from fiedler.players import OnInfo, Player, Settings
from fiedler.protocol import DIALECTS, MAX_LINE, Limit, detect
from fiedler.protocol.gtp import COMMANDS
from fiedler.protocol.gtp.commands import NEED_CELLS, NEED_RULES
from fiedler.protocol.gtp.timing import Timing
from fiedler.support.errors import WorkError
from tests.engine.engine_driver import Conversation
from tests.folders import DOCS
from tests.protocol.dialogue import exchanges

PAGE = DOCS / "protocols" / "gtp.md"
DIALOGUES = [
    ("A dialogue", "connect4", "hsp"),
    ("The end of a game", "tictactoe", "osp"),
    ("Games of OpenSpiel", "openspiel:othello", "random"),
    ("The board that must be played in", "uttt", "hsp"),
]


def serving(game_id: str = "connect4", player: str | Player = "hsp", **options: str) -> Conversation:
    return Conversation(game_id, player, pinned="gtp", **options)


def answer(talk: Conversation, line: str) -> str:
    """The text of a response, with its sign."""
    lines = talk.say(line)
    assert lines, line
    assert lines[-1] == ""
    return "\n".join(lines[:-1])


def text(talk: Conversation, line: str) -> str:
    """The text of a success."""
    found = answer(talk, line)
    assert found.startswith("="), found
    return found[1:].removeprefix(" ")


def searched(talk: Conversation, line: str) -> str:
    """The answer of a command that searches in a thread."""
    talk.bring(f"{line}\n".encode())
    while not (lines := talk.received()):
        assert talk.pump(), line
    return "\n".join(lines[:-1])


@pytest.mark.parametrize(("heading", "game_id", "player"), DIALOGUES)
def test_the_dialogue_of_the_page(heading: str, game_id: str, player: str) -> None:
    talk = serving(game_id, player, seed="1")
    for lines, answers in exchanges(PAGE, heading):
        assert talk.say(*lines) == answers, lines


def test_the_page_names_every_command() -> None:
    page = PAGE.read_text("utf-8")
    assert [name for name in COMMANDS if f"`{name}" not in page] == []


def test_the_first_line_opens_the_dialect() -> None:
    for line in ("name", "12 list_commands", "# a comment", "\tboardsize 9\r\n", "gogui-rules_game_id"):
        assert detect(line) == "gtp", line
    for line in ("quit", "ugi", "12", "go", "position startpos", "play_game", "4 4"):
        assert detect(line) != "gtp", line
    assert Conversation("connect4", "hsp").say("protocol_version") == ["= 2", ""]
    assert DIALECTS["gtp"].refusal("no\nroom") == b"? no room\n\n"


def test_every_command_of_the_list_is_known() -> None:
    talk = serving(player="mcts")
    names = text(talk, "list_commands").splitlines()
    assert {*COMMANDS} - NEED_RULES < {*names}
    assert "simulations" in names
    assert {text(talk, f"known_command {name}") for name in names} == {"true"}
    assert text(talk, "known_command final_status_list") == "false"


BAD = {
    b"geenmove b": "unknown command",
    b"play": "syntax error: expected play COLOR VERTEX, got 'play'",
    b"name x": "syntax error: expected name, got 'name x'",
    b"play x D1": "expected a color, b or w, got 'x'",
    b"play b": "syntax error: expected play COLOR VERTEX, got 'play b'",
    b"play b D9": "illegal move: expected a point such as A1, got 'D9'",
    b"play b I1": "illegal move: expected a point such as A1, got 'I1'",
    b"play b D1": "illegal move: expected the point to which the disc falls, got 'D1'",
    b"play b pass": "illegal move: the game runs, and nobody may pass",
    b"play w D3": "not W's turn",
    b"genmove w": "not W's turn",
    b"reg_genmove w": "not W's turn",
    b"gogui-play_sequence b D3 w D4 b D4": "illegal move: expected the point to which the disc falls, got 'D4'",
    b"gogui-play_sequence b": "syntax error: expected pairs of COLOR VERTEX",
    b"boardsize 19": "unacceptable size: expected 7, got '19'",
    b"boardsize x": "unacceptable size: expected 7, got 'x'",
    b"komi x": "expected a number, got 'x'",
    b"final_score": "game is not over",
    b"time_settings 1 2": "syntax error: expected time_settings MAIN PERIOD STONES, got 'time_settings 1 2'",
    b"time_settings 1 2 -1": "expected a whole number from 0 to 1000, got '-1'",
    b"time_settings 9999999 0 0": "expected a whole number from 0 to 2147483, got '9999999'",
    b"time_left b 1.5 0": "expected a whole number from 0 to 2147483, got '1.5'",
    b"loadsgf /etc/passwd": "not available over TCP",
    b"seed x": "option 'seed': expected ",
    b"12": "expected a command after '12', got nothing",
    b"\xff\xfe": "expected UTF-8, got byte 0xff at offset 0",
    b"play b D3" + MAX_LINE * b" ": f"expected at most {MAX_LINE} bytes on a line, got more",
}


@pytest.mark.parametrize(("line", "why"), BAD.items(), ids=list(BAD.values()))
def test_a_bad_line_is_refused_and_changes_nothing(line: bytes, why: str) -> None:
    talk = serving(seed="1")
    talk.say("play b D1", "play w D2")
    before = [text(talk, name) for name in ("gogui-rules_board", "fiedler-position", "gogui-rules_side_to_move")]
    talk.bring(line + b"\n")
    got, end = talk.received()
    assert got.startswith(f"? {why}")
    assert end == ""
    assert before == [
        text(talk, name) for name in ("gogui-rules_board", "fiedler-position", "gogui-rules_side_to_move")
    ]


def test_half_a_line_at_the_end_is_refused() -> None:
    talk = serving()
    talk.bring(b"play b D1\nplay w D")
    talk.end()
    assert talk.received() == ["=", "", "? expected a newline, got the end of the stream", ""]
    assert talk.session.over


def test_comments_blank_lines_and_control_characters_are_ignored() -> None:
    assert serving().say("", "  ", "# play b D1", "\x01pro\x02tocol_version\t# x", "7\tname\r") == [
        "= 2",
        "",
        "=7 Fiedler hsp",
        "",
    ]


@pytest.mark.parametrize("game_id", [name for name, game in GAMES.items() if fits(game, VERTEX)])
def test_gogui_shows_and_plays_every_game(game_id: str) -> None:
    talk, source = serving(game_id, "random", seed="1"), random.Random(game_id)
    size = int(text(talk, "gogui-rules_board_size"))
    assert text(talk, f"boardsize {size}") == text(talk, "clear_board") == ""
    name = text(talk, "gogui-rules_game_id")
    assert name[0].isupper()
    assert name[1:] == name[1:].lower()
    assert name.lower() == game_id
    position, stones, before = GAMES[game_id].position(), dict[str, str](), dict[str, str]()
    while legal := text(talk, "gogui-rules_legal_moves").split():
        assert len(legal) == len({*legal}) == len(position.legal_moves())
        color = text(talk, "gogui-rules_side_to_move")
        point = source.choice(legal)
        assert text(talk, f"play {color} {point.lower()}") == ""
        assert answer(talk, f"play {color} {point}").startswith("? ")  # GoGui repeats the last move
        before, stones = stones, {**stones, point: "X" if color == "black" else "O"}
        position = GAMES[game_id].position(text(talk, "fiedler-position"))
        if is_go(GAMES[game_id]):
            stones = on_points(position.cells, size)
        assert shown(text(talk, "gogui-rules_board"), size) == stones
        assert (f"CIRCLE {point}\n" in text(talk, "gogui-rules_board_gfx")) == (point != "PASS")
    assert position.result is not None
    points = f"{abs(lead(position)):g}" if is_go(GAMES[game_id]) else "1"
    assert text(talk, "final_score") == {1: f"B+{points}", -1: f"W+{points}", 0: "0"}[position.result]
    assert [text(talk, f"genmove {color}") for color in passing(talk)] == ["PASS", "PASS"]
    assert text(talk, "undo") == text(talk, "undo") == text(talk, "undo") == ""
    assert shown(text(talk, "gogui-rules_board"), size) == before


def test_captured_stones_are_counted_by_their_color() -> None:
    talk = serving("go9", "random")
    counts = []
    for move in ("b A9", "w PASS", "b E5", "w B9", "b PASS", "w A8", "b B8", "w C9", "b C8", "w D4", "b D9", "w D5"):
        assert text(talk, f"play {move}") == ""
        counts.append(text(talk, "gogui-rules_captured_count"))
    assert counts == [*5 * ["0 0"], *7 * ["1 0"]]
    assert text(talk, "play b A9") == ""
    assert text(talk, "gogui-rules_captured_count") == "1 2", "B9 and C9"
    assert text(talk, "undo") == ""
    assert text(talk, "gogui-rules_captured_count") == "1 0"


def on_points(cells: bytes, size: int) -> dict[str, str]:
    """The stones of a Go board by their points."""
    board = "\n".join(" ".join(".XO"[cell] for cell in cells[row : row + size]) for row in range(0, size * size, size))
    return shown(board, size)


def shown(board: str, size: int) -> dict[str, str]:
    """The stones of a board by their points."""
    rows = [line.split() for line in board.splitlines()]
    assert [len(row) for row in rows] == [size] * size
    letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
    return {
        f"{letters[column]}{size - place}": sign
        for place, row in enumerate(rows)
        for column, sign in enumerate(row)
        if sign in "XO"
    }


def passing(talk: Conversation) -> tuple[str, str]:
    first = text(talk, "gogui-rules_side_to_move")
    return (first, "black" if first == "white" else "white")


def test_the_layers_of_the_cube_lie_side_by_side() -> None:
    talk = serving("cube", "random", seed="1")
    assert text(talk, "gogui-play_sequence b A1 w T4 b F2") == ""
    assert text(talk, "fiedler-position") == str(GAMES["cube"].position(moves=["1a1", "4d4", "2a2"]))
    assert answer(talk, "play w E1").startswith("? illegal move")
    places = text(talk, "gogui-rules_board_gfx").splitlines()[0].split()
    assert places[:2] == ["COLOR", "#505050"]
    assert {*places} >= {"A5", "T19", "E1", "K4", "P2"}
    assert not {*places} & {"A1", "T4", "F2"}


def test_forbidden_points_are_colored() -> None:
    talk = serving("renju15", "random", seed="1")
    talk.say("gogui-play_sequence b H8 w A1 b J8 w C1 b K9 w E1 b K10 w G1")
    assert "COLOR #e08080 K8\n" in text(talk, "gogui-rules_board_gfx")
    assert answer(talk, "play b K8") == "? illegal move"


MUST_PASS = "gogui-play_sequence b d3 w c3 b e6 w d2 b d1 w e1 b b2 w c1"


def test_a_pass_that_is_forced_may_be_left_out() -> None:
    talk = serving("openspiel:othello", "random")
    assert text(talk, MUST_PASS) == ""
    before = text(talk, "fiedler-position")
    assert answer(talk, "play w a8") == "? illegal move: expected the point of a legal move, got 'A8'"
    assert text(talk, "fiedler-position") == before, "the pass is taken back with the wrong move"
    assert text(talk, "play w d6") == ""
    assert text(talk, "fiedler-position") == f"{before},64,43"
    assert answer(talk, "play w c6") == "? not W's turn"
    text(talk, "undo")
    text(talk, "undo")
    assert text(talk, "fiedler-position") == before
    assert re.fullmatch(r"[A-H][1-8]", text(talk, "genmove w"))
    assert text(talk, "fiedler-position").startswith(f"{before},64,")


class Broken(Player):
    """Finds no move."""

    name = "broken"
    description = "for tests"

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> NoReturn:
        raise WorkError("not enough memory")


def test_a_search_without_a_move_takes_back_the_pass_that_it_includes() -> None:
    othello = any_game("openspiel:othello")
    for player, commands in (("random", ("reg_genmove",)), (Broken(othello, Settings()), ("reg_genmove", "genmove"))):
        talk = serving("openspiel:othello", player)
        assert text(talk, MUST_PASS) == ""
        before = text(talk, "fiedler-position")
        for command in commands:
            found = searched(talk, f"{command} w")
            expected = r"= [A-H][1-8]" if player == "random" else r"\? .*not enough memory.*"
            assert re.fullmatch(expected, found)
            assert text(talk, "fiedler-position") == before
        assert text(talk, "play b pass") == ""
        assert text(talk, "play w d6") == ""


def test_passes_end_a_game_of_go_and_may_follow() -> None:
    talk = serving("openspiel:go(board_size=5)", "random")
    assert text(talk, "play b c3") == ""
    assert answer(talk, "play b pass") == "? not B's turn"
    assert text(talk, "play w pass") == ""
    assert text(talk, "play b pass") == ""
    assert text(talk, "final_score") == "B+1"
    assert text(talk, "genmove w") == "PASS"
    assert text(talk, "play b pass") == ""
    for _ in range(4):
        assert text(talk, "undo") == ""
    assert text(talk, "fiedler-position") == "12"


def test_a_board_with_a_column_i_needs_no_reminder() -> None:
    talk = serving("openspiel:hex(board_size=9)", "random")
    assert text(talk, "play b i9") == ""
    assert answer(talk, "play w i9") == "? illegal move: expected the point of a legal move, got 'I9'"
    of_go = answer(serving("openspiel:go(board_size=9)", "random"), "play b i9")
    assert of_go.endswith("GTP leaves out the letter I: J follows H")


@pytest.mark.parametrize("game_id", ["openspiel:othello", "openspiel:havannah(board_size=3)"])
def test_a_game_without_cells_lacks_the_commands_that_show_them(game_id: str) -> None:
    talk = serving(game_id, "mcts", simulations="9")
    names = text(talk, "list_commands").splitlines()
    assert set(COMMANDS) - set(names) == NEED_CELLS | NEED_RULES
    assert {answer(talk, name) for name in (*NEED_CELLS, *NEED_RULES)} == {"? unknown command"}
    assert {text(talk, f"known_command {name}") for name in (*NEED_CELLS, *NEED_RULES)} == {"false"}
    searched(talk, "genmove b")
    for line in text(talk, "gogui-analyze_commands").splitlines():
        assert line.startswith("none/") or answer(talk, line.rpartition("/")[2]) != "? unknown command"
    drawn = text(talk, "showboard").splitlines()
    assert drawn[0] == "White to move"
    game = any_game(game_id)
    position = game.position(text(talk, "fiedler-position"))
    assert drawn[1:] == [line for line in game.draw(position).splitlines() if line]


def test_go_has_passes_points_and_a_komi() -> None:
    talk = serving("go9", "random", seed="1")
    assert text(talk, "komi 7.5") == text(talk, "boardsize 9") == ""
    for wrong in ("7.3", "nan", "1e9", "-361.5"):
        expected = f"a multiple of 0.5 from -361 to 361, got {float(wrong)}"
        assert answer(talk, f"komi {wrong}") == f"? unacceptable komi: expected {expected}"
    talk.say("gogui-play_sequence b D6 w E6 b C5 w F5 b D4 w E4 b G3 w D5 b E5")
    assert answer(talk, "play w D5") == "? illegal move", "it would repeat the board before"
    assert text(talk, "play w pass") == text(talk, "play b PASS") == ""
    assert text(talk, "final_score") == "W+4.5"
    assert text(talk, "undo") == text(talk, "undo") == ""
    assert text(talk, "gogui-rules_side_to_move") == "white"


def test_the_komi_of_go_changes_the_score_and_outlasts_the_game() -> None:
    talk = serving("go9", "random", seed="1")
    talk.say("gogui-play_sequence b E5 w pass b pass")
    assert text(talk, "final_score") == "B+73.5"
    assert text(talk, "komi 81") == ""
    assert text(talk, "final_score") == "0", "the moves stay"
    assert text(talk, "genmove w") == "PASS"
    assert text(talk, "komi -3") == ""
    assert text(talk, "gogui-rules_side_to_move") == "black", "the pass after the end stays, too"
    for begin in ("clear_board", "boardsize 9", "undo"):
        if begin == "undo":
            talk.say("play b pass")
        assert text(talk, begin) == ""
        assert text(talk, "fiedler-position") == f"{any_game('go9').position()};komi=-3"
    assert searched(talk, "genmove b").startswith("= ")
    assert ";komi=-3" in text(talk, "fiedler-position")


def test_suicide_may_become_legal() -> None:
    talk = serving("go9", "random", seed="1")
    talk.say("gogui-play_sequence b A8 w J1 b B8 w J2 b C9 w A9")
    suicide = "play w B9"
    assert text(talk, "play b J9") == ""
    assert answer(talk, suicide) == "? illegal move"
    assert text(talk, "kata-set-rule suicide true") == text(talk, suicide) == ""
    assert text(talk, "gogui-rules_captured_count") == "0 2"
    assert answer(talk, "kata-set-rule suicide false") == "? move b9: not legal (suicide)"
    assert ";suicide=true" in text(talk, "fiedler-position")
    for wrong in ("ko POSITIONAL", "suicide yes"):
        assert answer(talk, f"kata-set-rule {wrong}") == f"? expected suicide true or suicide false, got {wrong!r}"


@pytest.mark.parametrize("command", ["fixed_handicap 2", "place_free_handicap 2", "set_free_handicap D4 G6"])
def test_a_handicap_is_refused(command: str) -> None:
    talk = serving("go9", "random", seed="1")
    assert answer(talk, command) == "? expected no handicap: a game begins on the empty board"
    assert text(talk, f"known_command {command.split(maxsplit=1)[0]}") == "false"


def test_a_search_plays_its_move_or_does_not() -> None:
    talk = serving("tictactoe", "negamax")
    talk.say("gogui-play_sequence b b2 w a1 b b1 w a2")
    assert searched(talk, "reg_genmove b") == "= B3"
    assert text(talk, "gogui-rules_legal_moves") == "A3 B3 C1 C2 C3"
    assert text(talk, "fiedler-pv") == "B3"
    assert text(talk, "fiedler-search").startswith("wins in 1, depth ")
    assert searched(talk, "9 genmove b") == "=9 B3"
    assert text(talk, "fiedler-pv") == ""
    assert text(talk, "final_score") == "B+1"


def test_the_start_of_a_statistics_run() -> None:
    assert answer(serving("tictactoe", "osp", seed="1"), "reg_genmove null").startswith("= ")


def test_the_scores_of_all_moves() -> None:
    talk = serving("tictactoe", "negamax")
    talk.say("gogui-play_sequence b b2 w a1 b b1 w a2")
    scores = dict(line.split() for line in text(talk, "fiedler-scores").splitlines())
    assert scores["B3"] == "W1"
    assert {*scores} == {"A3", "B3", "C1", "C2", "C3"}
    assert scores["C1"] == "L1"
    talk.say("play b b3")
    assert text(talk, "fiedler-scores") == ""


def test_the_visits_of_the_last_search() -> None:
    talk = serving("uttt", "checkpoint", simulations="50")
    assert text(talk, "fiedler-visits") == ""
    move = searched(talk, "genmove b").removeprefix("= ")
    visits = [line.split() for line in text(talk, "fiedler-visits").splitlines()]
    assert visits[0][0] == move
    assert sum(int(count) for _, count in visits) == 49
    text(talk, "clear_board")
    assert text(talk, "fiedler-visits") == ""
    assert text(serving(), "fiedler-visits") == ""


@pytest.mark.parametrize("threads", ["1", "2"])
def test_the_visits_of_a_search_with_rollouts(threads: str) -> None:
    talk = serving("uttt", "mcts", simulations="400", threads=threads, seed="1")
    assert text(talk, "fiedler-visits") == ""
    move = searched(talk, "genmove b").removeprefix("= ")
    visits = [line.split() for line in text(talk, "fiedler-visits").splitlines()]
    assert visits[0][0] == move
    assert len(visits) == 81
    assert 390 <= sum(int(count) for _, count in visits) <= 400
    text(talk, f"play w {text(talk, 'gogui-rules_legal_moves').split()[0]}")
    assert len(text(talk, "fiedler-visits").splitlines()) == 81, "the last search, not the board"


@pytest.mark.parametrize("player", ["mcts", "checkpoint"])
def test_the_visits_are_those_of_the_last_search_after_scores(player: str) -> None:
    talk = serving("tictactoe" if player == "mcts" else "uttt", player, simulations="60", seed="1")
    searched(talk, "genmove b")
    figures, visits = text(talk, "fiedler-search"), text(talk, "fiedler-visits")
    assert visits
    for _ in range(2):
        assert text(talk, "fiedler-scores")
        assert (text(talk, "fiedler-search"), text(talk, "fiedler-visits")) == (figures, visits)
    searched(talk, "genmove w")
    assert text(talk, "fiedler-visits") != visits, "another search"
    text(talk, "clear_board")
    assert text(talk, "fiedler-visits") == ""


def test_analyze_commands_are_commands() -> None:
    talk = serving(player="mcts")
    lines = text(talk, "gogui-analyze_commands").splitlines()
    names = text(talk, "list_commands").splitlines()
    assert all(line.split("/")[2].split()[0] in names for line in lines)
    assert "none/Set simulations/simulations %s" in lines


def test_commands_wait_for_the_end_of_a_search_and_an_interrupt_ends_it() -> None:
    talk = serving("gomoku15", "mcts", simulations="0")
    talk.bring(b"time_settings 1000 0 0\n1 genmove b\n2 gogui-rules_side_to_move\n3 genmove w\nquit\n")
    assert talk.received() == ["=", ""]
    assert talk.session.searching
    assert talk.say("# not an interrupt") == []
    talk.bring(b"# interrupt\n")
    lines: list[str] = []
    while "=2 white" not in lines:
        assert talk.pump()
        lines += talk.received()
    assert lines[0].startswith("=1 ")
    talk.bring(b"# interrupt\n")
    while not talk.session.over:
        assert talk.pump()
        lines += talk.received()
    assert [line.split()[0] for line in lines if line] == ["=1", "=2", "=3", "="]


def test_a_client_that_floods_a_search_is_not_read() -> None:
    talk = serving("gomoku15", "mcts", simulations="0")
    talk.bring(b"time_settings 1000 0 0\ngenmove b\n")
    assert not talk.session.busy
    talk.bring(b"name\n" * (MAX_LINE // 5 + 1))
    assert talk.session.busy
    talk.session.close()


def test_options_are_commands() -> None:
    first, second = (serving("gomoku9", "random", seed="1") for _ in range(2))
    assert text(first, "seed 5") == text(second, "seed 5") == ""
    assert [answer(first, f"genmove {color}") for color in "bwbw"] == [
        answer(second, f"genmove {color}") for color in "bwbw"
    ]


def test_time_settings() -> None:
    timing = Timing()
    assert timing.limit(0) == Limit()
    timing.set(0, 5, 1)
    assert timing.limit(0) == Limit(movetime_ms=5000)
    timing.spend(0, 4000)
    assert timing.limit(0) == Limit(movetime_ms=5000)
    timing.set(60, 0, 0)
    timing.spend(1, 20_000)
    assert timing.limit(0).p1time_ms == 60_000
    assert timing.limit(1).p2time_ms == 40_000
    timing.spend(1, 50_000)
    assert timing.limit(1).p2time_ms == 0
    timing.set_left(1, 7, 0)
    assert timing.limit(1).p2time_ms == 7000
    timing.set(10, 30, 5)
    assert timing.limit(0) == Limit(p1time_ms=10_000, p2time_ms=10_000, p1inc_ms=6000, p2inc_ms=6000)
    timing.spend(0, 12_000)
    assert timing.limit(0) == Limit(movetime_ms=7000)
    timing.set_left(0, 9, 3)
    assert timing.limit(0) == Limit(movetime_ms=3000)
    timing.set(0, 5, 0)
    assert timing.limit(0) == Limit()


def test_the_clock_of_a_game_is_spent_by_its_searches() -> None:
    talk = serving("tictactoe", "mcts", simulations="0")
    talk.say("time_settings 1 0 0")
    clocks = talk.session._server.timing  # type: ignore[union-attr]
    for color in "bwbw":
        searched(talk, f"genmove {color}")
    left = [clocks.limit(side).p1time_ms for side in (0, 1)]
    assert all(one is not None and one < 1000 for one in left)
    talk.say("clear_board")
    assert clocks.limit(0).p1time_ms == 1000


def sgf(tmp_path: Path, content: str) -> Conversation:
    (tmp_path / "game.sgf").write_text(content, "utf-8")
    talk = serving("gomoku9", "random", seed="1")
    talk.session.allow_files()
    return talk


def test_an_sgf_file_of_go_has_its_passes(tmp_path: Path) -> None:
    (tmp_path / "game.sgf").write_text("(;GM[1]FF[4]SZ[9];B[ee];W[];B[dd];W[tt];B[])", "utf-8")
    talk = serving("go9", "random", seed="1")
    talk.session.allow_files()
    assert answer(talk, f'loadsgf "{tmp_path / "game.sgf"}"') == "="
    assert text(talk, "fiedler-position").endswith(";e5-pass-d6-pass-pass")
    assert text(talk, "final_score") == "B+73.5"


GAME = "(;GM[4]FF[4]SZ[9];B[ee];W[ed])"
FROM_ELSEWHERE = {
    "a byte order mark": ("\ufeff" + GAME).encode(),
    "UTF-16": GAME.encode("utf-16"),
    "a line before": b"Game saved by X\n" + GAME.encode(),
    "a mail": b"From: a (me)\r\nSubject: x\r\n\r\n" + GAME.encode(),
    "Latin-1": GAME.replace("GM", "PB[\xe9]GM").encode("latin-1"),
    "a declared encoding": GAME.replace("GM", "CA[ GB18030 ]PB[\u68cb\u5c40]GM").encode("gb18030"),
    "Shift-JIS, whose last byte may be a bracket": GAME.replace("GM", "CA[Shift_JIS]PB[\u30be]GM").encode("shift_jis"),
    "a square": GAME.replace("[9]", "[9:9]").encode(),
    "blanks and CR": b"( ;SZ [ 9 ]\r; B\r[ee]\r;W[ ed ] )",
    "passes at the end": GAME.replace(")", ";B[];W[tt])").encode(),
}


@pytest.mark.parametrize("content", FROM_ELSEWHERE.values(), ids=FROM_ELSEWHERE)
def test_a_file_of_another_program_is_read(content: bytes, tmp_path: Path) -> None:
    talk = sgf(tmp_path, "")
    (tmp_path / "game.sgf").write_bytes(content)
    assert text(talk, f"loadsgf {tmp_path / 'game.sgf'}") == ""
    assert shown(text(talk, "gogui-rules_board"), 9) == {"E5": "X", "E6": "O"}


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (b"(;SZ[9];B[ee];W[];B[ii])", "expected a move, got a pass: W[] as move 2; no game here has passes"),
        (b"(;SZ[9];B[tt];W[ee])", "expected a move, got a pass: B[tt] as move 1; no game here has passes"),
        (b"(;SZ[9]CA[klingon];B[ee])", "expected a known encoding, got 'klingon'"),
        (b"(;SZ[9]CA[UTF-8]C[\xe9];B[ee])", "expected UTF-8 text, got byte 0xe9 at 18, in line 1"),
        (b"(;SZ[9]\0;B[ee])", "got zero bytes"),
        (b"no game here", "expected SGF, got 'no game here' at character 0"),
    ],
)
def test_a_file_that_cannot_be_played_says_why(content: bytes, wrong: str, tmp_path: Path) -> None:
    talk = sgf(tmp_path, "")
    (tmp_path / "game.sgf").write_bytes(content)
    assert answer(talk, f"loadsgf {tmp_path / 'game.sgf'}").strip().endswith(wrong)


def test_a_pass_after_the_wanted_moves_does_not_matter(tmp_path: Path) -> None:
    talk = sgf(tmp_path, "(;SZ[9];B[ee];W[];B[ii])")
    assert text(talk, f"loadsgf {tmp_path / 'game.sgf'} 2") == ""
    assert shown(text(talk, "gogui-rules_board"), 9) == {"E5": "X"}


def test_a_game_is_loaded_from_a_file(tmp_path: Path) -> None:
    talk = sgf(tmp_path, "(;FF[4]SZ[9]C[a \\] ; (b]\n;B[ee];W[ed]C[x](;B[aa];W[];B[])(;B[bb]))\n")
    assert text(talk, f"loadsgf {tmp_path / 'game.sgf'}") == ""
    assert shown(text(talk, "gogui-rules_board"), 9) == {"E5": "X", "E6": "O", "A9": "X"}
    assert text(talk, f"loadsgf {tmp_path / 'game.sgf'} 3") == ""
    assert shown(text(talk, "gogui-rules_board"), 9) == {"E5": "X", "E6": "O"}


def test_a_file_of_go_brings_its_komi(tmp_path: Path) -> None:
    talk, path = serving("go9", "random", seed="1"), tmp_path / "game.sgf"
    talk.session.allow_files()
    path.write_text("(;FF[4]GM[1]SZ[9]KM[0.5]HA[0];B[ee];W[];B[])")
    assert text(talk, f"loadsgf {path}") == ""
    assert text(talk, "final_score") == "B+80.5"
    for root, wrong in {
        "HA[2]KM[0.5]": "expected a game without a handicap, got HA[2]",
        "KM[6,5]": "expected a number in KM, got '6,5'",
        "KM[375]": "unacceptable komi: expected a multiple of 0.5 from -361 to 361, got 375.0",
        "KM[7.3]": "unacceptable komi: expected a multiple of 0.5 from -361 to 361, got 7.3",
        "KM[6.5];B[ee];W[ee]": "illegal move",
    }.items():
        path.write_text(f"(;SZ[9]{root})")
        assert answer(talk, f"loadsgf {path}") == f"? {wrong}"
        assert text(talk, "final_score") == "B+80.5", "nothing has changed"


@pytest.mark.parametrize("given", ["6,5", "375", "none"])
def test_the_komi_of_a_file_means_nothing_in_a_game_without_points(tmp_path: Path, given: str) -> None:
    talk, path = serving("gomoku9", "random", seed="1"), tmp_path / "game.sgf"
    talk.session.allow_files()
    path.write_text(f"(;FF[4]SZ[9]KM[{given}];B[ee])")
    assert answer(talk, f"loadsgf {path}") == "="
    assert text(talk, "gogui-rules_side_to_move") == "white"


def test_the_name_of_a_file_may_be_in_quotes(tmp_path: Path) -> None:
    talk = sgf(tmp_path, "")
    (tmp_path / "my last  game.sgf").write_text("(;SZ[9];B[ee];W[ed])", "utf-8")
    assert text(talk, f'loadsgf "{tmp_path / "my last  game.sgf"}" 2') == ""
    assert shown(text(talk, "gogui-rules_board"), 9) == {"E5": "X"}
    assert answer(talk, f"7 loadsgf {tmp_path / 'my last  game.sgf'}").startswith("?7 syntax error")


@pytest.mark.parametrize(
    "content",
    ["", "hello", "(;SZ[19];B[ee])", "(;SZ[9]AB[ee])", "(;SZ[9];B[ee];B[ed])", "(;SZ[9];B[zz])", "(;SZ[9];B[ee]", "("],
)
def test_a_bad_file_changes_nothing(tmp_path: Path, content: str) -> None:
    talk = sgf(tmp_path, content)
    talk.say("play b A1")
    assert answer(talk, f"loadsgf {tmp_path / 'game.sgf'}").startswith("? ")
    assert answer(talk, f"loadsgf {tmp_path}").startswith("? expected a file, got ")
    assert shown(text(talk, "gogui-rules_board"), 9) == {"A1": "X"}


def test_a_new_game_forgets_only_what_was_searched() -> None:
    talk = serving("connect4", "negamax")
    text(talk, "clear_board")
    jobs = talk.jobs
    for _ in range(5):
        text(talk, "clear_board")
    assert talk.jobs == jobs
    talk.say("time_settings 0 1 1")
    searched(talk, "genmove b")
    jobs = talk.jobs
    text(talk, "clear_board")
    assert talk.jobs == jobs + 1
