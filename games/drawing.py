"""Boards as lines of text: for terminals, `query board`, error reports."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from fiedler.games.board import AIM, BLOCK_NAMES, STONES, Kind, Piece, block_of, block_signs, layers, named_cell
from fiedler.games.position import Grid, fills_cells

FORBIDDEN = "!"
"""A cell that is forbidden to the side to move."""
OPEN = "."
"""An empty cell; where a move must be in certain blocks, only of these."""
WON = {"X": "x", "O": "o"}
"""The empty cells of a block that is won; those of other blocks without a move are blank."""
_GAP = "    "
"""The gap between the layers of a board."""


def draw(
    position: Grid,
    kind: Kind,
    won: AbstractSet[int],
    last: int | None = None,
    *,
    block: int = 0,
    pieces: Sequence[Piece] = STONES,
) -> str:
    """Draw a board; the cells that `won` the game are marked, or else the cell of the move `last`.

    Letters are below, numbers on the left, a1 is bottom left. `block` > 0 divides a board into blocks of `block` x
    `block` cells.
    """
    shown, signs = marked(position, kind, won, last), _signs(position, block, pieces)
    if kind is Kind.LAYERS:
        return _layers(position, signs, shown)
    board = "\n".join(_layer(position, 0, signs, shown, block))
    return "\n".join([board, *_notes(position, kind)])


def marked(position: Grid, kind: Kind, won: AbstractSet[int], last: int | None) -> AbstractSet[int]:
    """Return the cells to mark: those that `won` the game, or else that with which the name of the move `last` ends."""
    cell = None if last is None else _cell_of(position, kind, position.move_text(last))
    return won or {one for one in (cell,) if one is not None}


def _notes(position: Grid, kind: Kind) -> list[str]:
    """Return the facts that the cells do not show: won blocks and the next block, or forbidden points."""
    if kind is Kind.BLOCKS:
        return [_overview(position)]
    kinds = [f"{position.move_text(move)} {why}" for move, why in _forbidden(position).items()]
    return [f"{FORBIDDEN} forbidden: {', '.join(kinds)}"] if kinds else []


def _overview(position: Grid) -> str:
    """Return the local boards won so far, and the board of the next move."""
    boards = block_signs(position)
    rows = "  ".join(boards[i : i + 3] for i in (0, 3, 6))
    aim = f"the {BLOCK_NAMES[boards.index(AIM)]} board" if AIM in boards else "any open board"
    return f"boards from the top: {rows}" + ("" if position.result is not None else f"   next move: {aim}, at the dots")


def _forbidden(position: Grid) -> dict[int, str]:
    return position.forbidden_moves() if fills_cells(position) else {}


def _layers(position: Grid, signs: Sequence[str], marked: AbstractSet[int]) -> str:
    """Draw the layers of a board side by side; a move is the layer's number, then the cell's name in it."""
    _, rows, width = position.planes_shape
    drawn = [_layer(position, layer, signs, marked, 0) for layer in range(layers(position))]
    titles = (f"   {f'layer {layer}':^{3 * width}}" for layer in range(1, len(drawn) + 1))
    lines = [titles, *([one[row].ljust(3 + 3 * width) for one in drawn] for row in range(rows + 1))]
    return "\n".join(_GAP.join(line).rstrip() for line in lines)


def _layer(position: Grid, layer: int, signs: Sequence[str], marked: AbstractSet[int], block: int) -> list[str]:
    """Draw one layer; `signs` and `marked` are those of the whole board."""
    _, rows, width = position.planes_shape
    first = layer * rows * width
    lines = []
    for row in range(rows):
        start = first + row * width
        cells = [_shown(signs[i], i in marked) for i in range(start, start + width)]
        lines.append(f"{rows - row:>2} {_joined(cells, block, '|')}")
        if block and row % block == block - 1 and row < rows - 1:
            lines.append("   " + "+".join(["-" * (3 * block)] * (width // block)))
    lines.append("   " + _joined([f" {chr(ord('a') + column)} " for column in range(width)], block, " "))
    return [line.rstrip() for line in lines]


def _signs(position: Grid, block: int, pieces: Sequence[Piece]) -> list[str]:
    """Return the sign of every cell."""
    signs = [pieces[piece - 1].sign if piece else OPEN for piece in position.cells]
    for move in _forbidden(position):
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


def _cell_of(position: Grid, kind: Kind, name: str) -> int | None:
    """Return the index in `cells` of the piece of a move: the highest of a column, else the named cell, if any."""
    cell = named_cell(position, kind, name)
    _, rows, width = position.planes_shape
    if cell is not None or kind is not Kind.COLUMNS or len(name) != 1:
        return cell
    column = ord(name) - ord("a")
    if not 0 <= column < width:
        return None
    return next((cell for cell in range(column, rows * width, width) if position.cells[cell]), None)
