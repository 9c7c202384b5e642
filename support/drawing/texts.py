"""Numbers and names as the text of a drawing."""

from __future__ import annotations

import math
import unicodedata


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
