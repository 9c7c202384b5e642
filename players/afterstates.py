"""Choices one ply ahead: each move by the value of the position after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fiedler.native import Position

Values = Callable[[Sequence[Position]], Sequence[float]]
"""Receives running positions after a move of one side, returns their values for that side, -1 to 1."""


def greedy_move(position: Position, values: Values) -> int:
    """Return the move to the position of the highest value, the first of equals. Ends of the game are exact."""
    moves = position.legal_moves()
    after = [played(position, move) for move in moves]
    running = [child for child in after if child.result is None]
    found = iter(values(running) if running else ())
    sign = 1 - 2 * position.side_to_move
    scores = [float(next(found)) if child.result is None else float(sign * child.result) for child in after]
    return moves[scores.index(max(scores))]


def played(position: Position, move: int) -> Position:
    """Return the position after a move."""
    child = position.copy()
    child.play(move)
    return child
