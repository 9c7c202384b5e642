"""The learners of both sides play against each other, each by its own tree, which grows from game to game."""

from __future__ import annotations

import time
from itertools import chain

from fiedler.native import KeptTrees
from fiedler.players import table_file
from fiedler.training.model.about import about
from fiedler.training.recipe.system import OnProgress, Stamp, System
from fiedler.training.table.entry import TableEntry
from fiedler.training.table.recipe import TableRecipe

CHUNK = 2000
"""Episodes between two looks at progress and interruptions."""
ARRAYS = ("first_keys", "first_visits", "second_keys", "second_visits")
"""The arrays of the model file, in the order of the trees."""


class TableSystem(System[TableRecipe]):
    """Monte Carlo tree search by UCB1 from the start of the game, a tree for each side.

    An iteration plays up to the recipe's total, so a restored system continues as if it had never stopped.
    """

    def __init__(self, recipe: TableRecipe) -> None:
        super().__init__(recipe)
        self.trees = KeptTrees(
            recipe.game, c=recipe.c, rollout=recipe.rollout, hash_mb=recipe.hash_mb, seed=recipe.seed
        )

    def iterate(self, iteration: int, on_progress: OnProgress) -> TableEntry:
        """Play the episodes of an iteration; see System."""
        begun, began = self.trees.episodes, time.thread_time()
        wanted = self.recipe.total(iteration) - begun
        plies, points = 0, 0.0
        for done in chain(range(CHUNK, wanted, CHUNK), [wanted]):
            stats = self.trees.play(done - (self.trees.episodes - begun))
            plies += stats.tree_plies
            points += stats.first_wins + stats.draws / 2
            on_progress(done, max(wanted, 1))
        first, second = self.trees.sizes
        return TableEntry(
            episodes=self.trees.episodes,
            first_nodes=first,
            second_nodes=second,
            memory_mb=round(self.trees.memory_bytes / 2**20, 2),
            tree_plies=round(plies / max(wanted, 1), 3),
            first_score=round(points / max(wanted, 1), 4),
            play_seconds=round(time.thread_time() - began, 3),
        )

    def export(self, stamp: Stamp) -> bytes:
        """Return the keys and the visits of the most visited nodes as a table file."""
        first, second = self.trees.most_visited(self.recipe.kept)
        arrays: dict[str, table_file.Array] = dict(zip(ARRAYS, (*first[:2], *second[:2]), strict=True))
        return table_file.dump(about(self.recipe, stamp), arrays)

    def state(self) -> bytes:
        """Return both trees."""
        return self.trees.dump()

    def restore(self, state: bytes) -> None:
        """Continue from a `state`.

        Raises:
            ValueError: The state is damaged.
        """
        self.trees.load(state)
