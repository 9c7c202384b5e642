"""meeting-graph.svg: who met whom. Height is the rating, breadth the Fiedler vector of the graph."""

from __future__ import annotations

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from tournament.graph.spectrum import lambda2, laplacian
from tournament.report.drawing import ACCENT, INK, SCORE_LINES, nice, shortened
from tournament.report.ranking import Ranking
from tournament.report.statistics import Crosstable

Floats = NDArray[np.float64]


def graph_figure(ranking: Ranking, table: Crosstable, title: str) -> Figure:
    """Draw the meeting graph of the finished games; an edge has the colour of its higher player's score."""
    count = len(table.names)
    met = (table.games > 0).astype(np.float64)
    np.fill_diagonal(met, 0.0)
    height = max(4.0, 1.4 + 0.22 * count)
    figure = Figure(figsize=(8.5, height), layout="constrained")
    axes = figure.add_subplot()
    elo = np.array([player.elo for player in ranking.rating.players])
    x, y = breadth(met), spread(elo, height)
    edges = _edges(table, x, y)
    axes.add_collection(edges)
    axes.scatter(x, y, s=26, color=ACCENT, zorder=3, edgecolors="white", linewidths=0.8)
    for i, name in enumerate(table.names):
        label = f"{shortened(name)}  {nice(elo[i])}"
        text = axes.annotate(label, (x[i], y[i]), (6, 0), textcoords="offset points", va="center", fontsize=7.5)
        text.set(color=INK, zorder=4, bbox={"boxstyle": "square,pad=0.08", "fc": "white", "ec": "none", "alpha": 0.75})
    figure.colorbar(edges, ax=axes, shrink=2.5 / height, aspect=14, pad=0.01, label="score of the higher player")
    axes.set_xlim(-0.06, 1.3)
    axes.set_ylim(y.min() - 0.04 * np.ptp(y) - 1, y.max() + 0.04 * np.ptp(y) + 1)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.set_ylabel("Elo (names moved apart)")
    pairs = int(met.sum()) // 2
    axes.set_title(f"{title}: {pairs} pairs, λ2 = {lambda2(laplacian(met)):.3f}", loc="left", color=INK)
    return figure


def breadth(met: Floats) -> Floats:
    """Place players from 0 to 1 in the order of the Fiedler vector, its sign fixed: neighbours come close."""
    vector = np.linalg.eigh(laplacian(met))[1][:, min(1, len(met) - 1)]
    vector = vector * (1.0 if vector[int(np.abs(vector).argmax())] > 0 else -1.0)
    order = np.argsort(np.argsort(np.round(vector, 9), kind="stable"), kind="stable")
    return np.asarray(order / max(1, len(met) - 1), dtype=np.float64)


def spread(elo: Floats, inches: float) -> Floats:
    """Move ratings (falling) apart until names fit between them, as little as possible (isotonic regression)."""
    gap = max(float(np.ptp(elo)), 1.0) * 0.15 / (inches - 1.4)
    steps = gap * np.arange(len(elo))
    return np.asarray(isotonic_regression(elo + steps, increasing=False).x - steps, dtype=np.float64)


def _edges(table: Crosstable, x: Floats, y: Floats) -> LineCollection:
    """Return the edges, the colour from the score of the player listed first (the higher one), the width from games."""
    pairs = np.argwhere(np.triu(table.games, 1) > 0)
    games = table.games[pairs[:, 0], pairs[:, 1]]
    most = max(1, int(games.max(initial=1)))
    ends = np.stack([x[pairs], y[pairs]], axis=2)
    crowding = float(np.clip(60 / max(1, len(pairs)), 0.25, 1.0))
    edges = LineCollection(
        list(ends),
        cmap=LinearSegmentedColormap.from_list("scores", SCORE_LINES),
        linewidths=crowding * (0.6 + 1.8 * games / most),
        alpha=0.4 + 0.5 * crowding,
        zorder=1,
    )
    edges.set_array(table.scores[pairs[:, 0], pairs[:, 1]])
    edges.set_clim(0.0, 1.0)
    return edges
