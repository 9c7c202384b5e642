"""Which cells won a game, and how the board shows them."""

from __future__ import annotations

import random

import pytest

import games
from games.wins import winning_cells
from native import Position


def named(game: str, text: str) -> set[str]:
    """Return the winning cells of a flat board as moves are named."""
    position = Position(game, text)
    _, rows, columns = position.planes_shape
    return {f"{'abcdefghijklmno'[cell % columns]}{rows - cell // columns}" for cell in winning_cells(position)}


@pytest.mark.parametrize("game", games.GAMES)
def test_the_line_of_every_random_game_has_only_the_winners_stones_and_the_last_one(game: str) -> None:
    rng = random.Random(4)
    won = 0
    for _ in range(60):
        position = Position(game)
        before = position.cells
        while position.result is None:
            before = position.cells
            position.play(rng.choice(position.legal_moves()))
        cells = winning_cells(position)
        if position.result == 0 or (game == "uttt-majority" and games.game(game).won_by(position) == "more boards"):
            assert not cells
            continue
        stone = 1 if position.result > 0 else 2
        assert {position.cells[cell] for cell in cells} == {stone}
        (last,) = (cell for cell, (old, new) in enumerate(zip(before, position.cells, strict=True)) if old != new)
        assert last in cells
        won += 1
    assert won > 5, "or this test says nothing"


@pytest.mark.parametrize("game", games.GAMES)
def test_a_running_game_has_none(game: str) -> None:
    assert not winning_cells(Position(game))


def test_two_lines_at_once() -> None:
    assert named("tictactoe", "O;XXX/XOO/XOO") == {"a1", "a2", "a3", "b3", "c3"}


def row15(row: str, *below: str) -> str:
    rows = [row, *below]
    return "/".join([*(one.ljust(15, ".") for one in rows), *("." * 15 for _ in range(15 - len(rows)))])


def test_a_longer_line_is_marked_where_it_wins() -> None:
    others = ("O.O.O.O", ".O")
    assert named("gomoku15", f"O;{row15('XXXXXX', *others)}") == {f"{letter}15" for letter in "abcdef"}
    black = row15("OOOOOO", "X.X.X.X.X.", "X")
    assert named("renju15", f"X;{black}") == {f"{letter}15" for letter in "abcdef"}


def test_a_longer_line_is_not_marked_where_it_wins_nothing() -> None:
    """Black has an overline in the top row and five in the third one."""
    text = row15("XXXXXX", "O.O.O.O.O.O.O", "XXXXX", "O.O.O")
    assert named("standard15", f"O;{text}") == {f"{letter}13" for letter in "abcde"}


def test_the_board_shows_the_line_in_place_of_the_last_move() -> None:
    game = games.game("connect4")
    moves = ["a", "b", "a", "b", "a", "b", "a"]
    lines = game.draw(game.position(moves=moves), 0).splitlines()
    assert [line[3:6] for line in lines] == [" . ", " . ", "[X]", "[X]", "[X]", "[X]", " a "]
    assert sum(line.count("[") for line in lines) == 4


def test_the_three_boards_of_ultimate_tictactoe_show_their_lines() -> None:
    game = games.game("uttt")
    row = "XXX....../XXX....../XXX......" + "/........." * 4 + "/OO.OO..../OO.OO...."
    top = game.draw(game.position(f"O;XXX......;{row}")).splitlines()[0]
    assert top == " 9 [X][X][X]|[X][X][X]|[X][X][X]"


def test_the_line_through_the_layers_of_the_cube() -> None:
    game = games.game("cube")
    moves = ["1a1", "1b1", "2a1", "2b1", "3a1", "3b1", "4a1"]
    bottom = game.draw(game.position(moves=moves)).splitlines()[-2]
    assert bottom.count("[X]") == 4
