"""Games for their users: names, boards as text, errors."""

from __future__ import annotations

import pytest

from fiedler import games, native
from fiedler.games.registry import SHORT
from fiedler.support.errors import UsageError, nearest


def test_every_game_of_the_core_has_its_face() -> None:
    assert set(native.GAMES) - set(games.GAMES) == set(), "add them to games/registry.py"
    assert set(games.GAMES) - set(native.GAMES) == set(), "add them to native/games.cmake and build the core"
    assert tuple(games.GAMES) == native.GAMES, "in the same order"


def test_the_example_of_the_notation_is_a_position() -> None:
    for game in games.GAMES.values():
        assert str(game.position(game.notation)) == game.notation


def test_unknown_game_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"unknown game 'utt'; did you mean 'uttt'\? \(known: tictactoe"):
        games.game("utt")


@pytest.mark.parametrize(("short", "name"), SHORT.items())
def test_short_names(short: str, name: str) -> None:
    assert games.game(short) is games.GAMES[name]


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("d d d", "d d d"),
        ("d", "d"),
        ("moves d d", "d d"),
        ("startpos moves d", "d"),
        ("startpos", ""),
        (" ", ""),
        ("D, d,E", "d d e"),
        ("Startpos moves D E", "d e"),
        ("X;......./......./......./......./......./....... moves D", "d"),
    ],
)
def test_moves_may_stand_alone(text: str, moves: str) -> None:
    game = games.game("connect4")
    assert game.parse_position(text) == game.position(moves=moves.split())


def test_nearest_is_empty_if_no_word_is_near() -> None:
    assert nearest("zzz", ["uttt"]) == ""


def test_draw_marks_the_last_move() -> None:
    game = games.game("tictactoe")
    position = game.position(moves=["b2", "a1"])
    assert game.draw(position, position.num_actions - 3).splitlines() == [
        " 3  .  .  .",
        " 2  .  X  .",
        " 1 [O] .  .",
        "    a  b  c",
    ]


def test_draw_connect4_marks_the_top_disc() -> None:
    game = games.game("connect4")
    lines = game.draw(game.position(moves=["d", "d", "d"]), 3).splitlines()
    assert lines[3] == " 3  .  .  . [X] .  .  ."
    assert lines[4] == " 2  .  .  .  O  .  .  ."


def test_draw_uttt_shows_boards_and_where_to_play() -> None:
    game = games.game("uttt")
    drawn = game.draw(game.position(moves=["e5", "d4"]), 42)
    assert " 4          |[O]      |\n" in drawn
    assert " 3  .  .  . |         |\n" in drawn
    assert "next move: the bottom left board, at the dots" in drawn
    assert len(drawn.splitlines()) == 9 + 2 + 1 + 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("startpos move d", "expected 'moves'"),
        ("startpos moves d z", "position: move 2: expected a column a to g, got 'z'"),
        ("nonsense", "expected 'startpos', 'X;' or 'O;' and the board, or moves such as a, got 'nonsense'"),
        ("h8 h9", "or moves such as a, got 'h8'"),
        ("startpos moves d d d d d d d", "position: move 7: column d is full"),
    ],
)
def test_parse_position_reports_errors(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        games.game("connect4").parse_position(text)


def test_parse_position_of_an_empty_text_is_the_start() -> None:
    assert games.game("connect4").parse_position("") == native.Position("connect4")


def test_result_text() -> None:
    game = games.game("tictactoe")
    assert game.result_text(game.position()) == "X to move"
    assert game.result_text(game.position("O;XXX/OO./...")) == "X wins by three in a row"
    assert game.result_text(game.position("O;XOX/XXO/OXO")) == "draw"


def test_result_text_by_majority_gives_the_reason() -> None:
    game = games.game("uttt-majority")
    boards = ".OXO.X..X/XOXX..XOX/X.OOO.OX./X.XOXX..X/.OOOX.OOO/OXOOXXXXO/XOOOXXXOO/OOO.XO.XX/OXXOXOXXO"
    assert game.result_text(game.position(f"O;XXOXOX#OX;{boards}")) == "X wins by more boards"
    assert games.game("uttt").result_text(games.game("uttt").position(f"O;XXOXOX#OX;{boards}")) == "draw"
    row = "XXX....../XXX....../XXX......" + "/........." * 4 + "/OO.OO..../OO.OO...."
    assert game.result_text(game.position(f"O;XXX......;{row}")) == "X wins by three boards in a row"


def test_draw_renju_marks_the_forbidden_points() -> None:
    game = games.game("renju15")
    moves = ["g8", "j5", "f8", "k6", "h9", "d12", "h10", "e4"]
    lines = game.draw(game.position(moves=moves), 11 * 15 + 4).splitlines()
    assert lines[7] == " 8  .  .  .  .  .  X  X  !  .  .  .  .  .  .  ."
    assert lines[11] == " 4  .  .  .  . [O] .  .  .  .  .  .  .  .  .  ."
    assert lines[16:] == ["! forbidden: h8 double three"]
    assert "!" not in game.draw(game.position(moves=moves[:-1]))
    assert "!" not in games.game("gomoku15").draw(games.game("gomoku15").position(moves=moves))


def test_gomoku_names_colours_and_stones() -> None:
    game = games.game("gomoku9")
    assert game.result_text(game.position()) == "Black (X) to move"
    moves = ["a1", "a2", "b1", "b2", "c1", "c2", "d1", "d2", "e1"]
    assert game.result_text(game.position(moves=moves)) == "Black (X) wins by five in a row"


def test_draw_the_layers_of_the_cube_side_by_side() -> None:
    game = games.game("cube")
    position = game.position(moves=["1a1", "4d4"])
    assert game.draw(position, 63 - 12).splitlines() == [
        "     layer 1            layer 2            layer 3            layer 4",
        " 4  .  .  .  .      4  .  .  .  .      4  .  .  .  .      4  .  .  . [O]",
        " 3  .  .  .  .      3  .  .  .  .      3  .  .  .  .      3  .  .  .  .",
        " 2  .  .  .  .      2  .  .  .  .      2  .  .  .  .      2  .  .  .  .",
        " 1  X  .  .  .      1  .  .  .  .      1  .  .  .  .      1  .  .  .  .",
        "    a  b  c  d         a  b  c  d         a  b  c  d         a  b  c  d",
    ]
