"""The gate: a new network replaces the best one only if it beats it (the evaluator of Silver et al. 2017)."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path

from games import game
from training.alphazero.recipe import AlphaZeroRecipe, GateTable
from training.judge.match import naming, openings, play_match, score
from training.judge.sides import model_player


class Gate:
    """Matches of a new model against the best one so far, with the openings of the recipe's seed."""

    def __init__(self, recipe: AlphaZeroRecipe, table: GateTable) -> None:
        """Find the openings.

        Raises:
            UsageError: The game has too few of them.
        """
        self._game = game(recipe.game)
        self._table = table
        self._seed = recipe.seed
        self._device = recipe.device
        with naming("gate.games"):
            self._openings = openings(self._game, table.plies, table.games // 2, recipe.seed)

    def score(self, new: bytes, best: bytes, iteration: int) -> float:
        """Return the new model's score against the best one, 0 to 1."""
        with tempfile.TemporaryDirectory() as folder:
            paths = Path(folder) / "new.onnx", Path(folder) / "best.onnx"
            for path, data in zip(paths, (new, best), strict=True):
                path.write_bytes(data)
            options = {"threats": str(self._table.threats)}
            simulations, device = self._table.simulations, self._device
            ours, theirs = (model_player(path, self._game, simulations, options, device) for path in paths)
            with closing(ours), closing(theirs):
                return score(play_match(ours, theirs, self._openings, seed=self._seed + iteration)).mean

    def opens(self, found: float) -> bool:
        """Return whether a score is enough."""
        return found > self._table.score
