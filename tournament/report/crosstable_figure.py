"""crosstable.svg: the score of every player against every other one, both sorted by rating."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tournament.report.drawing import INK, MUTED, SCORES, shortened
from tournament.report.statistics import Crosstable

_TEXT_UP_TO = 64
"""Players up to which the cells hold numbers; beyond, colours alone can be read."""


def crosstable_figure(table: Crosstable, title: str) -> Figure:
    """Draw the crosstable as a heat map; cells say wins-draws-losses of the player on the left."""
    count = len(table.names)
    cell = 0.5 if count <= 14 else 0.42 if count <= _TEXT_UP_TO else 0.14
    side = cell * count
    figure = Figure(figsize=(side + 3.6, side + 1.0), layout="constrained")
    axes = figure.add_subplot()
    colours = mpl.colormaps[SCORES].with_extremes(bad="#f3f4f6")
    image = axes.imshow(np.ma.masked_invalid(table.scores), cmap=colours, vmin=0.0, vmax=1.0, aspect="equal")
    _label(axes, table)
    if count <= _TEXT_UP_TO:
        _write_cells(axes, table, 72 * cell)
    bar = figure.colorbar(image, ax=axes, shrink=min(1.0, 2.5 / side), aspect=14, pad=0.02)
    bar.set_label("score of the player on the left")
    bar.outline.set_visible(False)
    axes.set_title(title, loc="left", color=INK)
    return figure


def _label(axes: Axes, table: Crosstable) -> None:
    """Name the rows, number the columns, and separate the cells."""
    places = np.arange(len(table.names))
    names = [f"{shortened(name, 24)}  {rank}" for rank, name in enumerate(table.names, start=1)]
    size = 8.0 if len(table.names) <= _TEXT_UP_TO else 5.0
    axes.set_yticks(places, names, fontsize=size)
    axes.set_xticks(places, [str(rank) for rank in range(1, len(places) + 1)], fontsize=size)
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    axes.set_xticks(places[:-1] + 0.5, minor=True)
    axes.set_yticks(places[:-1] + 0.5, minor=True)
    axes.grid(which="minor", color="white", lw=0.8)
    axes.tick_params(which="minor", length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _write_cells(axes: Axes, table: Crosstable, room: float) -> None:
    """Write results into cells that are `room` points wide."""
    scores = table.scores
    places = [(int(i), int(j)) for i, j in np.argwhere(table.games > 0)]
    texts = [f"{table.wins[place]}-{table.draws[place]}-{table.losses[place]}" for place in places]
    size = min(8.0, room / (0.62 * max(map(len, texts), default=1)))
    for (i, j), text in zip(places, texts, strict=True):
        dark = abs(scores[i, j] - 0.5) > 0.35  # the ends of the colour scale
        axes.text(j, i, text, ha="center", va="center", fontsize=size, color="white" if dark else INK)
    for i in range(len(table.names)):
        axes.plot(i, i, marker="x", ms=3, color=MUTED, alpha=0.5)
