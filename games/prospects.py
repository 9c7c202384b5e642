"""Whether anybody can still win: lines that both sides have stones on can be completed by nobody."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache

from games.board import layers
from native import Position

IN_A_ROW = {
    "tictactoe": 3,
    "connect4": 4,
    "cube": 4,
    "gomoku9": 5,
    "gomoku15": 5,
    "standard15": 5,
    "renju15": 5,
}
"""games that are won by a line of so many cells and by nothing else"""
ON_BOARDS = "uttt"
"""the game that is won by a line of three local boards, each won by a line of three cells"""
STEPS = [step for step in itertools.product((0, 1), (-1, 0, 1), (-1, 0, 1)) if step > (0, 0, 0)]
"""layer, row and column: every direction, one of each two that are opposite"""

Line = tuple[int, ...]


def can_be_won(position: Position) -> bool:
    """Return whether a side may still complete what wins, as far as the lines show; True where that is not known.

    False is a proof that the running game ends in a draw, or by a move that is against the rules.
    """
    if position.game == ON_BOARDS:
        return any(_boards_open(position.cells, side) for side in (1, 2))
    length = IN_A_ROW.get(position.game)
    if length is None:
        return True
    _, rows, columns = position.planes_shape
    first, second = (_mask(position.cells, side) for side in (1, 2))
    return any(not (line & first and line & second) for line in _line_masks(layers(position), rows, columns, length))


def _mask(cells: bytes, side: int) -> int:
    """Return a number with one binary digit for each cell, the first cell's the highest: 1 for a stone of `side`."""
    return int(cells.translate(_digits(side)), 2)


@cache
def _digits(side: int) -> bytes:
    return bytes(ord("1") if value == side else ord("0") for value in range(256))


@cache
def _line_masks(depth: int, rows: int, columns: int, length: int) -> tuple[int, ...]:
    last = depth * rows * columns - 1
    return tuple(sum(1 << (last - cell) for cell in line) for line in lines(depth, rows, columns, length))


def lines(depth: int, rows: int, columns: int, length: int) -> Iterator[Line]:
    """Yield every line of `length` cells of a board, as indices of `Position.cells`."""
    size = (depth, rows, columns)
    for start in itertools.product(*map(range, size)):
        for step in STEPS:
            end = [at + (length - 1) * by for at, by in zip(start, step, strict=True)]
            if all(0 <= at < limit for at, limit in zip(end, size, strict=True)):
                points = ([at + n * by for at, by in zip(start, step, strict=True)] for n in range(length))
                yield tuple((layer * rows + row) * columns + column for layer, row, column in points)


THREES = tuple(lines(1, 3, 3, 3))


def _boards_open(cells: bytes, side: int) -> bool:
    """Return whether three local boards in a row are each won by `side` or may still be, at ultimate tic-tac-toe."""
    boards = [_board_open(_local(cells, board), side) for board in range(9)]
    return any(all(boards[board] for board in line) for line in THREES)


def _local(cells: bytes, board: int) -> bytes:
    row, column = divmod(board, 3)
    return b"".join(cells[(3 * row + n) * 9 + 3 * column :][:3] for n in range(3))


def _board_open(board: Sequence[int], side: int) -> bool:
    """Return whether `side` has won this local board, or nobody has and a line is left to it."""
    if any(all(board[cell] == 3 - side for cell in line) for line in THREES):
        return False
    return any(all(board[cell] != 3 - side for cell in line) for line in THREES)
