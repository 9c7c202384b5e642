"""Positions, records and tables that the native tests share."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import native

SLOW = bool(os.environ.get("FIEDLER_SANITIZED"))
"""Asserts and sanitizers are in: less of everything."""
DATA = Path(__file__).parent.parent / "data" / "games"


def load(name: str) -> Any:
    return json.loads((DATA / f"{name}.json").read_text())


def move_name(game: str, move: Any) -> str:
    """A move of the shared records in our notation (see tests/data/games/README.md)."""
    if game == "connect4":
        return "abcdefg"[move]
    first, second = move
    if game == "tictactoe":
        return f"{'abc'[second]}{3 - first}"
    return f"{'abcdefghi'[3 * (first % 3) + second % 3]}{9 - (3 * (first // 3) + second // 3)}"


def after(game: str, moves: list[Any]) -> native.Position:
    position = native.Position(game)
    for move in moves:
        position.play(position.parse_move(move_name(game, move)))
    return position


def random_positions(game: str, games: int, seed: int) -> list[native.Position]:
    """Every position of some random games, the last ones included."""
    generator = random.Random(seed)
    seen = []
    for _ in range(games):
        position = native.Position(game)
        seen.append(position.copy())
        while position.result is None:
            position.play(generator.choice(position.legal_moves()))
            seen.append(position.copy())
    return seen
