"""Boards as pictures: SVG for pages and notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from games.board import Kind, sheet, spot
from native import Position

STEP, MARGIN = 30, 28
"""The side of a cell, and the room for letters and numbers, in pixels."""
INK, GRID, PAPER, MARK = "#1f2328", "#8b949e", "#ffffff", "#b2182b"
Point = tuple[float, float]


def board_svg(position: Position, kind: Kind, marked: AbstractSet[int]) -> str:
    """Return the board as an SVG document; the stones on the cells `marked` are framed or dotted.

    Letters are below, numbers on the left, a1 is bottom left. The same position gives the same bytes.
    """
    return _KINDS[kind](position, marked).svg()


class _Squares:
    """A drawing of one position; subclasses draw cells and stones."""

    def __init__(self, position: Position, marked: AbstractSet[int]) -> None:
        """`marked` are indices in `position.cells`."""
        self.position = position
        self.marked = marked
        self.rows, self.columns = sheet(position)

    def gap(self, column: int) -> float:  # noqa: ARG002 - where there are layers it counts
        """Return the room left of this column, beyond that of the columns before it."""
        return 0.0

    def middle(self, row: int, column: int) -> Point:
        """Return the middle of a cell in pixels."""
        return MARGIN + self.gap(column) + STEP * (column + 0.5), MARGIN / 2 + STEP * (row + 0.5)

    def svg(self) -> str:
        """Return the picture."""
        width, height = self.middle(0, self.columns - 1)[0] + STEP / 2 + 8, STEP * self.rows + 1.5 * MARGIN
        lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}" font-family="sans-serif" font-size="12" fill="{INK}">',
            f'<rect width="100%" height="100%" fill="{PAPER}"/>',
            *self.ground(),
            *self.labels(),
            *self.stones(),
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def ground(self) -> Iterator[str]:
        """Yield the board without stones."""
        for row in range(self.rows):
            for column in range(self.columns):
                x, y = self.middle(row, column)
                yield (
                    f'<rect x="{x - STEP / 2:g}" y="{y - STEP / 2:g}" width="{STEP}" height="{STEP}" '
                    f'fill="none" stroke="{GRID}"/>'
                )

    def labels(self) -> Iterator[str]:
        """Yield letters below and numbers on the left."""
        columns = self.position.planes_shape[2]
        for column in range(self.columns):
            x, y = self.middle(self.rows - 1, column)
            yield _text(x, y + STEP / 2 + 15, chr(ord("a") + column % columns))
        for row in range(self.rows):
            yield _text(MARGIN - 14, self.middle(row, 0)[1] + 4, str(self.rows - row))

    def stones(self) -> Iterator[str]:
        """Yield every stone, some of them marked."""
        for index, owner in enumerate(self.position.cells):
            if owner:
                point = self.middle(*spot(self.position, index))
                yield self.stone(point, owner)
                if index in self.marked:
                    yield self.mark(point)

    def stone(self, point: Point, owner: int) -> str:
        """Draw X or O."""
        x, y = point
        if owner == 2:
            return f'<circle cx="{x:g}" cy="{y:g}" r="8" fill="none" stroke="{INK}" stroke-width="2.5"/>'
        return (
            f'<path d="M{x - 7:g} {y - 7:g}l14 14m0 -14l-14 14" stroke="{INK}" stroke-width="2.5" '
            'stroke-linecap="round"/>'
        )

    def mark(self, point: Point) -> str:
        """Mark a stone."""
        x, y = point
        size = STEP - 4
        return (
            f'<rect x="{x - size / 2:g}" y="{y - size / 2:g}" width="{size}" height="{size}" '
            f'fill="none" stroke="{MARK}" stroke-width="1.5"/>'
        )


class _Discs(_Squares):
    """Stones are discs, the first player's black."""

    def stone(self, point: Point, owner: int) -> str:
        """Draw a disc."""
        x, y = point
        return f'<circle cx="{x:g}" cy="{y:g}" r="12" fill="{INK if owner == 1 else PAPER}" stroke="{INK}"/>'

    def mark(self, point: Point) -> str:
        """Mark a stone."""
        return f'<circle cx="{point[0]:g}" cy="{point[1]:g}" r="3.5" fill="{MARK}"/>'


class _Ultimate(_Squares):
    """Heavy lines between the local boards, big signs on those that are won, colour where the next move must go."""

    def ground(self) -> Iterator[str]:
        """Yield the 9x9 grid and the local boards."""
        fills = {"@": "#fff3c4", "X": "#dbe7f5", "O": "#f6dcd9", "#": "#e6e8eb"}
        signs = str(self.position).split(";")[1]
        yield from (self.frame(board, f'fill="{fills[sign]}"') for board, sign in enumerate(signs) if sign in fills)
        yield from super().ground()
        yield from (self.frame(board, f'fill="none" stroke="{INK}" stroke-width="3"') for board in range(9))

    def frame(self, board: int, style: str) -> str:
        """Draw the outline of a local board."""
        x, y = self.middle(board // 3 * 3 + 1, board % 3 * 3 + 1)
        side = 3 * STEP
        return f'<rect x="{x - side / 2:g}" y="{y - side / 2:g}" width="{side}" height="{side}" {style}/>'


class _Layers(_Squares):
    """Layers side by side."""

    def gap(self, column: int) -> float:
        """Return the room left of this column."""
        return STEP * 0.8 * (column // 4)

    def labels(self) -> Iterator[str]:
        """Yield letters, numbers and the layers."""
        yield from super().labels()
        for layer in range(4):
            x, y = self.middle(0, 4 * layer)
            yield _text(x + 1.5 * STEP, y - STEP / 2 - 4, f"layer {layer + 1}", 11)


class _Crossings(_Discs):
    """Stones stand on the crossings of lines; crosses mark the points that are forbidden."""

    def ground(self) -> Iterator[str]:
        """Yield the lines."""
        last = self.rows - 1
        for i in range(self.rows):
            (x1, y1), (x2, y2) = self.middle(i, 0), self.middle(i, last)
            yield f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="{GRID}"/>'
            (x1, y1), (x2, y2) = self.middle(0, i), self.middle(last, i)
            yield f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="{GRID}"/>'
        for index, owner in enumerate(self.position.cells):
            if not owner and self.position.result is None and not self.position.is_legal(index):
                x, y = self.middle(*spot(self.position, index))
                yield f'<path d="M{x - 6:g} {y - 6:g}l12 12m0 -12l-12 12" stroke="{MARK}" stroke-width="3"/>'


def _text(x: float, y: float, words: str, size: int = 12) -> str:
    """Return words centred on x."""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="middle" font-size="{size}">{words}</text>'


_KINDS: dict[Kind, type[_Squares]] = {
    Kind.SQUARES: _Squares,
    Kind.COLUMNS: _Discs,
    Kind.BLOCKS: _Ultimate,
    Kind.LAYERS: _Layers,
    Kind.POINTS: _Crossings,
}
