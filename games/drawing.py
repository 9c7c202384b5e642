"""Boards as lines of text: for terminals, `query board`, error reports."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from games.board import AIM, BLOCK_NAMES, Kind, block_of, block_signs, layers, named_cell
from games.position import Grid

STONES = ".XO"
FORBIDDEN = "!"
"""A cell that is forbidden to the side to move."""
OPEN = "."
"""An empty cell; where a move must be in certain blocks, only of these."""
WON = {"X": "x", "O": "o"}
"""The empty cells of a block that is won; those of other blocks without a move are blank."""
_GAP = "    "
"""The gap between the layers of a board."""


def draw(position: Grid, kind: Kind, won: AbstractSet[int], last: int | None = None, *, block: int = 0) -> str:
    """Draw a board; the cells that `won` the game are marked, or else the cell of the move `last`.

    Letters are below, numbers on the left, a1 is bottom left. `block` > 0 divides a board into blocks of `block` x
    `block` cells.
    """
    shown = marked(position, kind, won, last)
    if kind is Kind.LAYERS:
        return _layers(position, shown)
    board = "\n".join(_layer(position, 0, shown, block))
    return "\n".join([board, *_notes(position, kind)])


def marked(position: Grid, kind: Kind, won: AbstractSet[int], last: int | None) -> AbstractSet[int]:
    """Return the cells to mark: those that `won` the game, or else that of the move `last`."""
    cell = None if last is None else _cell_of(position, kind, last)
    return won or {one for one in (cell,) if one is not None}


def _notes(position: Grid, kind: Kind) -> list[str]:
    """Return the facts that the cells do not show: won blocks and the next block, or forbidden points."""
    if kind is Kind.BLOCKS:
        return [_overview(position)]
    kinds = [f"{position.move_text(move)} {kind}" for move, kind in position.forbidden_moves().items()]
    return [f"{FORBIDDEN} forbidden: {', '.join(kinds)}"] if kinds else []


def _overview(position: Grid) -> str:
    """Return the local boards won so far, and the board of the next move."""
    boards = block_signs(position)
    rows = "  ".join(boards[i : i + 3] for i in (0, 3, 6))
    aim = f"the {BLOCK_NAMES[boards.index(AIM)]} board" if AIM in boards else "any open board"
    return f"boards from the top: {rows}" + ("" if position.result is not None else f"   next move: {aim}, at the dots")


def _layers(position: Grid, marked: AbstractSet[int]) -> str:
    """Draw the layers of a board side by side; a move is the layer's number, then the cell's name in it."""
    _, rows, width = position.planes_shape
    drawn = [_layer(position, layer, marked, 0) for layer in range(layers(position))]
    titles = (f"   {f'layer {layer}':^{3 * width}}" for layer in range(1, len(drawn) + 1))
    lines = [titles, *([one[row].ljust(3 + 3 * width) for one in drawn] for row in range(rows + 1))]
    return "\n".join(_GAP.join(line).rstrip() for line in lines)


def _layer(position: Grid, layer: int, marked: AbstractSet[int], block: int) -> list[str]:
    """Draw one layer; `marked` has indices of the whole board."""
    _, rows, width = position.planes_shape
    first = layer * rows * width
    signs = _signs(position, block)
    lines = []
    for row in range(rows):
        start = first + row * width
        cells = [_shown(signs[i], i in marked) for i in range(start, start + width)]
        lines.append(f"{rows - row:>2} {_joined(cells, block, '|')}")
        if block and row % block == block - 1 and row < rows - 1:
            lines.append("   " + "+".join(["-" * (3 * block)] * (width // block)))
    lines.append("   " + _joined([f" {chr(ord('a') + column)} " for column in range(width)], block, " "))
    return [line.rstrip() for line in lines]


def _signs(position: Grid, block: int) -> list[str]:
    """Return the sign of every cell."""
    signs = [STONES[stone] for stone in position.cells]
    for move in position.forbidden_moves():
        signs[move] = FORBIDDEN
    if not block:
        return signs
    states = block_signs(position)
    playable = () if position.result is not None else AIM if AIM in states else OPEN
    for cell, stone in enumerate(position.cells):
        state = states[block_of(position, cell, block)]
        if not stone and state not in playable:
            signs[cell] = WON.get(state, " ")
    return signs


def _shown(sign: str, marked: bool) -> str:
    return f"[{sign}]" if marked else f" {sign} "


def _joined(cells: list[str], block: int, separator: str) -> str:
    size = block or len(cells)
    return separator.join("".join(cells[i : i + size]) for i in range(0, len(cells), size))


def _cell_of(position: Grid, kind: Kind, move: int) -> int:
    """Return the index in `cells` of the stone of a move: the highest of a column, else the named cell."""
    name = position.move_text(move)
    cell = named_cell(position, kind, name)
    if cell is not None:
        return cell
    _, rows, width = position.planes_shape
    return next(cell for cell in range(ord(name) - ord("a"), rows * width, width) if position.cells[cell])
