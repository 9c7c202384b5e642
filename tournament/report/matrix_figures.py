"""crosstable.svg and los.svg: a cell for every two players, both sorted by rating."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fiedler.support.drawing import (
    SCORE_LINES,
    SCORES,
    Colours,
    Drawing,
    Spot,
    colour,
    ink_on,
    mosaic,
    shortened,
    width,
)
from fiedler.support.text import chance, whole_percent
from fiedler.tournament.report.figure import Figure
from fiedler.tournament.report.ranking import Ranking
from fiedler.tournament.report.statistics import Crosstable, Matrix

TEXT_UP_TO = 30
"""Most players with numbers in the cells; with more, cells have colours and tooltips."""
TEXT = 0.62
"""Width of a digit with its margin, in font sizes."""
READABLE = 8.0
"""Size of the text in a cell, in pixels, on a broad page."""
LABEL, LEAST = 11.0, 6.0
"""Size of names beside cells without text, and the least size of such a cell, in pixels."""

Pair = tuple[int, int]


def crosstable_figure(table: Crosstable, title: str) -> Figure:
    """Draw the crosstable: wins-draws-losses of the player on the left against the one above."""
    wins, draws, losses = (counts.tolist() for counts in (table.wins, table.draws, table.losses))

    def cell_text(i: int, j: int) -> str:
        return f"{wins[i][j]}-{draws[i][j]}-{losses[i][j]}"

    scores = table.scores
    met = [(int(i), int(j)) for i, j in np.argwhere(table.games > 0) if i != j]
    rows = [
        (table.names[i], table.names[j], wins[i][j], draws[i][j], losses[i][j], float(scores[i, j])) for i, j in met
    ]
    few = len(table.names) <= TEXT_UP_TO
    texts = {pair: cell_text(*pair) for pair in met}
    picture = _matrix(
        table.names, scores, texts if few else {}, title, "score of the player on the left", "empty pairs"
    )
    cells = {str(i * len(table.names) + j): text for (i, j), text in texts.items()}
    hover = {} if few else {"names": table.names, "cells": cells}
    return Figure("crosstable", picture, ("player", "opponent", "wins", "draws", "losses", "score"), rows, hover)


def los_figure(ranking: Ranking, title: str) -> Figure:
    """Draw the LOS: the probability that the player on the left is stronger than the one above."""
    names, los = ranking.names, ranking.rating.los()
    known = [(int(i), int(j)) for i, j in np.argwhere(np.isfinite(los)) if i != j]
    few = len(names) <= TEXT_UP_TO
    texts = {pair: chance(float(los[pair])) for pair in known} if few else {}
    picture = _matrix(names, los, texts, title, "likelihood that the player on the left is stronger")
    rows = [(names[i], names[j], float(los[i, j])) for i, j in known if i < j]
    hover = {} if few else {"names": names, "percent": _halves(los)}
    return Figure("los", picture, ("player", "opponent", "los"), rows, hover)


def _halves(los: Matrix) -> str:
    """Return the upper half of the matrix by rows, whole percent as letters from À on; a blank is unknown."""
    upper = los[np.triu_indices(len(los), 1)]
    return "".join(" " if math.isnan(value) else chr(0xC0 + whole_percent(value)) for value in upper.tolist())


@dataclass(frozen=True)
class _Grid:
    """The places and sizes of the cells of a matrix, and the sizes of their texts."""

    count: int
    cell: float
    font: float
    left: float
    top: float

    @property
    def side(self) -> float:
        """The breadth and height of all cells."""
        return self.cell * self.count

    def corner(self, row: int, column: int) -> Spot:
        """Return the top left corner of a cell."""
        return self.left + self.cell * column, self.top + self.cell * row

    def labelled(self, room: float) -> list[int]:
        """Return the places whose labels, `room` pixels each, do not overlap: all, or the first and round numbers."""
        step = next(step for step in (1, 5, 10, 25, 50, 100, 10**9) if step * self.cell >= room)
        rest = range(step - 1, self.count, step)
        return list(rest) if step == 1 else [0, *(place for place in rest if place * self.cell >= room)]


def _matrix(
    names: Sequence[str], values: Matrix, texts: Mapping[Pair, str], title: str, label: str, kind: str = "empty"
) -> str:
    labels = [f"{rank}  {shortened(name, 24)}" for rank, name in enumerate(names, start=1)]
    colours = SCORES if texts or _mostly_known(values) else SCORE_LINES
    grid = _grid(labels, texts)
    width_needed = max(grid.side + 16, 260 + width(label, 11))
    drawing = Drawing(grid.left + width_needed, grid.top + grid.side + 46, title, label)
    drawing.text((8, 16), title, size=13, kind="title")
    drawing.rect(grid.corner(0, 0), (grid.side, grid.side), kind=kind)
    _names(drawing, grid, labels)
    if texts:
        _cells(drawing, grid, values, texts, names)
    elif names:
        _mosaic(drawing, grid, values, colours)
    drawing.scale((grid.left + 30, grid.top + grid.side + 26), colours, label)
    return drawing.svg()


def _mostly_known(values: Matrix) -> bool:
    """Return whether most cells are filled: among them a pale middle is visible, single cells need strong colours."""
    return bool(np.isfinite(values).mean() > 0.5)


def _grid(labels: Sequence[str], texts: Mapping[Pair, str]) -> _Grid:
    count = max(1, len(labels))
    readable = min(TEXT * READABLE * max(map(len, texts.values()), default=1), 940 / count)
    cell = min(46.0, max(24.0, 700 / count, readable)) if texts else max(LEAST, 900 / count)
    font = min(12.0, cell) if texts else LABEL
    left = 14 + max((width(text, font) for text in labels), default=0)
    return _Grid(len(labels), cell, font, left, 34 + 2 * font)


def _names(drawing: Drawing, grid: _Grid, labels: Sequence[str]) -> None:
    """Add names on the left and numbers above, as far as there is room."""
    for place in grid.labelled(1.1 * grid.font):
        drawing.text(
            (grid.left - 6, grid.corner(place, 0)[1] + grid.cell / 2), labels[place], size=grid.font, anchor="end"
        )
    for place in grid.labelled(width(f"{grid.count} ", grid.font)):
        above = (grid.corner(0, place)[0] + grid.cell / 2, grid.top - 0.8 * grid.font)
        drawing.text(above, str(place + 1), size=grid.font, anchor="middle", kind="muted")


def _cells(drawing: Drawing, grid: _Grid, values: Matrix, texts: Mapping[Pair, str], names: Sequence[str]) -> None:
    """Add the cells with their texts."""
    cell = grid.cell
    size = min(11.0, cell / (TEXT * max(map(len, texts.values()))))
    for (i, j), text in texts.items():
        value, (x, y) = float(values[i, j]), grid.corner(i, j)
        tooltip = f"{names[i]} against {names[j]}: {text}"
        drawing.rect((x + 0.5, y + 0.5), (cell - 1, cell - 1), fill=colour(value), tooltip=tooltip)
        drawing.text((x + cell / 2, y + cell / 2), text, size=size, anchor="middle", kind=ink_on(value))


def _mosaic(drawing: Drawing, grid: _Grid, values: Matrix, colours: Colours) -> None:
    """Add the cells as one picture, a line after every ten players, and a cover that receives the pointer."""
    shown = values.copy()
    np.fill_diagonal(shown, np.nan)
    (left, top), side = grid.corner(0, 0), grid.side
    for place in range(10, grid.count, 10):
        x, y = grid.corner(place, place)
        drawing.line((x, top), (x, top + side), kind="grid")
        drawing.line((left, y), (left + side, y), kind="grid")
    drawing.cells((left, top), grid.cell, mosaic(shown, colours))
    cover = f'x="{left:.2f}" y="{top:.2f}" width="{side:.2f}" height="{side:.2f}"'
    drawing.add(f'<rect class="cover" fill="transparent" {cover}/>')
