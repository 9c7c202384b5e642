"""TD(0) with a table for each side."""

from __future__ import annotations

import math
import random

import numpy as np

from fiedler.games import game
from fiedler.players.table_file import Array, dump, load_bytes
from fiedler.players.td import SIDES, board_code
from fiedler.support.errors import UsageError
from fiedler.training.judge.small_game import Node, small_game
from fiedler.training.model.about import about
from fiedler.training.recipe.system import DivergedError, OnProgress, Stamp, System
from fiedler.training.td.entry import TdEntry
from fiedler.training.td.recipe import TdRecipe
from fiedler.training.td.selfplay import begin, falling, move_loss, play_game


class TdTables(System[TdRecipe]):
    """A value for each position after a move of the first player, and one for each after a move of the second."""

    def __init__(self, recipe: TdRecipe) -> None:
        super().__init__(recipe)
        self.small = small_game(game(recipe.game))
        self.tables: tuple[dict[Node, float], dict[Node, float]] = ({}, {})
        self._rate = 0.0
        self._errors: list[float] = []

    def values(self, node: Node) -> list[float]:
        """Return the value of each child for the side to move; 0 for one that has not been learned."""
        table, side = self.tables[node.side], node.side
        return [
            table.get(child, 0.0) if child.result is None else float(child.value_for(side)) for child in node.children
        ]

    def iterate(self, iteration: int, on_progress: OnProgress) -> TdEntry:
        """Play and learn after every move; see System."""
        selfplay, learning = self.recipe.selfplay, self.recipe.learning
        source = random.Random(self.recipe.seed + 1_000_003 * iteration)
        epsilon = falling(selfplay.epsilon, selfplay.final_epsilon, iteration, self.recipe.iterations)
        self._rate = falling(learning.rate, learning.final_rate, iteration, self.recipe.iterations)
        self._errors = []
        for number in range(1, selfplay.games + 1):
            play_game(begin(self.small, selfplay, source), self.values, self._learn, epsilon, source)
            on_progress(number, selfplay.games)
        return TdEntry(
            games=(iteration + 1) * selfplay.games,
            updates=len(self._errors),
            positions=sum(map(len, self.tables)),
            epsilon=round(epsilon, 4),
            rate=round(self._rate, 4),
            move_loss=round(move_loss(self.small, self.values), 5),
            td_loss=round(sum(self._errors) / max(len(self._errors), 1), 5),
        )

    def _learn(self, node: Node, target: float) -> None:
        table = self.tables[1 - node.side]
        known = table.get(node, 0.0)
        table[node] = known + self._rate * (target - known)
        self._errors.append((target - known) ** 2)

    def check(self) -> None:
        """Look at the values; see System."""
        if not all(math.isfinite(value) for table in self.tables for value in table.values()):
            raise DivergedError("the values are not finite")

    def export(self, stamp: Stamp) -> bytes:
        """Return the tables as a file for the player td."""
        return dump(about(self.recipe, stamp), self._arrays(np.float32))

    def state(self) -> bytes:
        """Return the tables in double precision."""
        return dump({}, self._arrays(np.float64))

    def restore(self, state: bytes) -> None:
        """Continue from a `state`.

        Raises:
            ValueError: The state is damaged.
        """
        try:
            arrays = load_bytes(state, "state").arrays
            nodes = {board_code(node.position): node for node in self.small.nodes}
            for side, table in zip(SIDES, self.tables, strict=True):
                codes, values = arrays[f"{side}_codes"].tolist(), arrays[f"{side}_values"].tolist()
                table.clear()
                table.update({nodes[code]: value for code, value in zip(codes, values, strict=True)})
        except (UsageError, KeyError) as error:
            raise ValueError(f"state: {error}") from error

    def _arrays(self, kind: type[np.float32 | np.float64]) -> dict[str, Array]:
        arrays: dict[str, Array] = {}
        for side, table in zip(SIDES, self.tables, strict=True):
            by_code = sorted((board_code(node.position), value) for node, value in table.items())
            arrays[f"{side}_codes"] = np.array([code for code, _ in by_code], np.uint64)
            arrays[f"{side}_values"] = np.array([value for _, value in by_code], kind)
        return arrays
