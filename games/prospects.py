"""Lines that can still be completed: neither side can complete a line with stones of both."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from fiedler.games.board import layers
from fiedler.games.lines import blocks_of, lines
from fiedler.games.position import Grid


def line_open(position: Grid, length: int) -> bool:
    """Return whether a line of `length` cells is, or may become, full of one side's stones."""
    _, rows, columns = position.planes_shape
    first, second = (_mask(position.cells, stone) for stone in (1, 2))
    return any(not (line & first and line & second) for line in _line_masks(layers(position), rows, columns, length))


def block_line_open(position: Grid, length: int, side: int) -> bool:
    """Return whether a line of `length` blocks is won, or may still be won, by one side.

    A block has `side` x `side` cells and is won by a line of `length` of them.
    """
    _, rows, columns = position.planes_shape
    blocks = [[position.cells[cell] for cell in block] for block in blocks_of(rows, columns, side)]
    for stone in (1, 2):
        left = [_block_open(cells, length, side, stone) for cells in blocks]
        if any(all(left[block] for block in line) for line in lines(1, rows // side, columns // side, length)):
            return True
    return False


def _block_open(cells: Sequence[int], length: int, side: int, stone: int) -> bool:
    """Return whether `stone` has won this block, or may still win it."""
    within, other = lines(1, side, side, length), 3 - stone
    if any(all(cells[cell] == other for cell in line) for line in within):
        return False
    return any(all(cells[cell] != other for cell in line) for line in within)


def _mask(cells: bytes, stone: int) -> int:
    """Return a number with one binary digit for each cell, the first cell's the highest: 1 for this stone."""
    return int(cells.translate(_digits(stone)), 2)


@cache
def _digits(stone: int) -> bytes:
    return bytes(ord("1") if value == stone else ord("0") for value in range(256))


@cache
def _line_masks(depth: int, rows: int, columns: int, length: int) -> tuple[int, ...]:
    last = depth * rows * columns - 1
    return tuple(sum(1 << (last - cell) for cell in line) for line in lines(depth, rows, columns, length))
