"""Positions of random games."""

from __future__ import annotations

import random

from fiedler.games import AnyGame
from fiedler.games.position import Position

TRIED = 40
"""Random games among whose positions the tightest is sought."""


def random_game(game: AnyGame, seed: int) -> list[str]:
    """Return the moves of a random game, from its start to its end; none in a game without rules of ours."""
    rng, position, moves = random.Random(seed), game.position(), list[str]()
    while position.result is None and (known := position.legal_moves()):
        move = rng.choice(known)
        moves.append(position.move_text(move))
        position.play(move)
    return moves


def opening(game: AnyGame, tenths: int) -> list[str]:
    """Return the first `tenths` tenths, 0 to 9, of a random game."""
    moves = random_game(game, tenths)
    return moves[: len(moves) * tenths // 10]


def tight(game: AnyGame) -> list[str]:
    """Return the moves to a running position with few legal moves: a board that has changed shows there."""
    found = (_tightest(game, random_game(game, seed)) for seed in range(TRIED))
    return min(found)[1]


def _tightest(game: AnyGame, moves: list[str]) -> tuple[int, list[str]]:
    position, best = game.position(), (len(game.position().legal_moves()), 0)
    for at, move in enumerate(moves[:-1], start=1):
        position.play(position.parse_move(move))
        best = min(best, (len(position.legal_moves()), at))
    return best[0], moves[: best[1]]


def legal(position: Position) -> list[str]:
    """Return the legal moves in the notation of the game."""
    return [position.move_text(move) for move in position.legal_moves()]
