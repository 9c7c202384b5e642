"""Boards as lines of text for people: terminals, `query board`, error reports."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from games.board import layers
from games.wins import winning_cells
from native import Position

STONES = ".XO"
FORBIDDEN = "!"
"""Where the side to move may not put a stone."""
_GAP = "    "
"""Between the layers of a board that has several."""


def grid(position: Position, last: int | None = None, *, block: int = 0) -> str:
    """Draw a flat board with letters below and numbers on the left, a1 bottom left.

    `last` is the cell of the last move, row-major from the top left; `block` > 0 separates the board into squares of
    that many cells.
    """
    return "\n".join(_layer(position, 0, _marked(position, last), block))


def squares(position: Position, last: int | None = None) -> str:
    """Draw a flat board whose moves are cells, and say what is forbidden where a rule forbids some."""
    board = grid(position, _cell_of(position, last))
    kinds = [f"{position.move_text(move)} {kind}" for move, kind in position.forbidden_moves().items()]
    return f"{board}\n{FORBIDDEN} forbidden: {', '.join(kinds)}" if kinds else board


def columns(position: Position, last: int | None = None) -> str:
    """Draw a board whose moves are columns; the last disc is the highest of its column."""
    _, rows, width = position.planes_shape
    if last is None:
        return grid(position)
    return grid(position, next(i for i in range(last, rows * width, width) if position.cells[i]))


def ultimate(position: Position, last: int | None = None) -> str:
    """Draw the 9x9 board, the local boards won so far, and where the next move must go."""
    boards = str(position).split(";")[1]
    overview = "  ".join(boards[i : i + 3] for i in (0, 3, 6))
    aim = "anywhere open" if "@" not in boards else f"board {boards.index('@') + 1} (marked @)"
    note = f"boards from the top: {overview}" + ("" if position.result is not None else f"   next move: {aim}")
    return f"{grid(position, _cell_of(position, last), block=3)}\n{note}"


def layered(position: Position, last: int | None = None) -> str:
    """Draw the layers of a board side by side; a move is the layer's number, then the cell's name in it."""
    _, rows, width = position.planes_shape
    marked = _marked(position, _cell_of(position, last))
    drawn = [_layer(position, layer, marked, 0) for layer in range(layers(position))]
    titles = (f"   {f'layer {layer}':^{3 * width}}" for layer in range(1, len(drawn) + 1))
    lines = [titles, *([one[row].ljust(3 + 3 * width) for one in drawn] for row in range(rows + 1))]
    return "\n".join(_GAP.join(line).rstrip() for line in lines)


def _marked(position: Position, last: int | None) -> AbstractSet[int]:
    """Return the cells shown as `[X]`: those of the lines that won the game, else that of the last move."""
    return winning_cells(position) or {cell for cell in (last,) if cell is not None}


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


def _cell_of(position: Position, move: int | None) -> int | None:
    """Index in `cells` of a move: a letter and a number; where there are layers, the layer's number goes before."""
    if move is None:
        return None
    name = position.move_text(move)
    _, rows, width = position.planes_shape
    layer = 0
    if layers(position) > 1:
        layer, name = int(name[0]) - 1, name[1:]
    return (layer * rows + rows - int(name[1:])) * width + ord(name[0]) - ord("a")
