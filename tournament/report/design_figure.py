"""The picture of a design before it is played: who will meet whom, and how often."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from tournament.graph import Design
from tournament.graph.spectrum import Array, adjacency, laplacian
from tournament.report.drawing import Drawing, shortened
from tournament.report.graph_figure import LINE, breadth, spread

WIDE, EDGE, TOP = 1000.0, 60.0, 44.0
NAMED = 200
"""players up to which their names are written beside them"""


def design_figure(made: Design, elo: Sequence[float] | None = None) -> str:
    """Return SVG: height is the believed rating and breadth the Fiedler vector; the more games, the wider an edge.

    Where nothing is believed of the ratings, players stand where the second and third eigenvectors put them.
    """
    games = f"{sum(made.games)} games, λ2 = {made.lambda2:.3f}, predicted RMS error {made.rms:.1f} Elo"
    said = f"{len(made.edges)} pairs, {games}"
    met = adjacency(len(made.names), made.edges)
    if elo is not None and float(np.ptp(elo)) > 0:
        body = max(320.0, 1.15 * LINE * len(made.names))
        across, up = breadth(met), _ratings(np.array(elo, dtype=np.float64), LINE / body)
    else:
        body = 640.0
        across, up = _spectral(met)
    x, y = _within(across, EDGE, WIDE - 3 * EDGE), _within(-up, TOP + 10, TOP + body - 10)
    drawing = Drawing(WIDE, TOP + body + 10, said)
    drawing.text((8, 16), said, size=13, kind="title")
    if elo is not None and float(np.ptp(elo)) > 0:
        drawing.text((12, TOP + body / 2), "Elo believed before (names moved apart)", kind="muted", turned=True)
    _edges(drawing, made, x, y)
    for place, name in enumerate(made.names):
        drawing.circle((x[place], y[place]), 4.5, kind="fill0", told=name)
        if len(made.names) <= NAMED:
            drawing.text((x[place] + 8, y[place]), shortened(name), size=11, kind="halo")
    return drawing.svg()


def _within(values: Array, low: float, high: float) -> Array:
    """Stretch numbers to lie between two bounds."""
    span = float(np.ptp(values))
    return low + (values - values.min()) * ((high - low) / span) if span > 0 else np.full(len(values), (low + high) / 2)


def _ratings(elo: Array, gap: float) -> Array:
    falling = np.argsort(-elo, kind="stable")
    moved = np.empty_like(elo)
    moved[falling] = spread(elo[falling], gap * float(np.ptp(elo)))
    return moved


def _spectral(met: Array) -> tuple[Array, Array]:
    """Return the second and third eigenvectors of the Laplacian, signs fixed."""
    vectors = np.linalg.eigh(laplacian(met))[1]
    columns = [vectors[:, min(k, len(met) - 1)] for k in (1, 2)]
    x, y = (column * (1.0 if column[int(np.abs(column).argmax())] > 0 else -1.0) for column in columns)
    return np.round(x, 9), np.round(y, 9)


def _edges(drawing: Drawing, made: Design, x: Array, y: Array) -> None:
    most, crowding = max(made.games), float(np.clip(60 / len(made.edges), 0.25, 1.0))
    parts = [f'<g class="edges own0" fill="none" stroke-opacity="{0.25 + 0.4 * crowding:.2f}">']
    for (i, j), games in zip(made.edges, made.games, strict=True):
        told = escape(f"{made.names[i]} – {made.names[j]}: {games} games")
        course = f"M{x[i]:.1f} {y[i]:.1f}L{x[j]:.1f} {y[j]:.1f}"
        width = crowding * (0.8 + 2.4 * games / most)
        parts.append(f'<path d="{course}" stroke-width="{width:.2f}"><title>{told}</title></path>')
    drawing.add("\n".join([*parts, "</g>"]))
