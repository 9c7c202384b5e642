"""Self-play by values of the positions after a move, and the targets of TD(0) that it gives."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from fiedler.training.judge.small_game import Node, SmallGame
from fiedler.training.td.recipe import TdSelfPlay

Values = Callable[[Node], Sequence[float]]
"""Receives a running position, returns the value of each child for the side to move, exact where the game is over."""
Learn = Callable[[Node, float], None]
"""Receives a position and the target of its value for the side that moved into it."""


def falling(first: float, last: float, iteration: int, iterations: int) -> float:
    """Return the number of an iteration, counted from 0, that falls in equal steps from `first` to `last`."""
    return first + (last - first) * iteration / max(iterations - 1, 1)


def move_loss(small: SmallGame, values: Values) -> float:
    """Return the share of the running positions in which the best move, the first of equals, loses value."""
    running = small.running
    lost = 0
    for node in running:
        found = values(node)
        lost += not node.preserves(node.children[found.index(max(found))])
    return lost / len(running)


def begin(small: SmallGame, settings: TdSelfPlay, source: random.Random) -> Node:
    """Return the start of the game, or a running position a few random plies later."""
    node = small.nodes[0]
    if source.random() < settings.opening_share:
        for _ in range(source.randint(0, settings.opening_plies)):
            child = source.choice(node.children)
            node = node if child.result is not None else child
    return node


def play_game(start: Node, values: Values, learn: Learn, epsilon: float, source: random.Random) -> None:
    """Play one game from `start`; a move is random with probability `epsilon`.

    A position after a move learns the best value that its side has one move later, or the result of the game. It learns
    nothing if the opponent's move in between was not one of the best, so that the values tend to those of exact play.
    """
    node, replied = start, False
    after: list[Node | None] = [None, None]  # the last position that each side moved into
    after[1 - start.side] = start if start.position.ply else None
    while node.result is None:
        found = values(node)
        best = max(found)
        own = after[node.side]
        if own is not None and replied:
            learn(own, best)
        choice = _choice(found, best, epsilon, source)
        replied = found[choice] == best
        after[node.side] = node.children[choice]
        node = node.children[choice]
    own = after[node.side]
    if own is not None and replied:
        learn(own, float(node.result * (1 - 2 * node.side)))


def _choice(found: Sequence[float], best: float, epsilon: float, source: random.Random) -> int:
    if source.random() < epsilon:
        return source.randrange(len(found))
    return source.choice([place for place, value in enumerate(found) if value == best])
