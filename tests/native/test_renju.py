"""Renju's forbidden points: positions on which independent programs agree, a slow model, and consequences."""

from __future__ import annotations

import random
from typing import Any

import pytest

from fiedler import native
from tests.native.positions import SLOW, load
from tests.native.renju_model import Board

SIZE = 15

Stones = dict[tuple[int, ...], int]
"""Stones by row and column from the top left: 1 Black's, 2 White's."""


def position_of(stones: Stones, side: str = "X") -> native.Position:
    rows = ("".join(".XO"[stones.get((row, column), 0)] for column in range(SIZE)) for row in range(SIZE))
    return native.Position("renju15", f"{side};{'/'.join(rows)}")


def stones_of(record: dict[str, Any]) -> Stones:
    black = {(row, column): 1 for column, row in record["black"]}
    return black | {(row, column): 2 for column, row in record["white"]}


def forbidden_by_model(stones: Stones, size: int = SIZE) -> set[tuple[int, int]]:
    model = Board(stones, size)
    empty = ((row, column) for row in range(size) for column in range(size) if (row, column) not in stones)
    return {cell for cell in empty if model.forbidden(cell)}


def forbidden(position: native.Position) -> set[tuple[int, int]]:
    legal = set(position.legal_moves())
    refused = [cell for cell, owner in enumerate(position.cells) if not owner and cell not in legal]
    assert not any(position.is_legal(cell) for cell in refused)
    assert all(position.is_legal(cell) for cell in legal)
    return {divmod(cell, SIZE) for cell in refused}


def test_every_forbidden_point_that_independent_programs_agree_on() -> None:
    for record in load("renju_forbidden")["positions"]:
        expected = {(row, column) for column, row in record["forbidden"]}
        if record["size"] == SIZE:
            assert forbidden(position_of(stones_of(record))) == expected, record["id"]


@pytest.mark.numbers
def test_the_slow_model_knows_them_too() -> None:
    for record in load("renju_forbidden")["positions"][::4]:
        expected = {(row, column) for column, row in record["forbidden"]}
        assert forbidden_by_model(stones_of(record), record["size"]) == expected, record["id"]


def test_a_five_is_legal_and_wins_beside_any_other_pattern() -> None:
    tried = 0
    for record in load("renju_forbidden")["positions"]:
        for column, row in record["five"] if record["size"] == SIZE else []:
            position = position_of(stones_of(record))
            position.play(SIZE * row + column)
            assert position.result == 1
            tried += 1
    assert tried > 20


def crowd(generator: random.Random) -> native.Position | None:
    """Random legal moves in a small part of the board, where lines cross; None if a side wins."""
    position = native.Position("renju15")
    side = generator.choice((6, 8, 11))
    top, left = (generator.randrange(SIZE - side + 1) for _ in range(2))
    part = [SIZE * (top + i // side) + left + i % side for i in range(side * side)]
    for _ in range(2 * generator.randrange(6, side * side // 3)):
        choices = [cell for cell in part if position.is_legal(cell)]
        if not choices or position.result is not None:
            return None
        position.play(generator.choice(choices))
    return position if position.result is None else None


def test_crowds_of_stones_agree_with_the_slow_model() -> None:
    generator = random.Random(1)
    found = tried = 0
    while tried < (5 if SLOW else 40):
        position = crowd(generator)
        if position is None:
            continue
        stones: Stones = {divmod(cell, SIZE): owner for cell, owner in enumerate(position.cells) if owner}
        expected = forbidden_by_model(stones)
        assert forbidden(position) == expected
        found += len(expected)
        tried += 1
    assert found > (0 if SLOW else tried / 2)


def test_forbidden_points_have_their_kinds() -> None:
    seen = set()
    for record in load("renju_forbidden")["positions"]:
        if record["size"] != SIZE:
            continue
        kinds = {SIZE * row + column: record["kinds"][f"{column},{row}"] for column, row in record["forbidden"]}
        position = position_of(stones_of(record))
        found = position.forbidden_moves()
        assert found == {move: kind.replace("-", " ") for move, kind in kinds.items()}, record["id"]
        seen |= set(found.values())
    assert seen == {"double three", "double four", "overline"}


def test_a_refused_move_gives_the_reason() -> None:
    position = native.Position("renju15")
    for move in ["g8", "j5", "f8", "k6", "h9", "d12", "h10", "e4"]:
        position.play(position.parse_move(move))
    for refused in (lambda: position.parse_move("h8"), lambda: position.play(7 * SIZE + 7)):
        with pytest.raises(native.IllegalMoveError, match=r"^move h8: not legal \(double three\) in X;"):
            refused()
    with pytest.raises(native.IllegalMoveError, match=r"^move g8: not legal in X;"):
        position.parse_move("g8")
    position.play(position.parse_move("a1"))
    assert position.forbidden_moves() == {}
    assert position.is_legal(7 * SIZE + 7)


def test_other_games_and_finished_ones_have_no_forbidden_points() -> None:
    assert native.Position("gomoku15").forbidden_moves() == {}
    black: Stones = {(0, column): 1 for column in range(5)}
    white: Stones = {(4, 2 * column): 2 for column in range(4)}
    position = position_of(black | white, "O")
    assert position.result == 1
    assert position.forbidden_moves() == {}


def test_forbidden_points_turn_with_the_board() -> None:
    for record in load("renju_forbidden")["positions"][:40]:
        if record["size"] != SIZE:
            continue
        position = position_of(stones_of(record))
        for symmetry in range(8):
            image = position.transformed(symmetry)
            assert sorted(position.transformed_move(symmetry, m) for m in position.legal_moves()) == image.legal_moves()


def test_white_may_play_where_black_may_not() -> None:
    cross: Stones = {(7, 6): 1, (7, 8): 1, (6, 7): 1, (8, 7): 1}
    white: Stones = {(0, 0): 2, (0, 14): 2, (14, 0): 2, (14, 14): 2}
    assert forbidden(position_of(cross | white)) == {(7, 7)}
    assert forbidden(position_of(cross | dict.fromkeys(list(white)[:3], 2), "O")) == set()


def test_rows_of_black_that_cannot_be_are_refused() -> None:
    six: Stones = {(0, column): 1 for column in range(6)}
    others: Stones = {(row, column): 2 for row in (4, 8) for column in (0, 4, 8, 12)}
    for side, count in (("O", 5), ("X", 6)):
        with pytest.raises(native.PositionError, match="six or more in a row"):
            position_of(six | dict(list(others.items())[:count]), side)


def full_board(row: str, turned: tuple[tuple[int, ...], ...]) -> Stones:
    """Stones on all cells but without a five: this row in the middle, some of the others turned into White's."""
    stones: Stones = {(r, column): 1 + (2 * r + column) % 4 // 2 for r in range(SIZE) for column in range(SIZE)}
    middle: Stones = {(7, column): ".XO".index(sign) for column, sign in enumerate(row)}
    stones |= middle | dict.fromkeys(turned, 2)
    return {cell: owner for cell, owner in stones.items() if owner}


def test_the_game_is_drawn_when_every_empty_cell_is_forbidden() -> None:
    stones = full_board("OOXXX.XXXOOXOOX", turned=((0, 0), (0, 4)))
    assert forbidden_by_model(stones) == {(7, 5)}
    position = position_of(stones)
    assert position.result == 0
    assert position.legal_moves() == []
    before = dict(stones)
    del before[0, 2]
    position = position_of(before, "O")
    assert native.rollouts(position, 100, seed=1)[1] > 0
    position.play(2)
    assert position.result == 0
