"""meeting-graph.svg: who met whom. Height is the rating, breadth the Fiedler vector of the graph."""

from __future__ import annotations

from html import escape

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression

from tournament.graph.spectrum import lambda2, laplacian
from tournament.report.drawing import SCORE_LINES, Drawing, colour, nice, shortened, ticks, width
from tournament.report.figure import Figure
from tournament.report.ranking import Ranking
from tournament.report.statistics import Crosstable

Floats = NDArray[np.float64]

WIDE, LEFT, TOP, BELOW = 1000.0, 60.0, 44.0, 52.0
NAME = 11.0
LINE = 15.0
"""pixels that a name needs"""


def graph_figure(ranking: Ranking, table: Crosstable, title: str) -> Figure:
    """Draw the meeting graph of the finished games: an edge is as wide as its games are many, its colour the score."""
    names = table.names
    met = (table.games > 0).astype(np.float64)
    np.fill_diagonal(met, 0.0)
    pairs = int(met.sum()) // 2
    said = f"{title}: {pairs} pairs, λ2 = {lambda2(laplacian(met)):.3f}"
    elo = np.array([player.elo for player in ranking.rating.players])
    body = max(320.0, 1.15 * LINE * len(names))
    drawing = Drawing(WIDE, TOP + body + BELOW, said)
    drawing.text((8, 16), said, size=13, kind="title")
    labels = [f"{shortened(name)}  {nice(value)}" for name, value in zip(names, elo.tolist(), strict=True)]
    room = 14 + max((width(label, NAME) for label in labels), default=0)
    span = max(float(np.ptp(elo)), 1.0) if len(elo) else 1.0
    shown = spread(elo, span * LINE / body)
    low, high = (float(shown.min()), float(shown.max())) if len(shown) else (0.0, 1.0)
    x = LEFT + breadth(met) * (WIDE - LEFT - room)
    y = TOP + 10 + (high - shown) / max(high - low, 1e-9) * (body - 20)
    _axis(drawing, elo, y)
    _edges(drawing, table, x, y)
    for place, label in enumerate(labels):
        inside = f'<circle class="fill0" cx="{x[place]:.1f}" cy="{y[place]:.1f}" r="4.5"/>'
        text = f'<text class="halo" x="{x[place] + 8:.1f}" y="{y[place]:.1f}" dy=".35em" font-size="{NAME:g}">'
        drawing.add(f'<g class="node" data-node="{place}">{inside}{text}{escape(label)}</text></g>')
    drawing.scale((LEFT + 30, TOP + body + 30), SCORE_LINES, "score of the higher player; width: games")
    return Figure("meeting-graph", drawing.svg(), ("player", "opponent", "games", "score"), _rows(table))


def _rows(table: Crosstable) -> list[tuple[str, str, int, float]]:
    pairs = [(int(i), int(j)) for i, j in np.argwhere(np.triu(table.games, 1) > 0)]
    games, scores = table.games, table.scores
    return [(table.names[i], table.names[j], int(games[i, j]), float(scores[i, j])) for i, j in pairs]


def _axis(drawing: Drawing, elo: Floats, y: Floats) -> None:
    """Say on the left where round ratings are; between players whose names were moved apart the scale bends."""
    if len(elo) > 1 and elo[0] > elo[-1]:
        for tick in ticks(float(elo[-1]), float(elo[0]), 8):
            at = float(np.interp(tick, elo[::-1], y[::-1]))
            drawing.line((LEFT - 12, at), (WIDE - 8, at), kind="grid")
            drawing.text((LEFT - 16, at), nice(tick), size=11, anchor="end", kind="muted")
    drawing.text((12, (TOP + float(y.mean() if len(y) else TOP))), "Elo", kind="muted", turned=True)


def breadth(met: Floats) -> Floats:
    """Place players from 0 to 1 in the order of the Fiedler vector, its sign fixed: neighbours come close."""
    vector = np.linalg.eigh(laplacian(met))[1][:, min(1, len(met) - 1)]
    vector = vector * (1.0 if vector[int(np.abs(vector).argmax())] > 0 else -1.0)
    order = np.argsort(np.argsort(np.round(vector, 9), kind="stable"), kind="stable")
    return np.asarray(order / max(1, len(met) - 1), dtype=np.float64)


def spread(elo: Floats, gap: float) -> Floats:
    """Move ratings (falling) apart until they differ by `gap`, as little as possible (isotonic regression)."""
    steps = gap * np.arange(len(elo))
    return np.asarray(isotonic_regression(elo + steps, increasing=False).x - steps, dtype=np.float64)


def _edges(drawing: Drawing, table: Crosstable, x: Floats, y: Floats) -> None:
    """Add the edges, the clear cases on top; the colour is the score of the player listed first (the higher one)."""
    pairs = [(int(i), int(j)) for i, j in np.argwhere(np.triu(table.games, 1) > 0)]
    most = max(1, int(table.games.max(initial=1)))
    counts, scores = table.games, table.scores
    crowding = float(np.clip(60 / max(1, len(pairs)), 0.25, 1.0))
    parts = [f'<g class="edges" fill="none" stroke-opacity="{0.35 + 0.55 * crowding:.2f}">']
    for i, j in sorted(pairs, key=lambda pair: abs(scores[pair] - 0.5)):
        games, score = int(counts[i, j]), float(scores[i, j])
        wide = crowding * (0.8 + 2.4 * games / most) + 0.2
        told = f"{table.names[i]} – {table.names[j]}: {nice(100 * score)} % of {games} games"
        parts.append(
            f'<path data-ends="{i} {j}" d="M{x[i]:.1f} {y[i]:.1f}L{x[j]:.1f} {y[j]:.1f}" '
            f'stroke="{colour(score, SCORE_LINES)}" stroke-width="{wide:.2f}"><title>{escape(told)}</title></path>'
        )
    drawing.add("\n".join([*parts, "</g>"]))
