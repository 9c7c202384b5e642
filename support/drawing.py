"""Pictures as SVG: a page of shapes, and a plot with axes on it, in one style for light and dark mode.

The same data give the same bytes. Names stay text, so that they can be searched and read aloud.
"""

from __future__ import annotations

import base64
import math
import struct
import unicodedata
import zlib
from collections.abc import Iterable, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

STYLE = """\
.fig text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:#1f2328}
.fig .ground{fill:#fff}
.fig .muted{fill:#59636e}
.fig .title{font-weight:600}
.fig .halo{stroke:#fff;stroke-width:3px;stroke-linejoin:round;paint-order:stroke}
.fig .grid{stroke:#d8dee4;stroke-width:1;fill:none}
.fig .axis{stroke:#8b949e;stroke-width:1;fill:none}
.fig .dashed{stroke-dasharray:5 4}
.fig .line{fill:none;stroke-width:2;stroke-linejoin:round}
.fig .thin{stroke-width:1.2;stroke-opacity:.55}
.fig .empty{fill:#f0f2f5}
.fig .wood{fill:#f6efe0;stroke:#b9ab8c;stroke-width:.6}
.fig .black{fill:#1f2328;stroke:#1f2328}
.fig .white{fill:#fff;stroke:#1f2328}
.fig .own0{stroke:#1f5fa8}.fig .fill0{fill:#1f5fa8}
.fig .own1{stroke:#c2410c}.fig .fill1{fill:#c2410c}
.fig .own2{stroke:#15803d}.fig .fill2{fill:#15803d}
.fig .own3{stroke:#7e22ce}.fig .fill3{fill:#7e22ce}
.fig .band{opacity:.18}
.fig .disc{stroke:#fff;stroke-width:1.5}
.fig text.on-light{fill:#1f2328}
.fig text.on-dark{fill:#fff}
@media screen and (prefers-color-scheme:dark){
.fig text{fill:#e6edf3}
.fig .ground{fill:#0d1117}
.fig .muted{fill:#9198a1}
.fig .halo,.fig .disc{stroke:#0d1117}
.fig .grid{stroke:#262c36}
.fig .axis{stroke:#6e7681}
.fig .empty{fill:#161b22}
.fig .own0{stroke:#58a6ff}.fig .fill0{fill:#58a6ff}
.fig .own1{stroke:#f0883e}.fig .fill1{fill:#f0883e}
.fig .own2{stroke:#56d364}.fig .fill2{fill:#56d364}
.fig .own3{stroke:#d2a8ff}.fig .fill3{fill:#d2a8ff}
}
"""
COLOURS = 4
"""Series with a colour of their own: `own0` … and `fill0` …"""

SCORES = ((178, 24, 43), (244, 165, 130), (231, 224, 208), (146, 197, 222), (33, 102, 172))
"""Colours of areas for a score from 0 to 1; readable with the usual colour blindnesses."""
SCORE_LINES = ((200, 36, 52), (224, 130, 20), (150, 156, 164), (67, 147, 195), (42, 108, 188))
"""The same for lines and for single cells, which a pale middle would hide; visible on white and on black."""
SHARES = ((240, 242, 245), (190, 214, 238), (107, 165, 216), (31, 95, 168))
"""Colours of areas for a share from 0 to 1."""

RATINGS = ((109, 93, 178), (52, 131, 196), (42, 166, 142), (120, 184, 74), (233, 178, 36))
"""Colours of discs for ratings from the lowest to the highest, visible on white and on black."""

Colours = Sequence[tuple[int, int, int]]
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
        picture = base64.b64encode(_png(colours)).decode()
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


