"""A small system without a network: TD(0) over a table of positions, in a file of its own kind."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from games import Game, game
from native import Limits, Position, SearchInfo, StopFlag
from players.option import Settings, setting
from players.player import OnInfo, Player
from training.about import about
from training.entry import Entry
from training.recipe import Count, Recipe, Share
from training.system import OnProgress, Stamp, System

Table = dict[str, float]
"""Key of a position, equal for symmetric ones -> expected result of the side that moved into it, -1 to 1."""


def name_of(position: Position) -> str:
    return str(min(position.transformed(symmetry).key for symmetry in range(position.num_symmetries)))


def after(position: Position, move: int) -> Position:
    child = position.copy()
    child.play(move)
    return child


def value_of(position: Position, table: Table) -> float:
    if position.result is not None:
        return float(position.result * (2 * position.side_to_move - 1))
    return table.get(name_of(position), 0.0)


def best_move(position: Position, table: Table) -> int:
    return max(position.legal_moves(), key=lambda move: value_of(after(position, move), table))


def read(model: Path) -> Mapping[str, str]:
    entries: Mapping[str, str] = json.loads(model.read_text("utf-8"))["about"]
    return entries


@dataclass(slots=True)
class TableSettings(Settings):
    model: str = setting("", "file of the table", at_start=True)


class TablePlayer(Player):
    name = "td"
    description = "one ply ahead by a table of values"
    settings_type = TableSettings
    settings: TableSettings
    instant = True

    def __init__(self, game: Game, settings: TableSettings) -> None:
        super().__init__(game, settings)
        self.table: Table = json.loads(Path(settings.model).read_text("utf-8"))["table"]

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:
        return SearchInfo(best_move(position, self.table))


class TableEntry(Entry, frozen=True, kw_only=True):
    positions: int
    td_loss: float


class TableRecipe(Recipe, frozen=True, kw_only=True, tag="td"):
    entry = TableEntry
    player = TablePlayer.name
    model = "net.table"

    games: Count
    """An iteration."""
    exploration: Share
    rate: Share

    def begin(self) -> System:
        return TableSystem(self)


class TableSystem(System):
    def __init__(self, recipe: TableRecipe) -> None:
        self.recipe = recipe
        self.game = game(recipe.game)
        self.table: Table = {}

    def iterate(self, iteration: int, on_progress: OnProgress) -> TableEntry:
        source = random.Random(self.recipe.seed + iteration)
        errors: list[float] = []
        for number in range(self.recipe.games):
            errors += self.play(source)
            on_progress(number + 1, self.recipe.games)
        return TableEntry(positions=len(self.table), td_loss=sum(map(abs, errors)) / len(errors))

    def play(self, source: random.Random) -> list[float]:
        """The value of a position is the opposite of that of the next one, if the best move led there."""
        position, errors = self.game.position(), list[float]()
        while position.result is None:
            best = best_move(position, self.table)
            move = source.choice(position.legal_moves()) if source.random() < self.recipe.exploration else best
            name = name_of(position)
            error = -value_of(after(position, best), self.table) - self.table.get(name, 0.0)
            self.table[name] = self.table.get(name, 0.0) + self.recipe.rate * error
            errors.append(error)
            position.play(move)
        return errors

    def export(self, stamp: Stamp) -> bytes:
        return json.dumps({"about": about(self.recipe, stamp), "table": self.table}).encode()

    def state(self) -> bytes:
        return json.dumps(self.table).encode()

    def restore(self, state: bytes) -> None:
        self.table = json.loads(state)
