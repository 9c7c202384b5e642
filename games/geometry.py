"""The geometry of a game's board, from which a page draws it; `to_json` gives it to JavaScript.

Lengths count in cells. x grows to the right and y downwards, both from the top left corner of a layer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from fiedler.games.board import BLOCK_NAMES, STONES, Kind, Piece, filled_cell, layers
from fiedler.games.game import AnyGame
from fiedler.games.lines import blocks_of
from fiedler.games.position import Grid, has_grid

Segment = tuple[float, float, float, float]
"""A line from x1, y1 to x2, y2."""
LARGE = 13
"""From this size the star points of a board are on its fourth lines, else on its third ones."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A place for a stone."""

    name: str
    """Its letter and number, after the number of the layer if there are layers."""
    move: str
    """The move that fills it, where moves fill cells: of a column that of the column, else its name."""
    x: float
    """The middle of the cell."""
    y: float
    layer: int
    """From 0, the lowest of a stack."""


@dataclass(frozen=True, slots=True)
class Region:
    """A square of cells that is a board of its own."""

    name: str
    """Its number from 1, row by row from the top left."""
    place: str
    """Its place in words, such as `top left`."""
    x: float
    """The top left corner."""
    y: float
    side: float
    cells: tuple[int, ...]
    """Indices of `Geometry.cells`."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """A board. Indices of cells are those of `Grid.cells`."""

    game: str
    """The id of the game."""
    name: str
    sides: tuple[str, str]
    """The names of the first and the second player."""
    ground: str
    """`squares`, `checks`, `holes` or `points`: stones are in squares, of one colour or of two in turn, behind holes,
    or on the crossings of lines."""
    stones: str
    """`signs`, X and O, `discs`, dark and light ones, or `pieces`, the shapes or signs of `pieces`."""
    steps: bool
    """Whether the name of a move begins with the names of two cells: that of a piece, and its next one."""
    pieces: tuple[Piece, ...]
    """The kinds of pieces; those of cells count from 1, 0 is an empty cell."""
    area: bool
    """Whether the larger area wins: stones that moves take are counted beside the board."""
    width: int
    """Cells in a row of a layer."""
    height: int
    layers: int
    columns: tuple[str, ...]
    """The letters of the columns, from the left."""
    rows: tuple[str, ...]
    """The numbers of the rows, from the top."""
    cells: tuple[Cell, ...]
    lines: tuple[Segment, ...]
    """The lines of a layer."""
    stars: tuple[int, ...]
    """The cells of the star points."""
    regions: tuple[Region, ...]
    drops: dict[str, tuple[int, ...]]
    """Of a column the cells that its discs fill, the lowest first; empty if a move names its cell."""


def geometry(game: AnyGame) -> Geometry:
    """Return the geometry of the board of a game that `has_cells`."""
    start = game.position()
    assert game.board is not None, "a board of cells"
    assert has_grid(start), "a board of cells"
    _, rows, columns = start.planes_shape
    drops = _drops(start) if game.board is Kind.COLUMNS else {}
    return Geometry(
        game=game.id,
        name=game.name,
        sides=game.sides,
        ground="checks" if game.checkered else _GROUNDS.get(game.board, "squares"),
        stones=_stones(game),
        steps=game.steps,
        pieces=tuple(replace(one, name=one.name or game.sides[one.side]) for one in game.pieces),
        area=game.has_area,
        width=columns,
        height=rows,
        layers=layers(start),
        columns=tuple(chr(ord("a") + column) for column in range(columns)),
        rows=tuple(str(rows - row) for row in range(rows)),
        cells=_cells(start, game.board),
        lines=_lines(game.board, rows, columns),
        stars=_stars(rows, columns) if game.board is Kind.POINTS else (),
        regions=_regions(rows, columns, game.blocks) if game.blocks else (),
        drops=drops,
    )


def to_json(shown: Geometry) -> bytes:
    """Return a geometry as a JSON object; its keys are the fields."""
    return msgspec.json.encode(shown)


_GROUNDS = {Kind.COLUMNS: "holes", Kind.POINTS: "points"}


def _stones(game: AnyGame) -> str:
    if game.pieces != STONES:
        return "pieces"
    return "discs" if game.board in _GROUNDS else "signs"


def _drops(start: Grid) -> dict[str, tuple[int, ...]]:
    _, _, columns = start.planes_shape
    lowest = {start.move_text(move): filled_cell(start, move) for move in start.legal_moves()}
    return {name: tuple(range(cell, -1, -columns)) for name, cell in lowest.items()}


def _cells(start: Grid, kind: Kind) -> tuple[Cell, ...]:
    _, rows, columns = start.planes_shape
    found = []
    for index in range(len(start.cells)):
        layer, place = divmod(index, rows * columns)
        row, column = divmod(place, columns)
        letter = chr(ord("a") + column)
        name = f"{layer + 1 if kind is Kind.LAYERS else ''}{letter}{rows - row}"
        found.append(Cell(name, letter if kind is Kind.COLUMNS else name, column + 0.5, row + 0.5, layer))
    return tuple(found)


def _lines(kind: Kind, rows: int, columns: int) -> tuple[Segment, ...]:
    """Return the lines between the cells, or on a board of crossings through them."""
    if kind is Kind.COLUMNS:
        return ()
    inset = 0.5 if kind is Kind.POINTS else 0.0
    right, bottom = columns - inset, rows - inset
    xs = [column + inset for column in range(columns + (not inset))]
    ys = [row + inset for row in range(rows + (not inset))]
    return tuple([(x, inset, x, bottom) for x in xs] + [(inset, y, right, y) for y in ys])


def _stars(rows: int, columns: int) -> tuple[int, ...]:
    inset = 3 if rows >= LARGE else 2
    corners = [(row, column) for row in (inset, rows - 1 - inset) for column in (inset, columns - 1 - inset)]
    middle = [(rows // 2, columns // 2)] if rows % 2 and columns % 2 else []
    return tuple(row * columns + column for row, column in sorted(corners + middle))


def _regions(rows: int, columns: int, side: int) -> tuple[Region, ...]:
    return tuple(
        Region(
            str(number),
            BLOCK_NAMES[number - 1],
            float(cells[0] % columns),
            float(cells[0] // columns),
            float(side),
            cells,
        )
        for number, cells in enumerate(blocks_of(rows, columns, side), 1)
    )
