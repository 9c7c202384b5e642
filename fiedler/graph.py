"""Meeting graphs as graphs of networkx."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from fiedler.ratings import Columns, Rows, results_of
from fiedler.tournament.graph import Criterion, design

if TYPE_CHECKING:
    import networkx
    import pandas


def meeting_graph(
    players: int | Collection[str],
    pairs: int | None = None,
    *,
    games: int | None = None,
    criterion: Criterion = "connectivity",
    elo: Collection[float] | None = None,
    seed: int = 0,
) -> networkx.Graph:
    """Choose the pairs that shall play: by default the graph of maximal algebraic connectivity.

    Args:
        players: The names, all different, or their number.
        pairs: The number of pairs. Give either `pairs` or `games`.
        games: Most games in all.
        criterion: `connectivity`, `precision` (the smallest RMS error) or `order`; see `docs/meeting-graph.md`.
        elo: Expected ratings in Elo; by default all players are equal.
        seed: The seed of the search.

    Returns:
        A `networkx.Graph` with the names as nodes (with `elo`, if given) and the chosen pairs as edges. Their `weight`
        and `games` are the games to play, `information` is the Fisher information of these games in Elo^-2. The graph
        has `lambda2` (its Fiedler value), `rms` (the predicted RMS error in Elo) and `criterion`.

    Raises:
        UsageError: The arguments contradict each other, or a name is given twice.
    """
    count, names = (players, []) if isinstance(players, int) else (len(players), [*players])
    expected = None if elo is None else [*elo]  # a column of a DataFrame has an index of its own
    found = design(count, pairs, games=games, criterion=criterion, elo=expected, seed=seed, names=names)
    graph = found.graph(expected)
    for _, _, edge in graph.edges(data=True):
        edge["weight"] = edge["games"]
    return graph


def played_graph(games: pandas.DataFrame | Columns | Rows) -> networkx.Graph:
    """Return the graph of the games of a table with the columns of `rate`, or of the rows of `played_games`.

    Returns:
        A `networkx.Graph` with the names as nodes, and the number of games of each pair as `weight` of its edge. Games
        of a player against itself are left out, as by `rate`.

    Raises:
        UsageError: A column is missing, or a result is unknown.
    """
    import networkx

    results = results_of(games)
    graph = networkx.Graph()
    graph.add_nodes_from(results.names)
    for first, second, *counts in results.rows:
        pair = (results.names[first], results.names[second])
        if first != second:
            graph.add_edge(*pair, weight=sum(counts) + graph.get_edge_data(*pair, {"weight": 0})["weight"])
    return graph
