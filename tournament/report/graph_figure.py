"""meeting-graph.svg: the pairs that met. The players are around a circle, clockwise from the best at the top."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fiedler.support.drawing import RATINGS, SCORE_LINES, colour, nice, shortened
from fiedler.support.text import counted
from fiedler.tournament.graph.spectrum import lambda2, laplacian
from fiedler.tournament.ratings import PlayerRating
from fiedler.tournament.report.elo import shades
from fiedler.tournament.report.figure import Figure
from fiedler.tournament.report.graph_drawing import Disc, Legend, Line, draw_graph
from fiedler.tournament.report.ranking import Ranking
from fiedler.tournament.report.statistics import Crosstable

UNRATED = "#888"
"""The colour of a player without a rating."""


def graph_figure(ranking: Ranking, table: Crosstable, title: str) -> Figure:
    """Draw the meeting graph of the finished games: the width of an edge shows its games, the colour the score."""
    players = ranking.rating.players
    met = (table.games > 0).astype(np.float64)
    np.fill_diagonal(met, 0.0)
    low, high = shades(players)
    legends = [
        Legend(RATINGS, "Elo; the larger a disc, the more games", (nice(low), nice(high))),
        Legend(SCORE_LINES, "score of the higher player; the wider a line, the more games", ("0 %", "100 %")),
    ]
    svg = draw_graph(
        _discs(players, low, high),
        _lines(table),
        legends,
        ranked=True,
        title=f"{title}: {counted(int(met.sum()) // 2, 'pair')}, λ2 = {lambda2(laplacian(met)):.3f}",
        description="players clockwise from the highest rating at the top, a line for each pair that met",
    )
    rows = [
        (table.names[i], table.names[j], int(table.games[i, j]), float(table.scores[i, j])) for i, j in _pairs(table)
    ]
    return Figure("meeting-graph", svg, ("player", "opponent", "games", "score"), rows)


def _pairs(table: Crosstable) -> list[tuple[int, int]]:
    return [(int(i), int(j)) for i, j in np.argwhere(np.triu(table.games, 1) > 0)]


def _discs(players: Sequence[PlayerRating], low: float, high: float) -> list[Disc]:
    return [
        Disc(
            name=shortened(one.name),
            note=nice(one.elo),
            tooltip=f"{rank}  {one.name}: {nice(one.elo)} Elo, {counted(one.games, 'game')}",
            fill=colour((one.elo - low) / (high - low), RATINGS) if math.isfinite(one.elo) else UNRATED,
            games=one.games,
        )
        for rank, one in enumerate(players, start=1)
    ]


def _lines(table: Crosstable) -> list[Line]:
    """Return the pairs that met, the clear results last; the colour is the score of the first player of the pair."""
    scores, lines = table.scores, []
    for i, j in sorted(_pairs(table), key=lambda pair: abs(scores[pair] - 0.5)):
        games, score = int(table.games[i, j]), float(scores[i, j])
        tooltip = f"{table.names[i]} – {table.names[j]}: {nice(100 * score)} % of {counted(games, 'game')}"
        lines.append(Line(i, j, games, colour(score, SCORE_LINES), tooltip))
    return lines
