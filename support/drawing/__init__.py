"""Pictures as SVG: shapes, plots with axes, colours, and numbers as text."""

from fiedler.support.drawing.palette import (
    COLOURS,
    RATINGS,
    SCORE_LINES,
    SCORES,
    SHARES,
    STYLE,
    Colours,
    colour,
    ink_on,
    mosaic,
)
from fiedler.support.drawing.plot import Plot
from fiedler.support.drawing.svg import Drawing, Spot
from fiedler.support.drawing.texts import nice, short, shortened, width
from fiedler.support.drawing.ticks import tick_texts, ticks

__all__ = [
    "COLOURS",
    "RATINGS",
    "SCORES",
    "SCORE_LINES",
    "SHARES",
    "STYLE",
    "Colours",
    "Drawing",
    "Plot",
    "Spot",
    "colour",
    "ink_on",
    "mosaic",
    "nice",
    "short",
    "shortened",
    "tick_texts",
    "ticks",
    "width",
]
