"""Positions, records and tables that the native tests share."""

from __future__ import annotations

import json
import os
import random
from typing import Any

import native
from tests.folders import DATA

SLOW = bool(os.environ.get("FIEDLER_SANITIZED"))
"""Asserts and sanitizers are in: less of everything."""
LETTERS = "abcdefghijklmno"
SAME_PATHS = {"uttt-majority": "uttt", "renju15": "gomoku15"}
"""Games without tables of their own, and one with the same paths: by majority a game of uttt only ends differently, and
in renju nothing is forbidden in the few plies that the table covers."""
WINS_BY_THREATS = {"cube", "gomoku9", "gomoku15", "standard15", "renju15"}
"""Games whose wins negamax takes as they come, not the shortest."""

FOLDER = DATA / "games"


def load(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


def move_name(game: str, move: Any) -> str:
    """A move of the shared records in our notation (see tests/data/games/README.md)."""
    if game == "connect4":
        return LETTERS[move]
    if game == "cube":
        layer, row, column = move
        return f"{layer + 1}{LETTERS[column]}{4 - row}"
    first, second = move
    if game.startswith("uttt"):
        first, second = 3 * (first // 3) + second // 3, 3 * (first % 3) + second % 3
    rows = native.Position(game).planes_shape[1]
    return f"{LETTERS[second]}{rows - first}"


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


def some_positions(game: str, games: int, seed: int, most: int = 200) -> list[native.Position]:
    """At most so many of them, the last ones included: a large board has many, and each of them takes longer."""
    positions = random_positions(game, games, seed)
    ends = [position for position in positions if position.result is not None]
    running = [position for position in positions if position.result is None]
    most = max(1, (most // 5 if SLOW else most) - len(ends))
    return random.Random(seed).sample(running, min(most, len(running))) + ends


Shares = tuple[float, float, float]


def exact_shares(position: native.Position) -> Shares:
    """Wins, draws and losses of the first player in uniformly random play, by looking at all of it."""
    if position.result is not None:
        return (float(position.result == 1), float(position.result == 0), float(position.result == -1))
    parts = []
    for move in position.legal_moves():
        child = position.copy()
        child.play(move)
        parts.append(exact_shares(child))
    wins, draws, losses = (sum(column) / len(parts) for column in zip(*parts, strict=True))
    return wins, draws, losses
