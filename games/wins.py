"""The cells of the lines that won a game."""

from __future__ import annotations

from functools import cache

from games.board import layers
from games.prospects import IN_A_ROW, THREES, Line, lines
from native import Position

EXACT = {"standard15": (1, 2), "renju15": (1,)}
"""Games in which a longer line wins nothing, and the stones of the sides for which that is so."""


def winning_cells(position: Position) -> frozenset[int]:
    """Return the indices in `position.cells` of the lines that won; none while the game runs, or of a draw."""
    if not position.result:
        return frozenset()
    stone = 1 if position.result > 0 else 2
    won = _rows(position, stone) if position.game in IN_A_ROW else _board_rows(position, stone)
    return frozenset(cell for line in won for cell in line)


def _rows(position: Position, stone: int) -> list[Line]:
    """Return the lines of enough stones; in a longer one there are several."""
    length = IN_A_ROW[position.game]
    own = _full(position, length, stone)
    if stone not in EXACT.get(position.game, ()):
        return own
    too_long = [set(line) for line in _full(position, length + 1, stone)]
    return [line for line in own if not any(long.issuperset(line) for long in too_long)]


def _full(position: Position, length: int, stone: int) -> list[Line]:
    cells = position.cells
    _, rows, columns = position.planes_shape
    return [
        line for line in _lines(layers(position), rows, columns, length) if all(cells[cell] == stone for cell in line)
    ]


@cache
def _lines(depth: int, rows: int, columns: int, length: int) -> tuple[Line, ...]:
    return tuple(lines(depth, rows, columns, length))


def _board_rows(position: Position, stone: int) -> list[Line]:
    """Return the lines that won the local boards of a row, at ultimate tic-tac-toe."""
    boards = [_rows_of_board(position.cells, board, stone) for board in range(9)]
    won = {board for line in THREES if all(boards[board] for board in line) for board in line}
    return [row for board in won for row in boards[board]]


def _rows_of_board(cells: bytes, board: int, stone: int) -> list[Line]:
    row, column = divmod(board, 3)
    rows = (tuple((3 * row + cell // 3) * 9 + 3 * column + cell % 3 for cell in line) for line in THREES)
    return [line for line in rows if all(cells[cell] == stone for cell in line)]
