"""A player of breakthrough over UGI that looks one move ahead, with the words of `breakthrough_random.py`."""

import random

from breakthrough import SIZE, Position
from breakthrough_random import serve


def value(position: Position, side: int) -> float:
    """Return the value of a position for a side: a win, then each pawn, then its steps forward."""
    if position.result is not None:
        return 1000.0 if (position.result > 0) == (side == 0) else -1000.0
    total = 0.0
    for square, piece in enumerate(position.squares):
        if piece != ".":
            steps = SIZE - 1 - square // SIZE if piece == "x" else square // SIZE
            total += (10 + steps) if piece == "xo"[side] else -(10 + steps)
    return total


def choose(position: Position) -> int:
    """Return the move to the position of the highest value; among equal ones, one at random."""
    values: dict[int, float] = {}
    for move in position.legal_moves():
        after = position.copy()
        after.play(move)
        values[move] = value(after, position.side_to_move) + random.random()
    return max(values, key=lambda move: values[move])


if __name__ == "__main__":
    serve("breakthrough_greedy", choose)
