"""curve.svg: rating over checkpoints, with everybody else as a level to compare with."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import isotonic_regression

from tournament.ratings import PlayerRating
from tournament.report.checkpoints import Series, are_geometric
from tournament.report.drawing import COLOURS, Plot, nice, shortened, width
from tournament.report.figure import Cell, Figure

SHOWN = 20
"""levels of other players at most"""
LINE = 14.0
ROOM = 0.02
"""of the range of the numbers, on either side"""


def curve_figure(series: Sequence[Series], others: Sequence[PlayerRating], title: str) -> Figure:
    """Draw the curves with their bands; `others` are horizontal lines, those too many spread over the range."""
    levels = _some(others)
    every = [player for one in series for player in one.players]
    ends = [player.elo + reach for player in every for reach in (-player.minus, player.plus, 0.0)]
    ends = [end for end in (*ends, *(player.elo for player in levels)) if math.isfinite(end)]
    room = 0.05 * max(max(ends) - min(ends), 20.0)
    numbers = [number for one in series for number in one.numbers]
    geometric = are_geometric(numbers)
    names = [f"{shortened(player.name, 22)} {nice(player.elo)}" for player in levels]
    right = 30 + max((width(name, 11) for name in names), default=0)
    plot = Plot(
        (1000, 460),
        title,
        "Elo by the number at the end of the name; the band is the interval, dashed lines are other players",
        x=_with_room(min(numbers), max(numbers), geometric=geometric),
        y=(min(ends) - room, max(ends) + room),
        margins=(58, right, 46, 64),
        geometric=geometric,
    )
    plot.text((8, 16), title, size=13, kind="title")
    plot.y_axis("Elo")
    plot.x_axis(
        "number at the end of the name",
        at=sorted(set(numbers)) if geometric or len(set(numbers)) <= COLOURS * 2 else None,
    )
    _levels(plot, levels, names)
    for place, one in enumerate(series[:COLOURS]):
        _curve(plot, one, place)
    rows: list[tuple[Cell, ...]] = [
        (one.stem, number, player.name, player.elo, player.plus, player.minus)
        for one in series
        for number, player in zip(one.numbers, one.players, strict=True)
    ]
    rows += [("", None, player.name, player.elo, player.plus, player.minus) for player in others]
    return Figure("curve", plot.svg(), ("series", "number", "player", "elo", "plus", "minus"), rows)


def _with_room(low: float, high: float, *, geometric: bool) -> tuple[float, float]:
    """Return the range of an axis whose outermost points keep off its ends."""
    if geometric:
        factor = (high / low) ** ROOM
        return low / factor, high * factor
    return low - ROOM * (high - low), high + ROOM * (high - low)


def _curve(plot: Plot, one: Series, place: int) -> None:
    """Add the band, the line, the points, and the best of them; and the line of the legend."""
    spots = list(zip(one.numbers, one.players, strict=True))
    known = [(number, player) for number, player in spots if math.isfinite(player.plus + player.minus)]
    if known:
        above = [plot.spot(number, player.elo + player.plus) for number, player in known]
        below = [plot.spot(number, player.elo - player.minus) for number, player in reversed(known)]
        plot.path([*above, *below], kind=f"band fill{place}", closed=True)
    plot.path([plot.spot(number, player.elo) for number, player in spots], kind=f"line own{place}")
    radius = 3.0 if len(spots) <= 120 else 1.5
    for number, player in spots:
        told = f"{player.name}: {nice(player.elo)} +{nice(player.plus)} −{nice(player.minus)} Elo"
        plot.circle(plot.spot(number, player.elo), radius, kind=f"fill{place}", told=told)
    if one.best is not None:
        x, y = plot.spot(one.numbers[one.players.index(one.best)], one.best.elo)
        plot.add(f'<circle class="line own{place}" cx="{x:.1f}" cy="{y:.1f}" r="7"/>')
    legend = f"{one.stem}…  {shortened(one.said, 170 // COLOURS)}"
    at = plot.left + place * (plot.width - plot.left) / COLOURS
    plot.path([(at, 38), (at + 18, 38)], kind=f"line own{place}")
    plot.text((at + 24, 38), legend, size=11)


def _levels(plot: Plot, levels: Sequence[PlayerRating], names: Sequence[str]) -> None:
    """Add the lines of other players (falling), their names moved apart."""
    heights = np.array([plot.y(player.elo) for player in levels])
    steps = LINE * np.arange(len(levels))
    places = isotonic_regression(heights - steps).x + steps if len(levels) else heights
    places = places - max(0.0, float(places.max(initial=0.0)) - plot.bottom)
    for height, place, name in zip(heights.tolist(), places.tolist(), names, strict=True):
        plot.line((plot.left, height), (plot.right, height), kind="axis dashed")
        plot.line((plot.right, height), (plot.right + 10, place), kind="grid")
        plot.text((plot.right + 13, place), name, size=11, kind="muted")


def _some(others: Sequence[PlayerRating]) -> list[PlayerRating]:
    rated = [player for player in others if player.games and math.isfinite(player.elo)]
    if len(rated) <= SHOWN:
        return rated
    return [rated[round(place * (len(rated) - 1) / (SHOWN - 1))] for place in range(SHOWN)]  # the ends among them
