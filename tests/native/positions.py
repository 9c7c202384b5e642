"""Positions, records and tables of the native tests."""

from __future__ import annotations

import json
import random
from functools import cache
from string import ascii_lowercase
from typing import Any

from fiedler import native
from fiedler.games import FILLED, GAMES
from fiedler.games.go import PASS
from fiedler.native.levels import SANITIZED
from tests.folders import DATA

SLOW = native.LEVEL == SANITIZED
"""Whether asserts and sanitizers are in: then less of everything."""
WINS_BY_THREATS = {"cube", *(game.id for game in GAMES.values() if game.in_a_row == 5)}
"""Games in which negamax accepts any win, not only the shortest."""
LONG = {*GAMES} - {*FILLED}
"""Games of hundreds of random moves: fewer of their positions are tried."""

FOLDER = DATA / "games"


def load(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


@cache
def data_of(game: str) -> dict[str, Any]:
    """Tables and records of one game (tests/data/games/README.md); with those of the game whose moves it shares."""
    path = FOLDER / f"{game}.json"
    assert path.exists(), f"write tests/data/games/{path.name}; the README beside it describes it"
    own = json.loads(path.read_text("utf-8"))
    return {**data_of(own["moves_of"]), **own} if "moves_of" in own else own


def move_name(game: str, move: Any) -> str:
    """A move of the shared records in our notation (see tests/data/games/README.md)."""
    if isinstance(move, str):
        return move
    if game == "connect4":
        return ascii_lowercase[move]
    if game == "cube":
        layer, row, column = move
        return f"{layer + 1}{ascii_lowercase[column]}{4 - row}"
    if move is None:
        return PASS
    first, second = move
    if game.startswith("uttt"):
        first, second = 3 * (first // 3) + second // 3, 3 * (first % 3) + second % 3
    rows = native.Position(game).planes_shape[1]
    return f"{ascii_lowercase[second]}{rows - first}"


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
    """A bounded number of them, the last ones included: a large board has many, and each of them takes longer."""
    positions = random_positions(game, games, seed)
    ends = [position for position in positions if position.result is not None]
    running = [position for position in positions if position.result is None]
    most = max(1, (most // 5 if SLOW else most) - len(ends))
    return random.Random(seed).sample(running, min(most, len(running))) + ends


Shares = tuple[float, float, float]


def exact_shares(position: native.Position) -> Shares:
    """Wins, draws and losses of the first player in uniformly random play, by full enumeration."""
    if position.result is not None:
        return (float(position.result == 1), float(position.result == 0), float(position.result == -1))
    parts = []
    for move in position.legal_moves():
        child = position.copy()
        child.play(move)
        parts.append(exact_shares(child))
    wins, draws, losses = (sum(column) / len(parts) for column in zip(*parts, strict=True))
    return wins, draws, losses
