"""The gate: a new network plays against the one before, which decides whether it is kept."""

from __future__ import annotations

from typing import Protocol

from fiedler.games import game
from fiedler.players import Factory
from fiedler.training.judge.match import naming, openings, play_match, score
from fiedler.training.recipe.recipe import Recipe


class GateOpenings(Protocol):
    """The keys of a table `[gate]` that define its openings."""

    @property
    def games(self) -> int:
        """Games of the match: every opening twice, with colours reversed."""

    @property
    def plies(self) -> int:
        """Random plies of an opening."""


class Gate:
    """Matches of new players against those before, by fixed openings (the evaluator of Silver et al. 2017)."""

    def __init__(self, recipe: Recipe, table: GateOpenings) -> None:
        """Find the openings, those of the recipe's seed.

        Raises:
            UsageError: The game has too few of them.
        """
        with naming("gate.games"):
            self._openings = openings(game(recipe.game), table.plies, table.games // 2, recipe.seed)

    def score(self, new: Factory, old: Factory, seed: int, threads: int = 2) -> float:
        """Return the score of the new players, 0 to 1."""
        return score(play_match(new, old, self._openings, seed=seed, threads=threads)).mean
