"""The mean loss of each rule over the games, as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchmarks.pairing.setting import Duel
from benchmarks.pairing.summary import RuleSummary
from fiedler.support.drawing import Plot, nice, width

SIZE = (820.0, 460.0)
LEAST, MOST = 0.5, 100.0
"""The ends of the axis of losses, in Elo; others lie on them."""
ROUND = (1.0, 2.0, 5.0)
"""Numbers of the axes, times a power of ten."""
APART = 15.0
"""Least distance of two labels, in pixels."""

STYLES = {
    "goal": "own0",
    "posterior": "own2",
    "adaptive": "own3",
    "top-two": "own2 dashed",
    "asap": "own3 dashed",
    "run-games": "own1 dashed",
}
"""Colours of the rules; the others are grey. Those of ours have a full line."""


def loss_figure(found: Sequence[RuleSummary], setting: Duel) -> str:
    """Return the SVG: both axes are logarithmic; the lines of our rules are full."""
    title = f"Loss of the chosen player over the games: {len(setting.names)} players, {setting.truth}"
    about = "a line for each rule: true Elo that the chosen player lacks to the best, mean of the repetitions"
    lines = {one.name: one.line for one in found}
    first, last = min(line[0][0] for line in lines.values()), setting.games
    right = 24 + 1.1 * max(width(one.label, 11) for one in found)
    losses = math.log10(LEAST), math.log10(MOST)
    plot = Plot(SIZE, title, about, x=(first, last), y=losses, margins=(34, right, 46, 60), geometric=True)
    plot.text((8, 16), title, size=13, kind="title")
    for tick in round_numbers(LEAST, MOST):
        at = plot.y(math.log10(tick))
        plot.line((plot.left, at), (plot.right, at), kind="grid")
        plot.text((plot.left - 6, at), nice(tick, 1 if tick < 1 else 0), size=11, anchor="end", kind="muted")
    plot.text((14, (plot.top + plot.bottom) / 2), "loss in Elo", anchor="middle", kind="muted", turned=True)
    plot.x_axis("games", at=round_numbers(first, last))
    ends = {one.name: _height(plot, lines[one.name][-1][1]) for one in found}
    places = dict(zip(sorted(ends, key=lambda name: ends[name]), _spread(sorted(ends.values())), strict=True))
    for one in sorted(found, key=lambda one: one.ours):
        at = places[one.name]
        kind = STYLES.get(one.name, "axis dashed")
        spots = [(plot.x(games), _height(plot, loss)) for games, loss in lines[one.name]]
        plot.path(spots, kind=f"line {kind}", tooltip=one.label)
        plot.path([(plot.right, spots[-1][1]), (plot.right + 10, at)], kind=f"line thin {kind}")
        plot.text((plot.right + 14, at), one.label, size=11, kind="title" if one.ours else "")
    return plot.svg()


def round_numbers(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times the powers of ten within a range."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    every = [one * 10.0**power for power in powers for one in ROUND]
    return [number for number in every if low <= number <= high]


def _height(plot: Plot, loss: float) -> float:
    return plot.y(math.log10(min(max(loss, LEAST), MOST)))


def _spread(heights: Sequence[float]) -> list[float]:
    """Return heights at least `APART` from each other, in the same order, near the given ones and none far below."""
    found: list[float] = []
    for height in heights:
        found.append(max(height, found[-1] + APART) if found else height)
    lowest = max(heights) + APART / 2
    return [min(height, lowest - APART * below) for below, height in enumerate(reversed(found))][::-1]
