"""Players around a circle, clockwise from the top, their names outside it: no name overlaps a line or another name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from fiedler.support.drawing import Spot, width

NAMED = 40
"""Most players that all have names; of more, only some have."""
EXTREMES = 5
"""Players with names at either end of the ranking if not all have names."""
SIZE = 12.0
LINE = 16.0
"""Pixels from one name to the next."""
OFF = 22.0
"""Pixels from the circle to the names: room for the largest disc and a short leader."""
PULL = (0.9, 0.45)
"""Bends of lines between neighbours and between opposite players: 1 is straight, 0 goes through the centre."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True)
class Name:
    """A player's name with a note behind it, and the start of the text (in the left half: its end)."""

    place: int
    name: str
    note: str
    at: Spot
    anchor: str

    @property
    def box(self) -> Box:
        """The rectangle of the text."""
        wide = width(f"{self.name}  {self.note}", SIZE)
        left = self.at[0] - (wide if self.anchor == "end" else 0.0)
        return left, self.at[1] - LINE / 2, left + wide, self.at[1] + LINE / 2


class Wheel:
    """The geometry around a centre at (0, 0); every name has a note; `ranked` names come from the best down."""

    def __init__(self, names: Sequence[str], notes: Sequence[str], *, ranked: bool) -> None:
        self.names, self.notes, self.ranked = names, notes, ranked
        self.shown = _some(len(names), ranked=ranked)
        count = len(names)
        self.radius = 150.0 + 5.5 * count if count <= NAMED else min(400.0, 270.0 + 2.0 * count)

    def angle(self, place: int) -> float:
        """Return radians clockwise from the top, where a gap separates the last player from the first."""
        count = len(self.names)
        gap = 1.0 if count > 3 else 0.0
        return math.tau * (place + 0.5 + gap / 2) / (count + gap)

    def spot(self, place: int, radius: float | None = None) -> Spot:
        """Return the place of a player, on the circle or at another radius."""
        far, angle = self.radius if radius is None else radius, self.angle(place)
        return far * math.sin(angle), -far * math.cos(angle)

    @cached_property
    def written(self) -> list[Name]:
        """The names, each beside its player; a name too near to the next one is moved towards the pole."""
        found: list[Name] = []
        for right in (True, False):
            for up in (True, False):
                found += self._quarter(right=right, up=up)
        return sorted(found, key=lambda name: name.place)

    def _quarter(self, *, right: bool, up: bool) -> list[Name]:
        def here(place: int) -> bool:
            return (self.angle(place) <= math.pi, self.spot(place)[1] < 0) == (right, up)

        height, found = -LINE, []
        for place in sorted(filter(here, self.shown), key=lambda place: abs(self.spot(place)[1])):
            height = max(abs(self.spot(place, self.radius + OFF)[1]), height + LINE)
            inner = max(0.0, height - LINE / 2)
            clear = math.sqrt(max(0.0, (self.radius + OFF) ** 2 - inner**2))
            away = max(clear, abs(self.spot(place)[0]) + OFF / 2)
            at = (away if right else -away, -height if up else height)
            found.append(Name(place, self.names[place], self.notes[place], at, "start" if right else "end"))
        return found

    @property
    def bounds(self) -> Box:
        """The rectangle of everything, with room for the discs."""
        room = self.radius + OFF
        boxes = [name.box for name in self.written] + [(-room, -room, room, room)]
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        return min(lefts), min(tops), max(rights), max(bottoms)

    def ranks(self) -> list[tuple[int, Spot]]:
        """Return every tenth rank with the place of its number, if not all names are written."""
        if not self.ranked or len(self.shown) == len(self.names):
            return []
        places = [place for place in range(9, len(self.names), 10) if place not in self.shown]
        numbers = [(place, self.spot(place, self.radius + OFF)) for place in places]
        return [(place, at) for place, at in numbers if not any(_inside(at, name.box) for name in self.written)]

    def bend(self, one: int, other: int) -> Spot:
        """Return the control point of the quadratic curve between two players: it stays inside the circle."""
        (a, b), (c, d) = self.spot(one), self.spot(other)
        near, across = PULL
        pull = near + (across - near) * math.sqrt(math.dist((a, b), (c, d)) / (2 * self.radius))
        return pull * (a + c) / 2, pull * (b + d) / 2


def _some(count: int, *, ranked: bool) -> list[int]:
    """Return the places whose names are written: all, the ends of a ranking, or a regular selection."""
    if count <= NAMED:
        return list(range(count))
    if ranked:
        return [*range(EXTREMES), *range(count - EXTREMES, count)]
    return list(range(0, count, math.ceil(count / (2 * EXTREMES))))


def _inside(at: Spot, box: Box) -> bool:
    left, top, right, bottom = box
    return left - 12 <= at[0] <= right + 12 and top - 8 <= at[1] <= bottom + 8
