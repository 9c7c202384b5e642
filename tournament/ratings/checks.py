"""Warnings about weak ratings: one line for each reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from support.text import counted
from tournament.ratings.pairs import Integers, Pairs, group_labels
from tournament.ratings.results import Results

SHOWN = 5
"""Most names in a warning."""


def warnings_about(
    results: Results, rateable: Results, pairs: Pairs, groups: Integers | None = None
) -> tuple[str, ...]:
    """Return the warnings about the ratings of these results.

    `pairs` are the real games of `rateable`. Differences between `groups` are unknown; by default they follow from the
    games.
    """
    groups = pairs.groups() if groups is None else groups
    names = rateable.names
    return (
        *_self_play(results),
        *_without_games(results, rateable),
        *_groups(names, groups),
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
        yield f"no games, so the rating is only the mean of all: {named(idle)}"


def _groups(names: tuple[str, ...], groups: Integers) -> Iterator[str]:
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
    for perfect_points, did in ((games, "won"), (np.zeros_like(games), "lost")):
        perfect = np.flatnonzero(points == perfect_points)
        if perfect.size:
            yield f"{did} every game, so only the prior keeps the rating finite: {named(names[i] for i in perfect)}"


def scores(pairs: Pairs) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], ...]:
    """Return points (a draw is half a point) and games per player, shape (players,) each."""
    wins, draws, losses, second_losses, second_draws, second_wins = pairs.counts.astype(np.float64)
    halves = (draws + second_draws) / 2
    points = pairs.per_player(wins + second_wins + halves, losses + second_losses + halves)
    return points, pairs.per_player(pairs.games(), pairs.games())


def _single_links(names: tuple[str, ...], pairs: Pairs) -> Iterator[str]:
    """Yield a warning for players whom a single pairing connects to the larger rest of their group."""
    groups, parts = pairs.groups(), without_bridges(pairs)
    sizes = np.bincount(parts)
    largest = np.zeros(int(groups.max(initial=-1)) + 1, dtype=np.int64)
    for part in np.argsort(-sizes, kind="stable")[::-1]:  # of equals the first part stays
        largest[groups[np.flatnonzero(parts == part)[0]]] = part
    hanging = np.flatnonzero(parts != largest[groups])
    hanging = hanging[np.bincount(groups)[groups[hanging]] > 2]  # of two players neither hangs on the other
    if hanging.size:
        who = named(names[player] for player in hanging)
        yield f"connected to the others by a single pairing: {who}"


def without_bridges(pairs: Pairs) -> Integers:
    """Label the connected components after the removal of all bridges, shape (players,).

    In the spanning tree of a depth-first search every other pairing connects a player with one of its ancestors. An
    edge of the tree is a bridge if no such pairing leads from below it to above it (Tarjan 1974).
    """
    above, order = _depth_first(pairs)
    rank = np.empty(pairs.size, dtype=np.int64)
    rank[order] = np.arange(pairs.size)
    of_tree = (above[pairs.low] == pairs.high) | (above[pairs.high] == pairs.low)
    highest = rank.copy()
    for here, there in ((pairs.low, pairs.high), (pairs.high, pairs.low)):
        np.minimum.at(highest, here[~of_tree], rank[there[~of_tree]])
    reached: list[int] = highest.tolist()
    parents: list[int] = above.tolist()
    for player in reversed(order):
        if parents[player] >= 0:
            reached[parents[player]] = min(reached[parents[player]], reached[player])
    kept = ~of_tree
    lower = np.where(above[pairs.low] == pairs.high, pairs.low, pairs.high)
    kept |= np.array(reached)[lower] < rank[lower]
    return group_labels(pairs.size, pairs.low[kept], pairs.high[kept])


def _depth_first(pairs: Pairs) -> tuple[Integers, list[int]]:
    """Return the predecessor of each player (-1 for the first of a group), and the order of the search."""
    entries = pairs.entries()
    opponents, bounds = entries.opponent.tolist(), entries.bounds.tolist()
    above, place = [-2] * pairs.size, bounds[:-1]
    order: list[int] = []
    for start in range(pairs.size):
        if above[start] != -2:
            continue
        above[start] = -1
        order.append(start)
        stack = [start]
        while stack:
            player = stack[-1]
            while place[player] < bounds[player + 1] and above[opponents[place[player]]] != -2:
                place[player] += 1
            if place[player] == bounds[player + 1]:
                stack.pop()
                continue
            found = opponents[place[player]]
            above[found] = player
            order.append(found)
            stack.append(found)
    return np.array(above, dtype=np.int64), order


def _games(count: int) -> str:
    return counted(count, "game")
