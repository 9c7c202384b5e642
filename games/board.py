"""Kinds of boards, their pieces, and the places of cells and moves on a flat sheet: a page, a terminal, an SGF file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from fiedler.games.position import Grid, Position


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


@dataclass(frozen=True, slots=True)
class Shape:
    """The drawing of a piece as data of SVG paths, in hundredths of a cell around its middle; y grows downwards."""

    body: str
    """The silhouette, closed: its fill has the colour of the side."""
    lines: str
    """The details inside it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A kind of piece of one side."""

    sign: str
    """One letter or glyph, which no other kind has: both sides have signs of their own."""
    side: int
    """0 or 1."""
    name: str = ""
    """For readers of a screen; empty: that of the side."""
    shape: Shape | None = None
    """Its drawing; None: pages and pictures show the sign."""


STONES = (Piece("X", 0), Piece("O", 1))
"""The pieces of a game that has no others."""
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


def changed_cells(before: bytes, after: bytes) -> Iterator[int]:
    """Yield the indices of the cells that differ, the last one first; both arguments are `Grid.cells`."""
    difference = int.from_bytes(before, "little") ^ int.from_bytes(after, "little")
    while difference:
        cell = (difference.bit_length() - 1) // 8
        yield cell
        difference &= (1 << 8 * cell) - 1


def changed_cell(before: bytes, after: bytes) -> int:
    """Return the index of the one cell that a move changed; both arguments are `Grid.cells`."""
    (cell,) = changed_cells(before, after)
    return cell


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
    """Return the index in `Grid.cells` of the cell with which the name of a move ends; None if it ends with none.

    The name of a cell is a letter and a number, after the number of the layer if there are layers. Those of a column
    and of a pass end with no cell.
    """
    found = _LAST_CELL[kind is Kind.LAYERS].search(name)
    if found is None:
        return None
    _, rows, width = position.planes_shape
    layer, column, row = int(found["layer"] or 1) - 1, ord(found["column"]) - ord("a"), rows - int(found["row"])
    on_board = 0 <= layer < layers(position) and column < width and 0 <= row < rows
    return (layer * rows + row) * width + column if on_board else None


def cell_name(position: Grid, index: int) -> str:
    """Return the name of a cell of a flat board, such as `e4`."""
    _, rows, width = position.planes_shape
    row, column = divmod(index, width)
    return f"{chr(ord('a') + column)}{rows - row}"


def step_cells(position: Grid, name: str) -> tuple[int, int] | None:
    """Return the indices in `Grid.cells` of the two cells with which the name of a move begins, on a flat board.

    They are that of a piece and its next one, as in `e2e4` and `e7e8q`; None if the name begins with no two cells.
    """
    found = _TWO_CELLS.match(name)
    _, rows, width = position.planes_shape
    if found is None:
        return None
    start, end = ((ord(letter) - ord("a"), rows - int(row)) for letter, row in (found.group(1, 2), found.group(3, 4)))
    if not all(column < width and 0 <= row < rows for column, row in (start, end)):
        return None
    return start[1] * width + start[0], end[1] * width + end[0]


_TWO_CELLS = re.compile(r"([a-z])([0-9]{1,2})([a-z])([0-9]{1,2})(?![0-9])")
_LAST_CELL = [re.compile(rf"(?P<layer>{layer})(?P<column>[a-z])(?P<row>[0-9]+)[^0-9]*$") for layer in ("", "[0-9]")]


def block_of(position: Grid, cell: int, block: int) -> int:
    """Return the place in `block_signs` of the block with a cell; `block` is the number of cells along its side."""
    _, _, width = position.planes_shape
    row, column = divmod(cell, width)
    return row // block * (width // block) + column // block
