"""The winning cells of a game, and their marks on the board."""

from __future__ import annotations

import random

import pytest

from fiedler import games
from fiedler.games.board import Kind
from fiedler.games.wins import full_block_lines, full_lines
from fiedler.native import Position


def winning_cells(position: Position) -> frozenset[int]:
    return games.game(position.game).winning_cells(position)


def named(game: str, text: str) -> set[str]:
    """Return the winning cells of a flat board by the names of their moves."""
    position = Position(game, text)
    _, rows, columns = position.planes_shape
    return {f"{'abcdefghijklmno'[cell % columns]}{rows - cell // columns}" for cell in winning_cells(position)}


WITH_LINES = [game for game in games.GAMES.values() if game.in_a_row]


@pytest.mark.parametrize("game", [game.id for game in WITH_LINES])
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


@pytest.mark.parametrize("game", WITH_LINES, ids=lambda game: game.id)
def test_no_line_is_full_before_the_end(game: games.Game) -> None:
    """`in_a_row`, `longer_wins` and `blocks` agree with the rules."""
    rng = random.Random(5)
    for _ in range(20):
        position = before = game.position()
        while position.result is None:
            before = position.copy()
            position.play(rng.choice(position.legal_moves()))
        assert not full(game, before), str(before)
        assert not winning_cells(before)


ON_POINTS = [game for game in WITH_LINES if game.board is Kind.POINTS]


def full(game: games.Game, position: Position) -> list[tuple[int, ...]]:
    """Return the winning lines of a position, also of a running game."""
    assert game.in_a_row is not None
    if game.blocks:
        return [line for stone in (1, 2) for line in full_block_lines(position, game.in_a_row, game.blocks, stone)]
    return [
        line
        for stone, longer in enumerate(game.longer_wins, start=1)
        for line in full_lines(position, game.in_a_row, stone, exactly=not longer)
    ]


@pytest.mark.parametrize("game", ON_POINTS, ids=lambda game: game.id)
@pytest.mark.parametrize("side", [0, 1])
def test_a_longer_line_wins_under_the_rule_of_the_game(game: games.Game, side: int) -> None:
    """A stone between stones of one side makes a line one longer than needed."""
    assert game.in_a_row is not None
    position = game.position()
    size, length = position.planes_shape[1], game.in_a_row
    row = [cell for cell in range(length + 1) if cell != length - 2]
    apart = [size * (size - 1 - 2 * (i // 4)) + 2 * (i % 4) for i in range(length)]
    for own, other in zip(row, apart, strict=True):
        for cell in (own, other) if side == 0 else (other, own):
            position.play(cell)
    if side == 1:
        position.play(size * (size // 2))
    if position.is_legal(length - 2):
        position.play(length - 2)
    assert (position.result is not None) == game.longer_wins[side]


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


def test_a_longer_line_that_does_not_win_is_not_marked() -> None:
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
