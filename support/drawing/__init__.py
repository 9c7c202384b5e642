"""Pictures as SVG: shapes, plots with axes, colours, and numbers as text."""

from support.drawing.palette import (
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
from support.drawing.plot import Plot
from support.drawing.svg import Drawing, Spot
from support.drawing.texts import nice, short, shortened, width
from support.drawing.ticks import tick_texts, ticks

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
