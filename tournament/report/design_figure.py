"""The picture of a design before the first game: the pairs and their numbers of games."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fiedler.support.drawing import RATINGS, colour, nice, shortened
from fiedler.support.text import counted
from fiedler.tournament.graph import Design
from fiedler.tournament.graph.spectrum import Array, adjacency, laplacian
from fiedler.tournament.report.graph_drawing import Disc, Legend, Line, draw_graph

Places = NDArray[np.intp]


def design_figure(made: Design, elo: Sequence[float] | None = None) -> str:
    """Return SVG: players around a circle, by the prior ratings; the more games, the wider an edge.

    Without prior ratings players that meet are near each other.
    """
    known = elo is not None and float(np.ptp(elo)) > 0
    believed = np.array(elo if known else np.zeros(len(made.names)), dtype=np.float64)
    order = np.argsort(-believed, kind="stable") if known else _around(adjacency(len(made.names), made.edges))
    low, high = float(believed.min()), float(believed.max())
    legends = [Legend(RATINGS, "Elo believed before", (nice(low), nice(high)))] if known else []
    games = np.zeros(len(made.names))
    for (i, j), count in zip(made.edges, made.games, strict=True):
        games[[i, j]] += count
    discs = [
        Disc(
            name=shortened(made.names[one]),
            note=nice(float(believed[one])) if known else "",
            tooltip=f"{made.names[one]}: {games[one]:g} games",
            fill=colour((believed[one] - low) / (high - low), RATINGS) if known else "",
            games=float(games[one]),
        )
        for one in order
    ]
    precision = f"λ2 = {made.lambda2:.3f}, predicted RMS error {made.rms:.1f} Elo"
    return draw_graph(
        discs,
        _lines(made, np.argsort(order)),
        legends,
        ranked=known,
        title=f"{counted(len(made.edges), 'pair')}, {counted(sum(made.games), 'game')}, {precision}",
        description="a line for each pair that will meet; the more games, the wider",
    )


def _lines(made: Design, place: Places) -> list[Line]:
    pairs = zip(made.edges, made.games, strict=True)
    return [
        Line(int(place[i]), int(place[j]), games, "", f"{made.names[i]} – {made.names[j]}: {counted(games, 'game')}")
        for (i, j), games in pairs
    ]


def _around(met: Array) -> Places:
    """Return the players by their angle in the plane of the Laplacian's second and third eigenvectors, signs fixed."""
    vectors = np.linalg.eigh(laplacian(met))[1]
    columns = [vectors[:, min(k, len(met) - 1)] for k in (1, 2)]
    x, y = (column * (1.0 if column[int(np.abs(column).argmax())] > 0 else -1.0) for column in columns)
    return np.argsort(np.round(np.arctan2(y, x), 9), kind="stable")
