"""The places of a picture's texts and lines, read from its SVG: for tests that nothing covers a label."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np

from fiedler.support.drawing import width

SVG = "{http://www.w3.org/2000/svg}"
Spot = tuple[float, float]


@dataclass(frozen=True)
class Label:
    """A text and its rectangle."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Label) -> bool:
        """Whether two texts overlap."""
        across = min(self.right, other.right) - max(self.left, other.left)
        return across > 0.5 and min(self.bottom, other.bottom) - max(self.top, other.top) > 0.5

    def crossed(self, start: Spot, end: Spot) -> bool:
        """Whether a straight line runs through the text (Liang and Barsky's clipping)."""
        enter, leave = 0.0, 1.0
        for one, other, low, high in (
            (start[0], end[0], self.left, self.right),
            (start[1], end[1], self.top, self.bottom),
        ):
            if one == other:
                if not low + 0.5 < one < high - 0.5:
                    return False
                continue
            near, far = sorted(((low - one) / (other - one), (high - one) / (other - one)))
            enter, leave = max(enter, near), min(leave, far)
        return leave - enter > 1e-6


class Picture:
    """The labels, lines and discs of an SVG document."""

    def __init__(self, svg: str) -> None:
        self.root = ElementTree.fromstring(svg)
        self.wide, self.high = float(self.root.attrib["width"]), float(self.root.attrib["height"])
        self.labels = [_label(node) for node in self.root.iter(f"{SVG}text")]

    def faults(self) -> list[str]:
        """All faults that make a text hard to read."""
        return [*self.overlaps(), *self.crossings(), *self.outside()]

    def overlaps(self) -> list[str]:
        """The texts that overlap."""
        return [
            f"{one.text} on {other.text}"
            for place, one in enumerate(self.labels)
            for other in self.labels[:place]
            if one.meets(other)
        ]

    def crossings(self) -> list[str]:
        """The texts that a line or a disc runs through."""
        found = [f"{line} through {one.text}" for line in self.lines() for one in self.labels if one.crossed(*line)]
        for x, y, radius in self.discs():
            near = (label for label in self.labels if np.hypot(*_outside(label, x, y)) < radius)
            found += [f"disc at {x}, {y} on {label.text}" for label in near]
        return found

    def outside(self) -> list[str]:
        """The texts that the picture's edge cuts."""
        return [
            f"{one.text} is cut"
            for one in self.labels
            if one.left < 0 or one.top < 0 or one.right > self.wide or one.bottom > self.high
        ]

    def lines(self) -> Iterator[tuple[Spot, Spot]]:
        """Straight pieces of all lines and curves."""
        for line in self.root.iter(f"{SVG}line"):
            a, b, c, d = (float(line.attrib[name]) for name in ("x1", "y1", "x2", "y2"))
            yield (a, b), (c, d)
        for path in self.root.iter(f"{SVG}path"):
            yield from pairwise(_course(path.attrib["d"]))

    def discs(self) -> Iterator[tuple[float, float, float]]:
        """Centre and radius of all discs."""
        for disc in self.root.iter(f"{SVG}circle"):
            yield float(disc.attrib["cx"]), float(disc.attrib["cy"]), float(disc.attrib["r"])


def _label(node: ElementTree.Element) -> Label:
    text, size = "".join(node.itertext()), float(node.attrib["font-size"])
    gap = sum(float(inner.get("dx", 0)) for inner in node)
    wide, high = width(text, size) + gap, 0.9 * size
    shift = {"start": 0.0, "middle": wide / 2, "end": wide}[node.get("text-anchor", "start")]
    if turned := re.match(r"translate\(([\d.-]+) ([\d.-]+)\) rotate\(-90\)", node.get("transform", "")):
        x, y = float(turned[1]), float(turned[2])
        return Label(text, x - high / 2, y + shift - wide, x + high / 2, y + shift)
    x, y = float(node.attrib["x"]), float(node.attrib["y"])
    return Label(text, x - shift, y - high / 2, x - shift + wide, y + high / 2)


def _course(path: str) -> list[Spot]:
    """Return the corners of a path of straight lines, or points of one quadratic curve."""
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", path)]
    spots = list(zip(numbers[::2], numbers[1::2], strict=True))
    if "Q" not in path:
        return spots
    start, bend, end = map(np.array, spots)
    parts = np.linspace(0, 1, 33)[:, None]
    course = (1 - parts) ** 2 * start + 2 * parts * (1 - parts) * bend + parts**2 * end
    return [(float(x), float(y)) for x, y in course]


def _outside(label: Label, x: float, y: float) -> Spot:
    return max(label.left - x, 0.0, x - label.right), max(label.top - y, 0.0, y - label.bottom)
