"""Pictures as SVG: a page of shapes, in one style for light and dark mode.

The same data give the same bytes. Names stay text, so that they can be searched and read aloud.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from html import escape

import numpy as np
from numpy.typing import NDArray

from fiedler.support.drawing.palette import STYLE, Colours, colour
from fiedler.support.drawing.png import png

Spot = tuple[float, float]


class Drawing:
    """A page of a given size in pixels; shapes lie in the order in which they are added."""

    def __init__(self, width: float, height: float, title: str, description: str = "") -> None:
        """`title` names the picture and `description` explains it, for screen readers."""
        self.width, self.height = width, height
        self._title, self._description = title, description
        self._parts: list[str] = []

    def add(self, markup: str) -> None:
        """Add SVG unchanged."""
        self._parts.append(markup)

    def include(self, other: Drawing) -> None:
        """Add the shapes of another drawing, at the same places."""
        self._parts += other._parts

    def text(
        self, at: Spot, text: str, *, size: float = 12, anchor: str = "start", kind: str = "", turned: bool = False
    ) -> None:
        """Add a line of text whose middle has the height of `at`; `turned` reads upwards."""
        x, y = at
        place = f' transform="translate({_n(x)} {_n(y)}) rotate(-90)"' if turned else f' x="{_n(x)}" y="{_n(y)}"'
        style = f' class="{kind}"' if kind else ""
        turn = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.add(f'<text{place} dy=".35em" font-size="{_n(size)}"{turn}{style}>{escape(text)}</text>')

    def rect(self, at: Spot, size: Spot, *, kind: str = "", fill: str = "", tooltip: str = "") -> None:
        """Add a rectangle from its top left corner; `tooltip` is shown under the pointer."""
        shape = f'x="{_n(at[0])}" y="{_n(at[1])}" width="{_n(size[0])}" height="{_n(size[1])}"'
        self._shape("rect", shape, kind, fill, tooltip)

    def circle(self, at: Spot, radius: float, *, kind: str = "", fill: str = "", tooltip: str = "") -> None:
        """Add a disc."""
        self._shape("circle", f'cx="{_n(at[0])}" cy="{_n(at[1])}" r="{_n(radius)}"', kind, fill, tooltip)

    def line(self, start: Spot, end: Spot, *, kind: str = "axis") -> None:
        """Add a straight line."""
        (a, b), (c, d) = start, end
        self._shape("line", f'x1="{_n(a)}" y1="{_n(b)}" x2="{_n(c)}" y2="{_n(d)}"', kind, "", "")

    def path(self, spots: Iterable[Spot], *, kind: str, closed: bool = False, tooltip: str = "") -> None:
        """Add straight lines from spot to spot."""
        course = "L".join(f"{_n(x)} {_n(y)}" for x, y in spots)
        self._shape("path", f'd="M{course}{"Z" if closed else ""}"', kind, "", tooltip)

    def cells(self, at: Spot, cell: float, colours: NDArray[np.uint8]) -> None:
        """Add a mosaic as one embedded picture; `colours` has shape (rows, columns, 4): red, green, blue, opacity."""
        rows, columns, _ = colours.shape
        picture = base64.b64encode(png(colours)).decode()
        self.add(
            f'<image x="{_n(at[0])}" y="{_n(at[1])}" width="{_n(cell * columns)}" height="{_n(cell * rows)}" '
            f'style="image-rendering:pixelated" preserveAspectRatio="none" href="data:image/png;base64,{picture}"/>'
        )

    def scale(self, at: Spot, colours: Colours, label: str, ends: tuple[str, str] = ("0 %", "100 %")) -> None:
        """Add a horizontal bar that explains the colours of numbers from 0 to 1."""
        x, y = at
        wide, parts = 160, 40
        for part in range(parts):
            place = (x + part * wide / parts, y - 5)
            self.rect(place, (wide / parts + 0.5, 10), fill=colour((part + 0.5) / parts, colours))
        self.text((x - 6, y), ends[0], size=11, anchor="end", kind="muted")
        self.text((x + wide + 6, y), f"{ends[1]}   {label}", size=11, kind="muted")

    def svg(self) -> str:
        """Return the document."""
        size = f'width="{_n(self.width)}" height="{_n(self.height)}"'
        about = f"<desc>{escape(self._description)}</desc>" if self._description else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="fig" role="img" aria-label="{escape(self._title)}" '
            f'viewBox="0 0 {_n(self.width)} {_n(self.height)}" {size}>\n<style>{STYLE}</style>\n{about}'
            f'<rect class="ground" {size}/>\n' + "\n".join(self._parts) + "\n</svg>\n"
        )

    def _shape(self, tag: str, shape: str, kind: str, fill: str, tooltip: str) -> None:
        style = (f' class="{kind}"' if kind else "") + (f' fill="{fill}"' if fill else "")
        inner = f"><title>{escape(tooltip)}</title></{tag}>" if tooltip else "/>"
        self.add(f"<{tag} {shape}{style}{inner}")


def _n(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
