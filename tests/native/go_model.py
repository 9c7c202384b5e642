"""The rules of Go in a slow and obvious form: every group and every region is flooded anew."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from string import ascii_lowercase

EMPTY, BLACK, WHITE = 0, 1, 2
KOMI = 7.5
Point = tuple[int, int]
"""Row and column from the top left."""
Stones = dict[Point, int]
"""The owner of each stone."""


class SlowGo:
    """A game of Go from its start; no move repeats a board, and none takes the last liberty of its own stones."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.points: list[Point] = list(product(range(size), range(size)))
        self.stones: Stones = {}
        self.side = BLACK
        self.passes = self.plies = 0
        self.seen = [self.cells()]

    def cells(self) -> bytes:
        return bytes(self.stones.get(point, EMPTY) for point in self.points)

    def name(self, point: Point) -> str:
        row, column = point
        return f"{ascii_lowercase[column]}{self.size - row}"

    def point(self, name: str) -> Point:
        return self.size - int(name[1:]), ascii_lowercase.index(name[0])

    def beside(self, point: Point) -> Iterator[Point]:
        row, column = point
        for other in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= min(other) <= max(other) < self.size:
                yield other

    def flood(self, stones: Stones, start: Point) -> tuple[set[Point], set[int]]:
        """The points like `start` that are connected with it, and the kinds of points around them."""
        kind = stones.get(start, EMPTY)
        inside, around, waiting = {start}, set[int](), [start]
        while waiting:
            for other in self.beside(waiting.pop()):
                if stones.get(other, EMPTY) != kind:
                    around.add(stones.get(other, EMPTY))
                elif other not in inside:
                    inside.add(other)
                    waiting.append(other)
        return inside, around

    def after(self, point: Point) -> Stones | None:
        """The stones after a move; None if it is suicide."""
        stones = {**self.stones, point: self.side}
        for other in self.beside(point):
            if stones.get(other) == 3 - self.side:
                group, around = self.flood(stones, other)
                if EMPTY not in around:
                    stones = {place: owner for place, owner in stones.items() if place not in group}
        return stones if EMPTY in self.flood(stones, point)[1] else None

    def allowed(self, point: Point) -> bool:
        if point in self.stones:
            return False
        stones = self.after(point)
        return stones is not None and bytes(stones.get(one, EMPTY) for one in self.points) not in self.seen

    def moves(self) -> set[str]:
        if self.result() is not None:
            return set()
        return {self.name(point) for point in self.points if self.allowed(point)} | {"pass"}

    def play(self, name: str) -> None:
        self.plies += 1
        self.passes = self.passes + 1 if name == "pass" else 0
        if name != "pass":
            stones = self.after(self.point(name))
            assert stones is not None
            self.stones = stones
            self.seen.append(self.cells())
        self.side = 3 - self.side

    def area(self) -> int:
        """Black's stones and the empty regions that touch only these, less White's."""
        found = {BLACK: 0, WHITE: 0}
        for point in self.points:
            inside = {self.stones.get(point, EMPTY)}
            owners = self.flood(self.stones, point)[1] if inside == {EMPTY} else inside
            if len(owners) == 1:
                found[min(owners)] += 1
        return found[BLACK] - found[WHITE]

    def result(self) -> int | None:
        """1 Black won, -1 White won, None running."""
        if self.passes < 2 and self.plies < 3 * len(self.points):
            return None
        return 1 if self.area() > KOMI else -1
