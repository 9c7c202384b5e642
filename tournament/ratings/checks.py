"""Where a rating means less than it seems to: one warning, one line, for each reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import networkx as nx
import numpy as np

from tournament.ratings.pairs import Pairs
from tournament.ratings.results import Results

SHOWN = 5


def warnings_about(results: Results, rateable: Results, pairs: Pairs) -> tuple[str, ...]:
    """Return what a reader of these ratings must know. `pairs` holds the real games of `rateable`."""
    names = rateable.names
    return (
        *_self_play(results),
        *_without_games(results, rateable),
        *_groups(names, pairs),
        *_perfect_scores(names, pairs),
        *_single_links(names, pairs),
    )


def named(names: Iterable[str]) -> str:
    """Return the names quoted and with commas, the first five of many."""
    all_names = [repr(name) for name in names]
    more = f" and {len(all_names) - SHOWN} more" if len(all_names) > SHOWN else ""
    return ", ".join(all_names[:SHOWN]) + more


def _self_play(results: Results) -> Iterator[str]:
    games = results.self_play
    if games:
        yield f"{_games(sum(games.values()))} of a player against itself left out: {named(games)}"


def _without_games(results: Results, rateable: Results) -> Iterator[str]:
    idle = sorted(set(results.names) - set(rateable.names), key=results.names.index)
    if idle:
        yield f"no games, so the rating is no more than the mean of all: {named(idle)}"


def _groups(names: tuple[str, ...], pairs: Pairs) -> Iterator[str]:
    groups = pairs.groups()
    count = int(groups.max(initial=0)) + 1
    if count == 1:
        return
    examples = [names[int(np.flatnonzero(groups == group)[0])] for group in range(count)]
    yield (
        f"the players fall into {count} groups that never met (those of {named(examples)}): differences between "
        f"groups mean nothing"
    )


def _perfect_scores(names: tuple[str, ...], pairs: Pairs) -> Iterator[str]:
    points, games = scores(pairs)
    for wanted, did in ((games, "won"), (np.zeros_like(games), "lost")):
        perfect = np.flatnonzero(points == wanted)
        if perfect.size:
            yield f"{did} every game, so only the prior keeps the rating finite: {named(names[i] for i in perfect)}"


def scores(pairs: Pairs) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], ...]:
    """Return points (a draw is half a point) and games per player."""
    wins, draws, losses, second_losses, second_draws, second_wins = pairs.counts.astype(np.float64)
    halves = (draws + second_draws) / 2
    points = pairs.per_player(wins + second_wins + halves, losses + second_losses + halves)
    return points, pairs.per_player(pairs.games(), pairs.games())


def _single_links(names: tuple[str, ...], pairs: Pairs) -> Iterator[str]:
    """Name the players whom a single pairing ties to the larger rest of their group."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_edges_from(zip(pairs.low.tolist(), pairs.high.tolist(), strict=True))
    bridges = [edge for edge in nx.bridges(graph) if max(graph.degree[edge[0]], graph.degree[edge[1]]) > 1]
    rest = graph.copy()
    rest.remove_edges_from(bridges)
    hanging: set[int] = set()
    for group in nx.connected_components(graph):
        parts = sorted(nx.connected_components(rest.subgraph(group)), key=len)
        hanging.update(*parts[:-1])
    if hanging:
        who = named(names[player] for player in sorted(hanging))
        yield f"tied to the others by one pairing alone, on which the rating hangs: {who}"


def _games(count: int) -> str:
    return f"{count} game" if count == 1 else f"{count} games"
