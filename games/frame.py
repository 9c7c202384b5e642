"""The square frame in which programs for Go show a board: layers side by side, empty places where it has no point."""

from __future__ import annotations

from fiedler.games.board import Kind, block_signs, layers, sheet, spot
from fiedler.games.game import Game
from fiedler.games.lines import blocks_of
from fiedler.games.position import Grid, fills_cells

NO_POINT = "?"
STONES = ".XO"
PLAIN, PLAYABLE, FORBIDDEN, WINNING = ".", "+", "!", "*"
"""Backgrounds of a point: nothing special, in the part of the board to which the mover is sent, not allowed to the
mover, in a line that won."""
DRAWN = "#"
"""The background of a full local board; that of a won one is its winner, X or O."""


def frame_size(position: Grid) -> int:
    """Return the points along a side of the frame."""
    rows, columns = sheet(position)
    return max(rows, columns + layers(position) - 1)


def frame_place(position: Grid, index: int) -> tuple[int, int]:
    """Return the column from the left and the row from the bottom, from 0, of `position.cells[index]`."""
    row, column = spot(position, index)
    _, rows, columns = position.planes_shape
    return column + column // columns, rows - 1 - row


def picture(position: Grid) -> tuple[str, ...]:
    """Return the board, the top row first: X, O, `.` for an empty point, NO_POINT."""
    return _framed(position, [STONES[stone] for stone in position.cells])


def background(game: Game, position: Grid) -> tuple[str, ...]:
    """Return the background of every point, in the form of `picture`."""
    marks = [PLAIN] * len(position.cells)
    if game.board is Kind.BLOCKS:
        _mark_blocks(game, position, marks)
    for cell in position.forbidden_moves() if fills_cells(position) else ():
        marks[cell] = FORBIDDEN
    for cell in game.winning_cells(position):
        marks[cell] = WINNING
    return _framed(position, marks)


def _mark_blocks(game: Game, position: Grid, marks: list[str]) -> None:
    """Mark the local boards that are decided, and the one in which the mover must play, or all open ones."""
    _, rows, columns = position.planes_shape
    boards = block_signs(position)
    aims = "" if position.result is not None else "@" if "@" in boards else "."
    for board, cells in zip(boards, blocks_of(rows, columns, game.blocks), strict=True):
        decided = board if board in {*STONES[1:], DRAWN} else PLAIN
        sign = PLAYABLE if board == aims else decided
        for cell in cells:
            marks[cell] = sign


def _framed(position: Grid, signs: list[str]) -> tuple[str, ...]:
    """Put one sign for each cell into the frame."""
    size = frame_size(position)
    points = [[NO_POINT] * size for _ in range(size)]
    for index, sign in enumerate(signs):
        column, row = frame_place(position, index)
        points[size - 1 - row][column] = sign
    return tuple("".join(row) for row in points)
