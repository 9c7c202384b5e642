"""Kinds of boards, and the places of cells and moves on a flat sheet, such as a page, a terminal or an SGF file."""

from __future__ import annotations

from enum import Enum, auto

from games.position import Grid, Position


class Kind(Enum):
    """How a board is drawn."""

    SQUARES = auto()
    """A grid of squares; a move is a square."""
    COLUMNS = auto()
    """Columns of squares; a move is a column, the disc falls to its end."""
    BLOCKS = auto()
    """A grid of squares in square blocks, which are boards of their own."""
    LAYERS = auto()
    """Several grids of squares, stacked, drawn side by side."""
    POINTS = auto()
    """The crossings of lines; a move is a crossing."""


AIM = "@"
"""The sign of the block in which the next move must be."""
BLOCK_NAMES = ("top left", "top", "top right", "left", "centre", "right", "bottom left", "bottom", "bottom right")
"""The names of three by three blocks, in the order of `block_signs`."""
Spot = tuple[int, int]
"""Row and column from the top left."""


def sheet(position: Grid) -> tuple[int, int]:
    """Return the rows and columns of the sheet: the layers of a board lie side by side, the first on the left."""
    _, rows, columns = position.planes_shape
    return rows, columns * layers(position)


def layers(position: Grid) -> int:
    """Return the number of layers of the board; 1 for a flat one."""
    _, rows, columns = position.planes_shape
    return len(position.cells) // (rows * columns)


def spot(position: Grid, index: int) -> Spot:
    """Return the place of `position.cells[index]` on the sheet."""
    _, rows, columns = position.planes_shape
    layer, cell = divmod(index, rows * columns)
    row, column = divmod(cell, columns)
    return row, layer * columns + column


def changed_cell(before: bytes, after: bytes) -> int:
    """Return the index of the one cell that a move changed; both arguments are `Grid.cells`."""
    difference = int.from_bytes(before, "little") ^ int.from_bytes(after, "little")
    assert difference, "a move changes a cell"
    return (difference.bit_length() - 1) // 8


def filled_cell(position: Grid, move: int) -> int:
    """Return the index in `Grid.cells` of the cell that a legal move fills."""
    after = position.copy()
    after.play(move)
    return changed_cell(position.cells, after.cells)


def block_signs(position: Position) -> str:
    """Return the signs of the blocks, row by row from the top left.

    `X` or `O` won it, `#` it is full, `@` the next move must be there, `.` it is open.
    """
    return str(position).split(";")[1]


def named_cell(position: Grid, kind: Kind, name: str) -> int | None:
    """Return the index in `Grid.cells` of the cell with a name; None for a column, which has several.

    A name is a letter and a number, after the number of the layer if there are layers.
    """
    if kind is Kind.COLUMNS:
        return None
    _, rows, width = position.planes_shape
    layer = 0
    if kind is Kind.LAYERS:
        layer, name = int(name[0]) - 1, name[1:]
    return (layer * rows + rows - int(name[1:])) * width + ord(name[0]) - ord("a")


def block_of(position: Grid, cell: int, block: int) -> int:
    """Return the place in `block_signs` of the block with a cell; `block` is the number of cells along its side."""
    _, _, width = position.planes_shape
    row, column = divmod(cell, width)
    return row // block * (width // block) + column // block
