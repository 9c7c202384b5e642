"""The player table: the most visited move of the trees that a run of `table` kept; where they end, osp."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fiedler.games import Game
from fiedler.native import Position, choose_osp
from fiedler.players import table_file
from fiedler.players.bots import Bot, Seeded
from fiedler.players.option import setting
from fiedler.players.player import Factory, Player
from fiedler.players.table_file import Array, TablePurpose
from fiedler.support.errors import UsageError

SIDES = ("first", "second")
ARRAYS = {
    f"{side}_{name}": (dtype, (side,)) for side in SIDES for name, dtype in (("keys", "uint64"), ("visits", "uint32"))
}
"""The nodes of each side: its moves, by ascending key, with their visits."""


@dataclass(slots=True)
class TableSettings(Seeded):
    """The settings of table."""

    model: str = setting("", "file of the table", at_start=True)
    visits: int = setting(5, "least visits of a move that is played by the table; else osp decides", low=1, high=2**31)


FACTOR, MASK = 0x9E3779B97F4A7C15, 2**64 - 1
"""Of the keys of nodes."""


def lowest_key(position: Position) -> int:
    """Return the lowest key among the symmetric positions."""
    return min(position.transformed(symmetry).key for symmetry in range(position.num_symmetries))


def node_keys(position: Position) -> dict[int, int]:
    """Return the key of the node of each legal move, as `native.KeptTrees` names it."""
    before, keys = lowest_key(position) * FACTOR, {}
    for move in position.legal_moves():
        after = position.copy()
        after.play(move)
        keys[move] = before + lowest_key(after) & MASK
    return keys


@dataclass(frozen=True, slots=True)
class VisitTable:
    """The visits of the moves of one side by their key."""

    keys: Array
    visits: Array

    def find(self, key: int) -> int:
        """Return the visits of a move; 0 if it is not in the table."""
        place = int(np.searchsorted(self.keys, np.uint64(key)))
        return int(self.visits[place]) if place < len(self.keys) and int(self.keys[place]) == key else 0


class TablePlayer(Bot):
    """The most visited move, if the table knows one; else a move of osp."""

    name = "table"
    description = "the most visited move of a table of positions; osp where the table has none"
    settings_type = TableSettings
    settings: TableSettings

    def __init__(self, game: Game, settings: TableSettings, tables: tuple[VisitTable, VisitTable], title: str) -> None:
        super().__init__(game, settings)
        self._tables = tables
        self._title = title
        self.moves = 0
        """Chosen so far."""
        self.table_moves = 0
        """Those of them that the table gave."""

    @classmethod
    def factory(cls, game: Game, values: Mapping[str, str]) -> Factory:
        """Return the factory of players that share one table.

        Raises:
            UsageError: The table is missing or unfit, or an option is wrong.
        """
        return TableFactory(game, values)

    @property
    def title(self) -> str:
        """The name with that of the table."""
        return f"{self.name} {self._title}"

    def choose(self, position: Position) -> int:
        """Return the most visited move, the first of equals; else a random one of the sensible moves."""
        known = self.known(position)
        self.moves += 1
        self.table_moves += known is not None
        return choose_osp(position, self.seeds.next()) if known is None else known

    def known(self, position: Position) -> int | None:
        """Return the move of the table; None if no move has enough visits."""
        table = self._tables[position.side_to_move]
        counts = {move: table.find(key) for move, key in node_keys(position).items()}
        best = max(counts, key=counts.__getitem__)
        return best if counts[best] >= self.settings.visits else None


class TableFactory(Factory):
    """The factory of players that share one table."""

    game: Game

    def __init__(self, game: Game, values: Mapping[str, str]) -> None:
        """Load the table.

        Raises:
            UsageError: The table is missing or unfit, or an option is wrong.
        """
        super().__init__(TablePlayer, game, values)
        assert isinstance(self.settings, TableSettings)
        if not self.settings.model:
            raise UsageError("player table: expected a table file as option 'model' (--model F.table)")
        self._own = self.settings
        purpose = TablePurpose(game, TablePlayer.name, ARRAYS)
        self._model = table_file.load(Path(self.settings.model), purpose)
        self._tables = tuple(self._side(side) for side in SIDES)

    def player(self) -> Player:
        """Return a new player over the shared table."""
        first, second = self._tables
        return TablePlayer(self.game, copy.copy(self._own), (first, second), self._model.name)

    def _side(self, side: str) -> VisitTable:
        keys, visits = (self._model.arrays[f"{side}_{name}"] for name in ("keys", "visits"))
        if not (keys[:-1] < keys[1:]).all():
            raise UsageError(f"model {self._own.model}: array '{side}_keys' does not ascend")
        return VisitTable(keys, visits)
