"""Boards as lines of text: for terminals, `query board`, error reports."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from games.board import Kind, layers
from native import Position

STONES = ".XO"
FORBIDDEN = "!"
"""Where the side to move may not put a stone."""
_GAP = "    "
"""Between the layers of a board that has several."""


def draw(position: Position, kind: Kind, won: AbstractSet[int], last: int | None = None, *, block: int = 0) -> str:
    """Draw a board with the cells that `won` the game marked, or else the one that the move `last` went to.

    Letters stand below, numbers on the left, a1 bottom left. `block` > 0 separates a board of blocks into squares of
    that many cells.
    """
    cell = None if last is None else _cell_of(position, kind, last)
    marked = won or {one for one in (cell,) if one is not None}
    if kind is Kind.LAYERS:
        return _layers(position, marked)
    board = "\n".join(_layer(position, 0, marked, block))
    return "\n".join([board, *_notes(position, kind)])


def _notes(position: Position, kind: Kind) -> list[str]:
    """Return what the cells do not show: the blocks won and where to play, or what is forbidden."""
    if kind is Kind.BLOCKS:
        return [_overview(position)]
    kinds = [f"{position.move_text(move)} {kind}" for move, kind in position.forbidden_moves().items()]
    return [f"{FORBIDDEN} forbidden: {', '.join(kinds)}"] if kinds else []


def _overview(position: Position) -> str:
    """Return the local boards won so far, and where the next move must go."""
    boards = str(position).split(";")[1]
    rows = "  ".join(boards[i : i + 3] for i in (0, 3, 6))
    aim = "anywhere open" if "@" not in boards else f"board {boards.index('@') + 1} (marked @)"
    return f"boards from the top: {rows}" + ("" if position.result is not None else f"   next move: {aim}")


def _layers(position: Position, marked: AbstractSet[int]) -> str:
    """Draw the layers of a board side by side; a move is the layer's number, then the cell's name in it."""
    _, rows, width = position.planes_shape
    drawn = [_layer(position, layer, marked, 0) for layer in range(layers(position))]
    titles = (f"   {f'layer {layer}':^{3 * width}}" for layer in range(1, len(drawn) + 1))
    lines = [titles, *([one[row].ljust(3 + 3 * width) for one in drawn] for row in range(rows + 1))]
    return "\n".join(_GAP.join(line).rstrip() for line in lines)


def _layer(position: Position, layer: int, marked: AbstractSet[int], block: int) -> list[str]:
    """Draw one layer; `marked` counts the cells of all."""
    _, rows, width = position.planes_shape
    first = layer * rows * width
    signs = _signs(position)
    lines = []
    for row in range(rows):
        start = first + row * width
        cells = [_shown(signs[i], i in marked) for i in range(start, start + width)]
        lines.append(f"{rows - row:>2} {_joined(cells, block, '|')}")
        if block and row % block == block - 1 and row < rows - 1:
            lines.append("   " + "+".join(["-" * (3 * block)] * (width // block)))
    lines.append("   " + _joined([f" {chr(ord('a') + column)} " for column in range(width)], block, " "))
    return [line.rstrip() for line in lines]


def _signs(position: Position) -> list[str]:
    """Return the sign of every cell."""
    signs = [STONES[stone] for stone in position.cells]
    for move in position.forbidden_moves():
        signs[move] = FORBIDDEN
    return signs


def _shown(sign: str, marked: bool) -> str:
    return f"[{sign}]" if marked else f" {sign} "


def _joined(cells: list[str], block: int, separator: str) -> str:
    size = block or len(cells)
    return separator.join("".join(cells[i : i + size]) for i in range(0, len(cells), size))


def _cell_of(position: Position, kind: Kind, move: int) -> int:
    """Return the index in `cells` of the stone of a move: of a column the highest, else the cell that it names.

    A name is a letter and a number; where there are layers, the layer's number goes before.
    """
    name = position.move_text(move)
    _, rows, width = position.planes_shape
    if kind is Kind.COLUMNS:
        return next(cell for cell in range(ord(name) - ord("a"), rows * width, width) if position.cells[cell])
    layer = 0
    if kind is Kind.LAYERS:
        layer, name = int(name[0]) - 1, name[1:]
    return (layer * rows + rows - int(name[1:])) * width + ord(name[0]) - ord("a")
