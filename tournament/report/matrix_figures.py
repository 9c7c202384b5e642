"""crosstable.svg and los.svg: a cell for every two players, both sorted by rating."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from tournament.report.drawing import SCORES, Drawing, colour, ink_on, mosaic, shortened, width
from tournament.report.figure import Figure
from tournament.report.ranking import Ranking
from tournament.report.statistics import Crosstable, Matrix
from tournament.words import chance, whole_percent

TEXT_UP_TO = 30
"""Players up to which the cells hold numbers; beyond, colours tell, and the page says more under the pointer."""
TEXT = 0.62
"""breadth of a digit, in font sizes, with what keeps it off the cell's edges"""
READABLE = 8.0
"""pixels, the size of the text in a cell, where the page is broad enough"""


def crosstable_figure(table: Crosstable, title: str) -> Figure:
    """Draw the crosstable: wins-draws-losses of the player on the left against the one above."""
    wins, draws, losses = (counts.tolist() for counts in (table.wins, table.draws, table.losses))

    def said(i: int, j: int) -> str:
        return f"{wins[i][j]}-{draws[i][j]}-{losses[i][j]}"

    scores = table.scores
    picture = _matrix(table.names, scores, said, title, "score of the player on the left")
    met = [(int(i), int(j)) for i, j in np.argwhere(table.games > 0) if i != j]
    rows = [
        (table.names[i], table.names[j], wins[i][j], draws[i][j], losses[i][j], float(scores[i, j])) for i, j in met
    ]
    hover = {} if len(table.names) <= TEXT_UP_TO else {"names": table.names, "cells": {}}
    if hover:
        hover["cells"] = {str(i * len(table.names) + j): said(i, j) for i, j in met}
    return Figure("crosstable", picture, ("player", "opponent", "wins", "draws", "losses", "score"), rows, hover)


def los_figure(ranking: Ranking, title: str) -> Figure:
    """Draw how likely it is that the player on the left is stronger than the one above."""
    names, los = ranking.names, ranking.rating.los()
    picture = _matrix(
        names, los, lambda i, j: chance(float(los[i, j])), title, "likelihood that the player on the left is stronger"
    )
    known = [(int(i), int(j)) for i, j in np.argwhere(np.isfinite(los)) if i < j]
    rows = [(names[i], names[j], float(los[i, j])) for i, j in known]
    hover = {} if len(names) <= TEXT_UP_TO else {"names": names, "percent": _halves(los)}
    return Figure("los", picture, ("player", "opponent", "los"), rows, hover)


def _halves(los: Matrix) -> str:
    """Return the upper half of the matrix by rows, whole percent as letters from À on; a blank is not known."""
    upper = los[np.triu_indices(len(los), 1)]
    return "".join(" " if math.isnan(value) else chr(0xC0 + whole_percent(value)) for value in upper.tolist())


def _matrix(names: Sequence[str], values: Matrix, said: Callable[[int, int], str], title: str, label: str) -> str:
    count = len(names)
    known = [(int(i), int(j)) for i, j in np.argwhere(np.isfinite(values))]
    texts = {place: said(*place) for place in known} if count <= TEXT_UP_TO else {}
    longest = max(map(len, texts.values()), default=1)
    readable = min(TEXT * READABLE * longest, 940 / max(count, 1))
    cell = min(46.0, max(24.0, 700 / max(count, 1), readable)) if texts else max(9.5, 900 / max(count, 1))
    size = min(11.0, cell / (TEXT * longest)) if texts else 0.0
    font = min(12.0, cell)
    labels = [f"{rank}  {shortened(name, 24)}" for rank, name in enumerate(names, start=1)]
    left, top = 14 + max((width(text, font) for text in labels), default=0), 34 + 2 * font
    side = cell * count
    legend = 260 + width(label, 11)
    drawing = Drawing(left + max(side + 16, legend), top + side + 40, title, label)
    drawing.text((8, 16), title, size=13, kind="title")
    drawing.rect((left, top), (side, side), kind="empty")
    step = max(1, math.ceil(width(str(count), font) / cell))
    for place, text in enumerate(labels):
        middle = cell * (place + 0.5)
        drawing.text((left - 6, top + middle), text, size=font, anchor="end")
        if place % step == 0:
            drawing.text((left + middle, top - font * 0.8), str(place + 1), size=font, anchor="middle", kind="muted")
    if texts:
        for (i, j), text in texts.items():
            value = float(values[i, j])
            at = (left + cell * j, top + cell * i)
            told = f"{names[i]} against {names[j]}: {text}"
            drawing.rect((at[0] + 0.5, at[1] + 0.5), (cell - 1, cell - 1), fill=colour(value), told=told)
            drawing.text((at[0] + cell / 2, at[1] + cell / 2), text, size=size, anchor="middle", kind=ink_on(value))
    elif count:
        shown = values.copy()
        np.fill_diagonal(shown, np.nan)
        drawing.cells((left, top), cell, mosaic(shown))
        cover = f'x="{left:.2f}" y="{top:.2f}" width="{side:.2f}" height="{side:.2f}"'
        drawing.add(f'<rect class="cover" fill="transparent" {cover}/>')
    drawing.scale((left + 30, top + side + 22), SCORES, label)
    return drawing.svg()
