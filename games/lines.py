"""Straight lines of cells, on boards of one layer or several, and the blocks that some boards are divided into."""

from __future__ import annotations

import itertools
from functools import cache

from fiedler.games.board import layers
from fiedler.games.position import Grid

Line = tuple[int, ...]
"""Indices of `Grid.cells`, or of the cells or blocks of a board."""
STEPS = [step for step in itertools.product((0, 1), (-1, 0, 1), (-1, 0, 1)) if step > (0, 0, 0)]
"""Every direction as steps of layer, row and column, one of each opposite pair."""


@cache
def lines(depth: int, rows: int, columns: int, length: int) -> tuple[Line, ...]:
    """Return every line of `length` cells of a board of `depth` layers."""
    size = (depth, rows, columns)
    starts = itertools.product(itertools.product(*map(range, size)), STEPS)
    return tuple(
        tuple(((layer + n * up) * rows + row + n * down) * columns + column + n * right for n in range(length))
        for (layer, row, column), (up, down, right) in starts
        if all(
            0 <= at + (length - 1) * by < limit
            for at, by, limit in zip((layer, row, column), (up, down, right), size, strict=True)
        )
    )


def lines_of(position: Grid, length: int) -> tuple[Line, ...]:
    """Return every line of `length` cells of the board of a game."""
    _, rows, columns = position.planes_shape
    return lines(layers(position), rows, columns, length)


@cache
def blocks_of(rows: int, columns: int, side: int) -> tuple[Line, ...]:
    """Return the cells of every square block of `side` x `side` cells, both row by row from the top left."""
    corners = itertools.product(range(0, rows, side), range(0, columns, side))
    return tuple(
        tuple((top + row) * columns + left + column for row in range(side) for column in range(side))
        for top, left in corners
    )
