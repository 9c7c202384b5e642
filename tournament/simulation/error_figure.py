"""The errors of the methods as a picture, the most precise on top."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fiedler.support.drawing import Plot, nice, width
from fiedler.support.numbers import ROUNDED_Z95
from fiedler.tournament.simulation.trial import Summary

LINE = 20.0
"""Height of a line in pixels."""
ROUND = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0)
"""Numbers of the axis, times a power of ten."""


def error_figure(found: Sequence[Summary], title: str) -> str:
    """Return the SVG: the RMS error with its 95 % interval over the repetitions, and the predicted error."""
    ordered = sorted(found, key=lambda one: one.rms)
    low, high = _range(ordered)
    left = 20 + max(width(one.label, 12) for one in ordered)
    size = (max(760.0, left + 480), 84 + LINE * len(ordered))
    description = "dots: RMS error with its 95 % interval over the repetitions; upright strokes: the prediction"
    plot = Plot(size, title, description, x=(low, high), y=(0, 1), margins=(34, 56, 46, left), geometric=True)
    plot.text((8, 16), title, size=13, kind="title")
    round_numbers = _round_numbers(low, high)
    for tick in round_numbers:
        plot.line((plot.x(tick), plot.top), (plot.x(tick), plot.bottom), kind="grid")
    for place, one in enumerate(ordered):
        _line(plot, one, plot.top + LINE * (place + 0.7))
    plot.x_axis("RMS error in Elo; bars: 95 % interval, strokes: predicted", at=round_numbers)
    return plot.svg()


def _line(plot: Plot, one: Summary, y: float) -> None:
    plot.text((plot.left - 10, y), one.label, anchor="end")
    start, end = (plot.x(bound) for bound in _interval(one))
    plot.path([(start, y), (end, y)], kind="line own0")
    if math.isfinite(one.predicted):
        plot.path([(plot.x(one.predicted), y - 7), (plot.x(one.predicted), y + 7)], kind="line own1")
    tooltip = f"{one.label}: {nice(one.rms, 1)} Elo, predicted {nice(one.predicted, 1)}"
    plot.circle((plot.x(one.rms), y), 4.5, kind="fill0", tooltip=tooltip)
    furthest, words = max(end, plot.x(one.predicted) if math.isfinite(one.predicted) else end), nice(one.rms, 1)
    if one.posterior is not None:
        place, words = plot.x(one.posterior.rms), f"{words}, posterior {nice(one.posterior.rms, 1)}"
        coverage = f"{one.label}, posterior: {nice(one.posterior.rms, 1)} Elo, coverage {one.posterior.coverage:.2f}"
        plot.circle((place, y), 4.5, kind="fill2", tooltip=coverage)
        furthest = max(furthest, place)
    if one.chosen is not None:
        words = f"{words}, the chosen player lacks {nice(one.chosen.loss, 1)}"
    plot.text((furthest + 9, y), words, size=11)


def _interval(one: Summary) -> tuple[float, float]:
    """Return the bounds; the lower one stays above zero, which a logarithmic axis does not have."""
    reach = ROUNDED_Z95 * (one.rms_se or 0.0)
    return max(one.rms - reach, one.rms / 2), one.rms + reach


def _range(found: Sequence[Summary]) -> tuple[float, float]:
    bounds = [bound for one in found for bound in (*_interval(one), one.predicted) if math.isfinite(bound)]
    bounds += [one.posterior.rms for one in found if one.posterior is not None]
    return 0.95 * min(bounds), 1.05 * max(bounds)


def _round_numbers(low: float, high: float) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    every = [one * 10.0**power for power in powers for one in ROUND]
    return [number for number in every if low <= number <= high]
