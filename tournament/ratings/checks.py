"""Warnings about weak ratings: one line for each reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fiedler.support.text import counted
from fiedler.tournament.ratings.pairs import Integers, Pairs
from fiedler.tournament.ratings.results import Results

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
        yield f"no games, so no rating: {named(idle)}"


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
    """Yield a warning for the players whom a single pairing connects to the larger rest of their group."""
    found = np.flatnonzero(hanging(pairs))
    if found.size:
        who = named(names[player] for player in found)
        yield f"connected to the others by a single pairing: {who}"


def hanging(pairs: Pairs) -> NDArray[np.bool_]:
    """Return whether a player is on the smaller side of a bridge, shape (players,).

    Of equal sides it is the one without the first player of the group; of two players neither hangs on the other.
    """
    return _Tree.of(pairs).smaller_sides(pairs.groups())


@dataclass(frozen=True, slots=True, eq=False)
class _Tree:
    """The spanning tree of a depth-first search, with one root per group, and the bridges among its pairings.

    Every other pairing connects a player with one of its ancestors. An edge of the tree is a bridge if no such pairing
    leads from below it to above it (Tarjan 1974). The players below an edge follow each other in the order of the
    search, those of a group too.
    """

    rank: Integers
    """The place of each player in the order of the search."""
    below: Integers
    """The number of players below the edge from each player to its predecessor, itself included."""
    bridge: NDArray[np.bool_]
    """Whether the edge from each player to its predecessor is a bridge."""

    @classmethod
    def of(cls, pairs: Pairs) -> _Tree:
        above, order = _depth_first(pairs)
        rank = np.empty(pairs.size, dtype=np.int64)
        rank[order] = np.arange(pairs.size)
        highest, others = rank.copy(), ~_of_tree(above, pairs)
        for here, there in ((pairs.low, pairs.high), (pairs.high, pairs.low)):
            np.minimum.at(highest, here[others], rank[there[others]])
        parents, reached, below = above.tolist(), highest.tolist(), [1] * pairs.size
        for player in reversed(order):
            if (parent := parents[player]) >= 0:
                reached[parent] = min(reached[parent], reached[player])
                below[parent] += below[player]
        bridge = (above >= 0) & (np.array(reached, dtype=np.int64) >= rank)
        return cls(rank, np.array(below, dtype=np.int64), bridge)

    def smaller_sides(self, groups: Integers) -> NDArray[np.bool_]:
        """Return whether a player is on the smaller side of a bridge; of equal sides the one without the root."""
        size = np.bincount(groups)[groups]
        root = np.full(groups.size, groups.size)
        np.minimum.at(root, groups, self.rank)
        side = np.flatnonzero(self.bridge & (size > 2))
        first, start = self.rank[side], root[groups[side]]
        last, end = first + self.below[side], start + size[side]
        smaller = 2 * self.below[side] <= size[side]
        sides = np.zeros(groups.size + 1, dtype=np.int64)
        for begin, stop, which in ((first, last, smaller), (start, first, ~smaller), (last, end, ~smaller)):
            np.add.at(sides, begin[which], 1)
            np.add.at(sides, stop[which], -1)
        return np.asarray(np.cumsum(sides)[self.rank] > 0)


def _of_tree(above: Integers, pairs: Pairs) -> NDArray[np.bool_]:
    """Return whether each pairing connects a player with its predecessor, shape (pairs,)."""
    return np.asarray((above[pairs.low] == pairs.high) | (above[pairs.high] == pairs.low))


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