class Plot(Drawing):
    """A drawing with a rectangle of numbers on it, y growing upwards."""

    def __init__(
        self,
        size: Spot,
        title: str,
        description: str = "",
        *,
        x: Spot,
        y: Spot,
        margins: tuple[float, float, float, float] = (16, 24, 46, 60),
        geometric: bool = False,
    ) -> None:
        """`x` and `y` are ranges; `margins` in pixels are above, right, below, left; `geometric` is a logarithmic x."""
        super().__init__(*size, title, description)
        self.top, right, below, self.left = margins
        self.right, self.bottom = size[0] - right, size[1] - below
        self._x, self._y, self._geometric = x, y, geometric

    def x(self, value: float) -> float:
        """Return the distance of a number from the left, in pixels."""
        low, high = self._x
        if self._geometric:
            value, low, high = math.log(value), math.log(low), math.log(high)
        return self.left + (value - low) / ((high - low) or 1.0) * (self.right - self.left)

    def y(self, value: float) -> float:
        """Return the distance of a number from the top, in pixels."""
        low, high = self._y
        return self.bottom - (value - low) / ((high - low) or 1.0) * (self.bottom - self.top)

    def spot(self, x: float, y: float) -> Spot:
        """Return the place of a point."""
        return self.x(x), self.y(y)

    def y_axis(self, label: str, *, percent: bool = False) -> None:
        """Add horizontal lines with their numbers and the label."""
        for tick, text in tick_texts(ticks(*self._y), percent=percent):
            self.line((self.left, self.y(tick)), (self.right, self.y(tick)), kind="grid")
            self.text((self.left - 6, self.y(tick)), text, size=11, anchor="end", kind="muted")
        self.text((14, (self.top + self.bottom) / 2), label, anchor="middle", kind="muted", turned=True)

    def x_axis(self, label: str, *, percent: bool = False, at: Iterable[float] | None = None) -> None:
        """Add the line below with its numbers and the label."""
        self.line((self.left, self.bottom), (self.right, self.bottom))
        free = -math.inf
        for tick, text in tick_texts(ticks(*self._x) if at is None else at, percent=percent):
            half = width(text, 11) / 2
            if self.x(tick) - half < free:
                continue
            free = self.x(tick) + half + 6
            self.line((self.x(tick), self.bottom), (self.x(tick), self.bottom + 4))
            self.text((self.x(tick), self.bottom + 14), text, size=11, anchor="middle", kind="muted")
        self.text(((self.left + self.right) / 2, self.bottom + 34), label, anchor="middle", kind="muted")


def ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Return round numbers within a range."""
    span = (high - low) or 1.0
    step = 10.0 ** math.floor(math.log10(span / about))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (factor * step) <= about)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def tick_texts(marks: Iterable[float], *, percent: bool = False) -> list[tuple[float, str]]:
    """Return the numbers of an axis with their texts; different numbers have different texts."""
    found = sorted(set(marks))
    for digits in range(6, 18):
        texts = [f"{short(100 * mark, digits)} %" if percent else short(mark, digits) for mark in found]
        if len(set(texts)) == len(texts):
            break
    return list(zip(found, texts, strict=True)) if found else []


def colour(value: float, colours: Colours = SCORES) -> str:
    """Return the colour of a number from 0 to 1, between those listed."""
    return "#{:02x}{:02x}{:02x}".format(*_mixed(value, colours))


def mosaic(values: NDArray[np.float64], colours: Colours = SCORES) -> NDArray[np.uint8]:
    """Return the colours of a matrix of numbers from 0 to 1, shape (rows, columns, 4); transparent for nan."""
    known = np.isfinite(values)
    stops = np.array(colours, dtype=np.float64)
    place = np.clip(np.nan_to_num(values), 0, 1) * (len(stops) - 1)
    made = [np.interp(place, np.arange(len(stops)), stops[:, channel]) for channel in range(3)]
    return np.stack([*made, np.where(known, 255, 0)], axis=2).round().astype(np.uint8)


def _mixed(value: float, colours: Colours) -> list[int]:
    return [int(channel) for channel in mosaic(np.array([[value]]), colours)[0, 0, :3]]


def ink_on(value: float) -> str:
    """Return the class of text on the colour of a score."""
    return "on-dark" if abs(value - 0.5) > 0.35 else "on-light"


def width(text: str, size: float) -> float:
    """Return the approximate width of a text in pixels, in the broadest of the readers' fonts."""
    return sum(map(_breadth, text)) * size


def _breadth(sign: str) -> float:
    if unicodedata.east_asian_width(sign) in "WF" or sign in "mwMW@%…":
        return 1.0
    if sign in "ijlI.,:;'|! ()[]/-tfr":
        return 0.41
    return 0.75 if sign.isupper() else 0.63


def shortened(name: str, length: int = 28) -> str:
    """Cut a long name in the middle: checkpoints differ at the beginning or the end."""
    if len(name) <= length:
        return name
    head = (length - 1) // 2
    return f"{name[:head]}…{name[-(length - 1 - head) :]}"


def nice(value: float, digits: int = 0) -> str:
    """Return a number as text, with a real minus sign; a question mark for an unknown one."""
    if not math.isfinite(value):
        return "?"
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if not float(text) else text.replace("-", "−")


def short(value: float, digits: int = 6) -> str:
    """Return a number of an axis as text: no trailing zeros, thousands and millions in words."""
    for least, unit, sign in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if abs(value) >= least:
            return f"{value / unit:.{digits}g}{sign}".replace("-", "−")
    return f"{value:.{digits}g}".replace("-", "−")


def _n(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """Return a PNG file (RFC 2083) of pixels of shape (rows, columns, 4)."""
    rows, columns, _ = pixels.shape
    lines = b"".join(b"\0" + line.tobytes() for line in np.ascontiguousarray(pixels))
    header = struct.pack(">IIBBBBB", columns, rows, 8, 6, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    packed = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)
