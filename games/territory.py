"""The owners of the empty points of a board, by area: a point belongs to a side if it leads to stones of it alone."""

from __future__ import annotations


def owners(cells: bytes, size: int) -> bytes:
    """Return 1 or 2 for each empty point of a side, else 0: on stones, and on points that lead to both sides, or none.

    `cells` are those of a square board of `size` × `size` points; a point leads to its neighbours along the lines.
    """
    found, seen = bytearray(len(cells)), set[int]()
    for start, stone in enumerate(cells):
        if stone or start in seen:
            continue
        region, border = _region(cells, size, start)
        seen |= region
        if len(border) == 1:
            (side,) = border
            for point in region:
                found[point] = side
    return bytes(found)


def _region(cells: bytes, size: int, start: int) -> tuple[set[int], set[int]]:
    """Return the empty points to which an empty one leads, and the stones at their border: 1, 2 or both."""
    region, border, waiting = {start}, set[int](), [start]
    while waiting:
        for beside in neighbours(waiting.pop(), size):
            if cells[beside]:
                border.add(cells[beside])
            elif beside not in region:
                region.add(beside)
                waiting.append(beside)
    return region, border


def neighbours(point: int, size: int) -> list[int]:
    """Return the points above, left, right and below of a point on a square board, numbered row by row."""
    row, column = divmod(point, size)
    beside = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return [size * r + c for r, c in beside if 0 <= r < size and 0 <= c < size]
