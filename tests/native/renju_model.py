"""Renju's forbidden points by their definition, slow and obvious (docs/games/renju15.md)."""

from __future__ import annotations

from collections.abc import Mapping

Place = tuple[int, ...]
BLACK = 1
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class Board:
    """Stones on a square board, 1 Black's and 2 White's; look-ahead changes it and restores it."""

    def __init__(self, stones: Mapping[Place, int], size: int = 15) -> None:
        self.stones = dict(stones)
        self.size = size

    def forbidden(self, place: Place) -> bool:
        """Whether this empty place is forbidden to Black."""
        self.stones[place] = BLACK
        lengths = [self.length(place, direction) for direction in DIRECTIONS]
        found = 5 not in lengths and (
            max(lengths) > 5
            or sum(self.fours(place, direction) for direction in DIRECTIONS) > 1
            or sum(self.three(place, direction) for direction in DIRECTIONS) > 1
        )
        del self.stones[place]
        return found

    def black(self, place: Place) -> bool:
        return self.stones.get(place) == BLACK

    def empty(self, place: Place) -> bool:
        return place not in self.stones and all(0 <= at < self.size for at in place)

    def length(self, place: Place, direction: tuple[int, int]) -> int:
        """Black stones in a row through this one."""
        return 1 + self.reach(place, direction, 1) + self.reach(place, direction, -1)

    def reach(self, place: Place, direction: tuple[int, int], sign: int) -> int:
        count = 0
        while self.black(step(place, direction, sign * (count + 1))):
            count += 1
        return count

    def completes(self, place: Place, direction: tuple[int, int]) -> bool:
        """Whether a black stone on this place would make exactly five there."""
        return self.empty(place) and self.length(place, direction) == 5

    def fours(self, place: Place, direction: tuple[int, int]) -> int:
        """The number of sets of four stones with this one that one more stone makes exactly five."""
        found = set()
        for start in range(-4, 1):
            window = [step(place, direction, start + i) for i in range(5)]
            stones = [cell for cell in window if self.black(cell)]
            rest = [cell for cell in window if not self.black(cell)]
            if len(rest) == 1 and self.completes(rest[0], direction):
                found.add(frozenset(stones))
        return len(found)

    def three(self, place: Place, direction: tuple[int, int]) -> bool:
        """Whether Black could make a straight four of this stone and another allowed one."""
        near = (step(place, direction, distance) for distance in (-3, -2, -1, 1, 2, 3))
        return any(self.empty(other) and self.makes_straight_four(place, other, direction) for other in near)

    def makes_straight_four(self, place: Place, other: Place, direction: tuple[int, int]) -> bool:
        self.stones[other] = BLACK
        before, after = (self.reach(other, direction, sign) for sign in (-1, 1))
        row = [step(other, direction, distance) for distance in range(-before, after + 1)]
        straight = len(row) == 4 and place in row
        ends = (step(other, direction, -before - 1), step(other, direction, after + 1))
        straight = straight and all(self.completes(end, direction) for end in ends)
        five = any(self.length(other, direction) == 5 for direction in DIRECTIONS)
        del self.stones[other]
        return straight and not five and not self.forbidden(other)


def step(place: Place, direction: tuple[int, int], distance: int) -> Place:
    return place[0] + distance * direction[0], place[1] + distance * direction[1]
