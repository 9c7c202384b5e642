"""Making figures: one style, no global state of matplotlib's, the same bytes for the same data."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

Draw = Callable[[], Figure]

INK, MUTED, ACCENT = "#1f2328", "#8b949e", "#1f5fa8"
SCORES = "RdYlBu"
"""Colours of areas for a score from 0 to 1; readable with the usual colour blindnesses."""
SCORE_LINES = ("#b2182b", "#e08214", "#a9adb3", "#4393c3", "#08519c")
"""The same for lines, which a pale middle would hide."""


def svg(draw: Draw, name: str) -> str:
    """Return a figure as SVG. `name` keeps the ids of several figures in one page apart."""
    with _style(name):
        text = io.StringIO()
        draw().savefig(text, format="svg", bbox_inches="tight", dpi=144, metadata={"Date": None, "Creator": "Fiedler"})
    return text.getvalue()


@contextmanager
def _style(name: str) -> Iterator[None]:
    style = mpl.rc_context(
        {
            "svg.hashsalt": name,
            "svg.fonttype": "none",  # names stay text: small files that can be searched
            "text.parse_math": False,  # a $ in a name is a $
            "font.size": 9.0,
            "axes.titlesize": 10.0,
            "axes.spines.top": False,
            "axes.spines.right": False,
        }
    )
    with style, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the reader's fonts may well have it
        yield


def shortened(name: str, length: int = 28) -> str:
    """Cut a long name in the middle: beginnings and endings tell checkpoints apart."""
    if len(name) <= length:
        return name
    head = (length - 1) // 2
    return f"{name[:head]}…{name[-(length - 1 - head) :]}"


def nice(value: float, digits: int = 0) -> str:
    """Return a number for people, with a real minus sign; a question mark for one that is not known."""
    return f"{value:.{digits}f}".replace("-", "−") if np.isfinite(value) else "?"
