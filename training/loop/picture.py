"""The picture of a run, by iteration, as SVG.

A panel for each loss and curve, one for the ratings of the ladder, one for the level of the opponent, and one for the
strength.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from fiedler.support.drawing import COLOURS, Drawing, Plot, Spot, short, shortened, ticks, width
from fiedler.support.files import write_whole
from fiedler.support.text import counted, duration
from fiedler.training.recipe.entry import Entry, OpponentMatch, Strength
from fiedler.training.recipe.recipe import Recipe

WIDE, LEFT, RIGHT = 900.0, 68.0, 24.0
HEAD, LOSS, STRENGTH, BELOW = 44.0, 150.0, 220.0, 60.0
"""Heights in pixels: the title, the lines of a panel of each kind, and the axis below it."""
LEGEND, NAME, SWATCH = 16.0, 36, 24.0
"""The height of a row of names, the longest name in characters, and the line before it in pixels."""
LABEL, OPPONENT = 16, 50
"""The longest label of the levels, and the longest opponent, in characters."""
MOST_POINTS = 600
"""Most corners of a line: more cannot be seen."""
ROOM = 0.05
"""Room above and below a line, as a share of the range of its numbers."""


class Rung(NamedTuple):
    """The rating of a checkpoint in the ladder, with its 95 % interval, in Elo."""

    iteration: int
    elo: float
    low: float
    high: float


def write_picture(path: Path, recipe: Recipe, log: Sequence[Entry], rungs: Sequence[Rung] = ()) -> None:
    """Write the picture of a run that has at least one finished iteration; `rungs` are its ratings so far.

    Raises:
        WorkError: The file cannot be written.
    """
    write_whole(path, picture(recipe, log, rungs))


def picture(recipe: Recipe, log: Sequence[Entry], rungs: Sequence[Rung] = ()) -> str:
    """Return the SVG. The same log and ratings give the same bytes."""
    last = log[-1]
    done = f"{last.iteration} of {counted(recipe.iterations, 'iteration')}, {duration(last.seconds)}"
    legends = _legends(log)
    names = LEGEND * (1 + max((row for row, *_ in legends.values()), default=-1))
    curves, matches = _curves(log), _matches(log)
    high = HEAD + len(curves) * (LOSS + BELOW) + (STRENGTH + BELOW + names if legends else 0)
    high += (LEGEND + LOSS + BELOW if matches else 0) + (LOSS + BELOW if rungs else 0)
    page = Drawing(WIDE, high, f"{recipe.name}: progress", f"losses and strength by iteration; {done}")
    page.text((8, 18), f"{recipe.name}: {recipe.system}, {recipe.game}", size=13, kind="title")
    page.text((WIDE - 8, 18), done, size=11, anchor="end", kind="muted")
    top = HEAD
    for label, points in curves.items():
        page.include(_panel(high, top, label, points, log))
        top += LOSS + BELOW
    if rungs:
        page.include(_ladder_panel(high, top, rungs, log))
        top += LOSS + BELOW
    if matches:
        page.include(_level_panel(high, top + LEGEND, matches, log))
        top += LEGEND + LOSS + BELOW
    if legends:
        page.include(_strength_panel(high, top, names, log, legends))
    return page.svg()


class Panel(Plot):
    """One of the plots, which lie one below the other, over the iterations of a log."""

    def __init__(self, high: float, top: float, lines: float, log: Sequence[Entry], values: Spot) -> None:
        """`high` is the height of the page, `lines` that of the plot, both in pixels; `values` the range of the y."""
        self.iterations = (log[0].iteration - 0.5, log[-1].iteration + 0.5)
        margins = (top, RIGHT, high - top - lines, LEFT)
        super().__init__((WIDE, high), "", x=self.iterations, y=values, margins=margins)

    def axes(self, label: str, *, percent: bool = False) -> None:
        """Add both axes."""
        self.y_axis(label, percent=percent)
        self.x_axis("iteration", at=[mark for mark in ticks(*self.iterations) if mark.is_integer()])

    def curve(self, points: Iterable[Spot], kind: str) -> None:
        """Add a line through the points, if there are any."""
        if known := thinned([spot for spot in points if math.isfinite(spot[1])]):
            self.path([self.spot(*spot) for spot in known], kind=f"line {kind}")

    def disc(self, at: Spot, kind: str, tooltip: str) -> None:
        """Add a disc at a point, with the point's numbers as text."""
        if math.isfinite(at[1]):
            self.circle(self.spot(*at), 3, kind=kind, tooltip=tooltip)

    def triangle(self, at: Spot, kind: str, tooltip: str = "") -> None:
        """Add a triangle around a place in pixels."""
        x, y = at
        self.path([(x - 5, y + 4), (x + 5, y + 4), (x, y - 5)], kind=kind, closed=True, tooltip=tooltip)


def thinned(points: Sequence[Spot]) -> list[Spot]:
    """Return at most MOST_POINTS points, evenly spread, with both ends."""
    if len(points) <= MOST_POINTS:
        return list(points)
    return [points[round(place * (len(points) - 1) / (MOST_POINTS - 1))] for place in range(MOST_POINTS)]


def _curves(log: Sequence[Entry]) -> dict[str, list[Spot]]:
    """Return the losses and the further curves that have numbers: the label -> a point for each iteration."""
    last, found = log[-1], dict[str, list[Spot]]()
    for name in last.losses:
        unit = last.loss_units.get(name, "")
        label = f"{name} loss{f', {unit}' if unit else ''}"
        found[label] = [(float(entry.iteration), entry.losses[name]) for entry in log]
    for name, label in last.curves.items():
        points = [(float(entry.iteration), getattr(entry, name)) for entry in log]
        if known := [(iteration, float(value)) for iteration, value in points if value is not None]:
            found[label] = known
    return found


