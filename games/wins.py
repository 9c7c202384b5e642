"""The cells of complete lines."""

from __future__ import annotations

from collections.abc import Iterator

from fiedler.games.lines import Line, blocks_of, lines, lines_of
from fiedler.games.position import Grid


def full_lines(position: Grid, length: int, stone: int, *, exactly: bool = False) -> list[Line]:
    """Return the lines of `length` stones; a longer line has several, or with `exactly` none."""
    full = _full(position, length, stone)
    if not exactly:
        return full
    too_long = [set(line) for line in _full(position, length + 1, stone)]
    return [line for line in full if not any(long.issuperset(line) for long in too_long)]


def full_block_lines(position: Grid, length: int, side: int, stone: int) -> list[Line]:
    """Return the lines of stones that won the blocks of full lines of blocks.

    A block has `side` x `side` cells and is won by a line of `length` of them.
    """
    _, rows, columns = position.planes_shape
    won = [list(_full_within(position, block, length, side, stone)) for block in blocks_of(rows, columns, side)]
    in_lines = {
        block
        for line in lines(1, rows // side, columns // side, length)
        if all(won[block] for block in line)
        for block in line
    }
    return [line for block in in_lines for line in won[block]]


def _full(position: Grid, length: int, stone: int) -> list[Line]:
    cells = position.cells
    return [line for line in lines_of(position, length) if all(cells[cell] == stone for cell in line)]


def _full_within(position: Grid, block: Line, length: int, side: int, stone: int) -> Iterator[Line]:
    for line in lines(1, side, side, length):
        cells = tuple(block[place] for place in line)
        if all(position.cells[cell] == stone for cell in cells):
            yield cells
