"""The numbers along an axis."""

from __future__ import annotations

import math
from collections.abc import Iterable

from fiedler.support.drawing.texts import short


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
