"""Boards as pictures: SVG for pages and notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from math import atan2, degrees, hypot
from xml.sax.saxutils import escape

from fiedler.games import drawing
from fiedler.games.board import block_signs, step_cells
from fiedler.games.game import AnyGame
from fiedler.games.geometry import Geometry, geometry
from fiedler.games.position import Grid, fills_cells
from fiedler.games.territory import owners

STEP, MARGIN = 30, 28
"""The side of a cell, and the room for letters and numbers, in pixels."""
GAP = 0.8
"""The room between two layers, in cells."""
INK, GRID, HOLE, PAPER, MARK = "#1f2328", "#8b949e", "#e6e8eb", "#ffffff", "#b2182b"
FILLS = {"@": "#fff3c4", "X": "#dbe7f5", "O": "#f6dcd9", "#": "#e6e8eb"}
"""Of a block in which the next move must be, of one that is won, and of a full one."""
CHECKS = "#e8ecef", "#9fb3c4"
"""Of the light and the dark squares of a board of two colours."""
STEP_FILL, ARROW = "#f2d64b", "#0f7b47"
"""Of both cells of the last step, and of its arrow."""
SHAPES = ("#ffffff", "#23262b", "#23262b"), ("#2b2f36", "#000000", "#e4e7ea")
"""Of the pieces of both sides: the fill, the outline, the details."""


def board_svg(game: AnyGame, position: Grid, last: int | None = None, before: Grid | None = None) -> str:
    """Return the board of a game that `has_cells` as an SVG document.

    `last` (the move just played) is marked, or the lines that won. A step of a piece has both cells and an arrow.
    With the position `before` the move it ends where the piece stands, as on pages (`lastStep`): a castling king may be
    named by its rook. Of a king that rests it is the new place of the rook.

    Letters are below, numbers on the left, a1 is bottom left. The same position gives the same bytes.
    """
    board = geometry(game)
    assert game.board is not None, "a board of cells"
    marked = drawing.marked(position, game.board, game.winning_cells(position), last)
    closed = _closed(board, position)
    owned = _owned(game, position)
    step = _step(game, position, last, before) if game.steps and last is not None else None
    width, height = _at(board, board.width, board.height, board.layers - 1)
    size = f"{width + 8:g}", f"{height + MARGIN:g}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
        f'viewBox="0 0 {size[0]} {size[1]}" font-family="sans-serif" font-size="12" fill="{INK}">',
        f'<rect width="100%" height="100%" fill="{PAPER}"/>',
        *_shapes(board, set(position.cells) - {0}),
        *_ground(board, position),
        *_labels(board),
        *(_box(*_corner(board, cell), 1, 1, f'fill="{STEP_FILL}" fill-opacity=".55"') for cell in step or ()),
    ]
    for index, (cell, piece) in enumerate(zip(board.cells, position.cells, strict=True)):
        x, y = _at(board, cell.x, cell.y, cell.layer)
        if piece:
            lines.append(_stone(board, x, y, piece))
            lines += [_mark(board, x, y)] if index in marked and not step else []
        elif index in owned:
            fill = INK if owned[index] == 1 else PAPER
            lines.append(f'<rect x="{x - 4:g}" y="{y - 4:g}" width="8" height="8" fill="{fill}" stroke="{INK}"/>')
        elif index in closed:
            lines.append(f'<path d="M{x - 6:g} {y - 6:g}l12 12m0 -12l-12 12" stroke="{MARK}" stroke-width="3"/>')
    lines += [_arrow(*(_at(board, board.cells[cell].x, board.cells[cell].y) for cell in step))] if step else []
    return "\n".join([*lines, "</svg>\n"])


def _step(game: AnyGame, position: Grid, last: int, before: Grid | None) -> tuple[int, int] | None:
    """Return the cells of the last step, the second one the first that the move changed."""
    step = step_cells(position, position.move_text(last))
    changes = game.shown(before, position) if step and before is not None else ()
    return (step[0], changes[0][0]) if step and changes else step


def _shapes(board: Geometry, pieces: Iterable[int]) -> Iterator[str]:
    """Define the pieces that have a shape and are on the board: each square then names one."""
    for piece in sorted(pieces):
        one = board.pieces[piece - 1]
        if one.shape is None:
            continue
        fill, ink, details = SHAPES[one.side]
        yield (
            f'<defs><g id="{board.game}-{piece}" stroke-linejoin="round" stroke-linecap="round" stroke-width="4">'
            f'<path d="{one.shape.body}" fill="{fill}" stroke="{ink}"/>'
            f'<path d="{one.shape.lines}" fill="none" stroke="{details}"/></g></defs>'
        )


def _closed(board: Geometry, position: Grid) -> AbstractSet[int]:
    """Return the empty points that a rule closes to the side to move."""
    if position.result is not None or board.ground != "points" or not fills_cells(position):
        return frozenset()
    return position.forbidden_moves().keys()


def _owned(game: AnyGame, position: Grid) -> Mapping[int, int]:
    """Return the empty points of both sides, 1 or 2, at the end of a game that the larger area wins."""
    if not game.has_area or position.result is None:
        return {}
    found = owners(position.cells, position.planes_shape[2])
    return {cell: side for cell, side in enumerate(found) if side}


def _at(board: Geometry, x: float, y: float, layer: int = 0) -> tuple[float, float]:
    """Return a point of a layer in pixels."""
    return MARGIN + STEP * (x + layer * (board.width + GAP)), MARGIN / 2 + STEP * y


def _ground(board: Geometry, position: Grid) -> Iterator[str]:
    """Yield the board without stones."""
    if board.ground == "checks":
        yield from _checks(board)
    for region, sign in zip(board.regions, block_signs(position) if board.regions else "", strict=True):
        if sign in FILLS:
            yield _box(*_at(board, region.x, region.y), region.side, region.side, f'fill="{FILLS[sign]}"')
    for layer in range(board.layers if board.ground != "checks" else 0):
        for x1, y1, x2, y2 in board.lines:
            (left, top), (right, bottom) = _at(board, x1, y1, layer), _at(board, x2, y2, layer)
            yield f'<path d="M{left:g} {top:g}L{right:g} {bottom:g}" stroke="{GRID}"/>'
    if board.ground == "holes":
        yield _box(*_at(board, 0, 0), board.width, board.height, f'fill="none" stroke="{GRID}"')
        yield from (_disc(*_at(board, cell.x, cell.y), 12, f'fill="{HOLE}"') for cell in board.cells)
    yield from (
        _disc(*_at(board, board.cells[star].x, board.cells[star].y), 3, f'fill="{GRID}"') for star in board.stars
    )
    for region in board.regions:
        style = f'fill="none" stroke="{INK}" stroke-width="3"'
        yield _box(*_at(board, region.x, region.y), region.side, region.side, style)


def _checks(board: Geometry) -> Iterator[str]:
    """Yield a board of two colours, whose square at the bottom left is dark."""
    light, dark = CHECKS
    yield _box(*_at(board, 0, 0), board.width, board.height, f'fill="{light}" stroke="{INK}" stroke-width="2"')
    corners = (_at(board, cell.x - 0.5, cell.y - 0.5) for cell in board.cells if (cell.x + board.height - cell.y) % 2)
    squares = "".join(f"M{x:g} {y:g}h{STEP}v{STEP}h-{STEP}z" for x, y in corners)
    yield f'<path d="{squares}" fill="{dark}"/>'


def _labels(board: Geometry) -> Iterator[str]:
    """Yield letters below, numbers on the left, and the layers above."""
    for layer in range(board.layers):
        for column, letter in enumerate(board.columns):
            x, y = _at(board, column + 0.5, board.height, layer)
            yield _text(x, y + 15, letter)
        if board.layers > 1:
            x, y = _at(board, board.width / 2, 0, layer)
            yield _text(x, y - 4, f"layer {layer + 1}")
    for row, number in enumerate(board.rows):
        yield _text(MARGIN - 14, _at(board, 0, row + 0.5)[1] + 4, number)


def _stone(board: Geometry, x: float, y: float, piece: int) -> str:
    """Draw a disc, X or O, or the shape or the sign of a piece."""
    if board.stones == "pieces" and board.pieces[piece - 1].shape is not None:
        return f'<use href="#{board.game}-{piece}" transform="translate({x:g} {y:g}) scale({STEP / 100:g})"/>'
    if board.stones == "pieces":
        return _text(x, y + 7, escape(board.pieces[piece - 1].sign), 'font-size="20"')
    if board.stones == "discs":
        return _disc(x, y, 12, f'fill="{INK if piece == 1 else PAPER}" stroke="{INK}"')
    style = f'fill="none" stroke="{INK}" stroke-width="2.5" stroke-linecap="round"'
    return _disc(x, y, 8, style) if piece == 2 else f'<path d="M{x - 7:g} {y - 7:g}l14 14m0 -14l-14 14" {style}/>'


def _mark(board: Geometry, x: float, y: float) -> str:
    """Mark a stone by a dot, or a frame."""
    if board.stones == "discs":
        return _disc(x, y, 3.5, f'fill="{MARK}"')
    return _box(x - 13, y - 13, 26 / STEP, 26 / STEP, f'fill="none" stroke="{MARK}" stroke-width="1.5"')


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    """Draw an arrow from the middle of a cell to that of another one."""
    length = hypot(end[0] - start[0], end[1] - start[1])
    turned = degrees(atan2(end[1] - start[1], end[0] - start[0]))
    path = f"M6-3H{length - 14:g}V-8L{length - 2:g} 0L{length - 14:g} 8V3H6Z"
    place = f"translate({start[0]:g} {start[1]:g}) rotate({turned:.4g})"
    return f'<path d="{path}" transform="{place}" fill="{ARROW}" fill-opacity=".6"/>'


def _corner(board: Geometry, cell: int) -> tuple[float, float]:
    """Return the top left corner of a cell in pixels."""
    return _at(board, board.cells[cell].x - 0.5, board.cells[cell].y - 0.5)


def _box(x: float, y: float, width: float, height: float, style: str) -> str:
    """Draw a rectangle; its sides are in cells."""
    return f'<rect x="{x:g}" y="{y:g}" width="{STEP * width:g}" height="{STEP * height:g}" {style}/>'


def _disc(x: float, y: float, radius: float, style: str) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" {style}/>'


def _text(x: float, y: float, words: str, style: str = "") -> str:
    """Return words centred on x."""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="middle"{style and " " + style}>{words}</text>'
