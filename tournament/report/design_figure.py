"""The picture of a design before it is played: who will meet whom, and how often."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from tournament.graph import Design
from tournament.graph.spectrum import Array, adjacency, laplacian
from tournament.report.drawing import ACCENT, INK, shortened
from tournament.report.graph_figure import breadth, spread

_NAMED = 200
"""Players up to which their names are written beside them."""


def design_figure(made: Design, elo: Sequence[float] | None = None) -> Figure:
    """Draw a design: height is the believed rating and breadth the Fiedler vector; the wider an edge, the more games.

    Where nothing is believed of the ratings, players stand where the second and third eigenvectors put them.
    """
    rated = elo is not None and float(np.ptp(elo)) > 0
    count = len(made.names)
    height = min(40.0, max(4.0, 1.4 + 0.22 * count)) if rated else 7.5
    figure = Figure(figsize=(8.5, height), layout="constrained")
    axes = figure.add_subplot()
    met = adjacency(count, made.edges)
    x, y = _rated(met, np.array(elo, dtype=np.float64), height) if rated else _spectral(met)
    axes.add_collection(_edges(made, x, y))
    axes.scatter(x, y, s=26, color=ACCENT, zorder=3, edgecolors="white", linewidths=0.8)
    for i, name in enumerate(made.names if count <= _NAMED else ()):
        text = axes.annotate(shortened(name), (x[i], y[i]), (5, 3), textcoords="offset points", fontsize=7.0)
        text.set(color=INK, zorder=4)
    axes.margins(0.06)
    axes.set_xticks([])
    if rated:
        axes.set_ylabel("Elo believed before (names moved apart)")
    else:
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
    axes.spines["bottom"].set_visible(False)
    games = f"{sum(made.games)} games, λ2 = {made.lambda2:.3f}, predicted RMS error {made.rms:.1f} Elo"
    axes.set_title(f"{len(made.edges)} pairs, {games}", loc="left", color=INK)
    return figure


def _rated(met: Array, elo: Array, height: float) -> tuple[Array, Array]:
    falling = np.argsort(-elo, kind="stable")
    y = np.empty_like(elo)
    y[falling] = spread(elo[falling], height)
    return breadth(met), y


def _spectral(met: Array) -> tuple[Array, Array]:
    """Return the second and third eigenvectors of the Laplacian, signs fixed."""
    vectors = np.linalg.eigh(laplacian(met))[1]
    columns = [vectors[:, min(k, len(met) - 1)] for k in (1, 2)]
    x, y = (column * (1.0 if column[int(np.abs(column).argmax())] > 0 else -1.0) for column in columns)
    return np.round(x, 9), np.round(y, 9)


def _edges(made: Design, x: Array, y: Array) -> LineCollection:
    pairs, games = np.array(made.edges), np.array(made.games, dtype=np.float64)
    crowding = float(np.clip(60 / len(pairs), 0.25, 1.0))
    widths = crowding * (0.4 + 2.4 * games / games.max())
    ends = np.stack([x[pairs], y[pairs]], axis=2)
    return LineCollection(list(ends), linewidths=widths, colors=ACCENT, alpha=0.25 + 0.4 * crowding, zorder=1)
