"""The gate of Descent: an update is kept only if the new network is at least as strong as the one before."""

from __future__ import annotations

from games import game
from native import PatternNet
from players.descent import DescentFactory
from players.incremental import IncrementalNet
from training.descent.recipe import DescentRecipe
from training.match import openings, play_match, score

HASH_MB = 16
"""Of each player, more than its searches need."""


def gate_score(new: PatternNet, old: PatternNet, recipe: DescentRecipe, iteration: int) -> float:
    """Return the score of the new network, 0 to 1, in the match of `[gate]`."""
    table, played = recipe.gate, game(recipe.game)
    assert table is not None
    options = {"evaluations": str(table.expansions), "hash_mb": str(HASH_MB)}
    ours, theirs = (DescentFactory(played, options, IncrementalNet(net, recipe.name, {})) for net in (new, old))
    starts = openings(played, table.plies, table.games // 2, recipe.seed + iteration)
    return score(play_match(ours, theirs, starts, seed=recipe.seed, threads=1)).mean
