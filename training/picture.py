"""The picture of a run: a panel for each loss, by iteration, as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from support.drawing import Drawing, Plot, Spot, short, ticks
from support.files import write_whole
from support.text import duration
from training.entry import Entry
from training.recipe import Recipe

WIDE, LEFT, RIGHT = 900.0, 68.0, 24.0
HEAD, PANEL, BELOW = 44.0, 150.0, 60.0
"""Heights in pixels: the title, the lines of a panel, and the axis below it."""
MOST_POINTS = 600
"""Most corners of a line: more cannot be seen."""
ROOM = 0.05
"""Room above and below a line, as a share of the range of its numbers."""


def write_picture(path: Path, recipe: Recipe, log: Sequence[Entry]) -> None:
    """Write the picture of a run that has at least one finished iteration.

    Raises:
        WorkError: The file cannot be written.
    """
    write_whole(path, picture(recipe, log))


def picture(recipe: Recipe, log: Sequence[Entry]) -> str:
    """Return the SVG. The same log gives the same bytes."""
    last, losses = log[-1], log[-1].losses
    done = f"{last.iteration} of {recipe.iterations} iterations, {duration(last.seconds)}"
    high = HEAD + len(losses) * (PANEL + BELOW)
    page = Drawing(WIDE, high, f"{recipe.name}: progress", f"the losses by iteration; {done}")
    page.text((8, 18), f"{recipe.name}: {recipe.system}, {recipe.game}", size=13, kind="title")
    page.text((WIDE - 8, 18), done, size=11, anchor="end", kind="muted")
    for place, (name, loss) in enumerate(losses.items()):
        points = [(float(entry.iteration), entry.losses[name]) for entry in log]
        panel = Panel(high, place, points)
        unit = last.loss_units.get(name, "")
        panel.axes(f"{name} loss{f', {unit}' if unit else ''}")
        panel.curve(points, f"{name} loss after iteration {last.iteration}: {short(loss, 3)}")
        page.include(panel)
    return page.svg()


class Panel(Plot):
    """One of the plots, which lie one below the other."""

    def __init__(self, high: float, place: int, points: Iterable[Spot]) -> None:
        """Fit its ranges to the points; `high` is the height of the page, `place` counts the panels above."""
        known = [spot for spot in points if math.isfinite(spot[1])] or [(1.0, 0.0)]
        iterations, values = zip(*known, strict=True)
        room = ROOM * (max(values) - min(values)) or abs(values[0]) / 2 or 1.0
        above = HEAD + place * (PANEL + BELOW)
        self.iterations = (min(iterations) - 0.5, max(iterations) + 0.5)
        super().__init__(
            (WIDE, high),
            "",
            x=self.iterations,
            y=(min(values) - room, max(values) + room),
            margins=(above, RIGHT, high - above - PANEL, LEFT),
        )

    def axes(self, label: str) -> None:
        """Add both axes."""
        self.y_axis(label)
        self.x_axis("iteration", at=[mark for mark in ticks(*self.iterations) if mark.is_integer()])

    def curve(self, points: Sequence[Spot], tooltip: str) -> None:
        """Add a line, which ends in a disc."""
        known = thinned([spot for spot in points if math.isfinite(spot[1])])
        if not known:
            return
        self.path([self.spot(*spot) for spot in known], kind="line own0")
        self.circle(self.spot(*known[-1]), 3, kind="fill0", tooltip=tooltip)


def thinned(points: Sequence[Spot]) -> list[Spot]:
    """Return at most MOST_POINTS points, evenly spread, with both ends."""
    if len(points) <= MOST_POINTS:
        return list(points)
    return [points[round(place * (len(points) - 1) / (MOST_POINTS - 1))] for place in range(MOST_POINTS)]
