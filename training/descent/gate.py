"""The gate of Descent: an update is kept only if the new network is at least as strong as the one before."""

from __future__ import annotations

from games import game
from native import PatternNet
from players.descent import DescentFactory
from players.incremental import IncrementalNet
from training.descent.recipe import DescentGate, DescentRecipe
from training.judge.match import naming, openings, play_match, score


class VersionGate:
    """Matches of a new network against the one before, with the openings of the recipe's seed."""

    def __init__(self, recipe: DescentRecipe, table: DescentGate) -> None:
        """Find the openings.

        Raises:
            UsageError: The game has too few of them.
        """
        self._recipe, self._table = recipe, table
        self._game = game(recipe.game)
        with naming("gate.games"):
            self._openings = openings(self._game, table.plies, table.games // 2, recipe.seed)

    def score(self, new: PatternNet, old: PatternNet) -> float:
        """Return the score of the new network, 0 to 1."""
        options = {"evaluations": str(self._table.expansions)}
        ours, theirs = (
            DescentFactory(self._game, options, IncrementalNet(net, self._recipe.name, {})) for net in (new, old)
        )
        return score(play_match(ours, theirs, self._openings, seed=self._recipe.seed, threads=1)).mean