def _panel(high: float, top: float, label: str, points: Sequence[Spot], log: Sequence[Entry]) -> Panel:
    values = [value for _, value in points if math.isfinite(value)] or [0.0]
    room = ROOM * (max(values) - min(values)) or abs(values[0]) / 2 or 1.0
    panel = Panel(high, top, LOSS, log, (min(values) - room, max(values) + room))
    panel.axes(label)
    panel.curve(points, "own0")
    iteration, value = points[-1]
    panel.disc(points[-1], "fill0", f"{label} after iteration {iteration:.0f}: {short(value, 3)}")
    return panel


def _ladder_panel(high: float, top: float, rungs: Sequence[Rung], log: Sequence[Entry]) -> Panel:
    low, most = min(one.low for one in rungs), max(one.high for one in rungs)
    room = ROOM * (most - low) or 1.0
    panel = Panel(high, top, LOSS, log, (low - room, most + room))
    panel.axes("Elo in the ladder")
    above = [panel.spot(one.iteration, one.high) for one in rungs]
    below = [panel.spot(one.iteration, one.low) for one in reversed(rungs)]
    panel.path([*above, *below], kind="band fill0", closed=True)
    panel.curve([(float(one.iteration), one.elo) for one in rungs], "own0")
    for one in rungs:
        tooltip = f"{one.elo:.0f} Elo ({one.low:.0f} to {one.high:.0f}) after iteration {one.iteration}"
        panel.disc((float(one.iteration), one.elo), "fill0", tooltip)
    return panel


Matches = dict[int, OpponentMatch]
"""Matches by their iterations."""


def _matches(log: Sequence[Entry]) -> Matches:
    """Return the matches against the opponent of the newest one: levels of another one have another unit."""
    found = {entry.iteration: entry.opponent for entry in log if entry.opponent is not None}
    kinds = [(one.against, one.option) for one in found.values()]
    return {at: one for (at, one), kind in zip(found.items(), kinds, strict=True) if kind == kinds[-1]}


def _level_panel(high: float, top: float, matches: Matches, log: Sequence[Entry]) -> Panel:
    last = list(matches.values())[-1]
    panel = Panel(high, top, LOSS, log, (0, (1 + ROOM) * max(one.next for one in matches.values())))
    panel.axes(shortened(last.option, LABEL))
    steps = [(float(at), float(height)) for at, one in matches.items() for height in (one.level, one.next)]
    panel.path([panel.spot(*step) for step in steps], kind="line own0")
    for at, one in matches.items():
        spot, tooltip = (float(at), float(one.level)), f"{one.text()}, after iteration {at}"
        if one.clean:
            panel.triangle(panel.spot(*spot), "fill1", tooltip)
        else:
            panel.disc(spot, "fill0", tooltip)
    x, y = LEFT, top - LEGEND / 2
    panel.triangle((x + 6, y), "fill1")
    panel.text((x + SWATCH, y), "every game won", size=11)
    panel.circle((x + 156, y), 3, kind="fill0")
    panel.text((x + 150 + SWATCH, y), "other results", size=11)
    panel.text((WIDE - RIGHT, y), f"against {shortened(last.against, OPPONENT)}", size=11, anchor="end", kind="muted")
    return panel


Legends = dict[str, tuple[int, float, str]]
"""The reference -> the row of its name, its distance from the left in pixels, and the text."""


def _legends(log: Sequence[Entry]) -> Legends:
    """Return the references in the order of the log, their texts side by side while there is room."""
    latest: dict[str, Strength] = {}
    for entry in log:
        latest.update(entry.strength)
    found, row, at = Legends(), 0, 0.0
    for name, strength in latest.items():
        text = f"{shortened(name, NAME)}: {strength.text()}"
        wide = width(text, 11) + SWATCH + 24
        if at and at + wide > WIDE - LEFT - RIGHT:
            row, at = row + 1, 0.0
        found[name] = (row, at, text)
        at += wide
    return found


def _strength_panel(high: float, top: float, names: float, log: Sequence[Entry], legends: Legends) -> Panel:
    panel = Panel(high, top + names, STRENGTH, log, (-0.02, 1.02))
    panel.axes("score, 95 % interval", percent=True)
    for place, (name, (row, at, text)) in enumerate(legends.items()):
        own, fill = f"own{place % COLOURS}", f"fill{place % COLOURS}"
        dashed = " dashed" if place // COLOURS % 2 else ""
        played = [(float(entry.iteration), entry.strength[name]) for entry in log if name in entry.strength]
        above = [panel.spot(iteration, one.high) for iteration, one in played]
        below = [panel.spot(iteration, one.low) for iteration, one in reversed(played)]
        if len(played) > 1:
            panel.path([*above, *below], kind=f"band {fill}", closed=True)
        else:
            panel.line(above[0], below[0], kind=f"line {own}")
        panel.curve([(iteration, one.score) for iteration, one in played], own + dashed)
        for iteration, one in played:
            tooltip = f"{one.text()} against {name} after iteration {iteration:.0f}, {counted(one.games, 'game')}"
            panel.disc((iteration, one.score), fill, tooltip)
        x, y = LEFT + at, top - 4 + LEGEND * row
        panel.path([(x, y), (x + SWATCH - 6, y)], kind=f"line {own}{dashed}")
        panel.text((x + SWATCH, y), text, size=11)
    return panel
