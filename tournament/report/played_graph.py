"""The meeting graph of the finished games as a graph of networkx, for other programs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from fiedler.tournament.graph import information
from fiedler.tournament.report.findings import Findings

if TYPE_CHECKING:
    import networkx


def played_graph(found: Findings) -> networkx.Graph:
    """Return a node for every player and an edge for every pair that met.

    Nodes are names with `rank`, `elo`, `minus`, `plus` (scaled Elo; absent if unknown) and `games`. Edges have `games`,
    `wins`, `draws` and `losses` of the player `of`, its `score` in 0..1, and `information`: the Fisher information of
    the games on the difference of the two ratings, in Elo^-2 (absent if a rating is unknown).
    """
    import networkx

    table, rating = found.table, found.ranking.rating
    graph = networkx.Graph(name=found.title)
    for rank, one in enumerate(rating.players, start=1):
        known = {"elo": one.elo, "minus": one.minus, "plus": one.plus}
        finite = {key: float(value) for key, value in known.items() if math.isfinite(value)}
        graph.add_node(one.name, rank=rank, games=int(one.games), **finite)
    elo = np.array([one.elo for one in rating.players]) / rating.scale  # unscaled, as in the model of one game
    each = information.fisher(elo[:, None] - elo[None, :])
    for i, j in np.argwhere(np.triu(table.games, 1) > 0).tolist():
        games = int(table.games[i, j])
        results = {key: int(getattr(table, key)[i, j]) for key in ("wins", "draws", "losses")}
        known = {"information": games * float(each[i, j])} if math.isfinite(elo[i] - elo[j]) else {}
        score = float(table.scores[i, j])
        graph.add_edge(table.names[i], table.names[j], of=table.names[i], games=games, score=score, **results, **known)
    return graph
