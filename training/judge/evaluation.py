"""The strength of the model of a run against its fixed references, as the run goes."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from fiedler.games import game
from fiedler.players import Factory
from fiedler.support.errors import UsageError
from fiedler.training.judge.match import Score, openings, play_match, score
from fiedler.training.judge.sides import check_options, model_player, reference
from fiedler.training.recipe.entry import Strength
from fiedler.training.recipe.recipe import Recipe

DIGITS = 4
"""Of a stored score."""


class Evaluator:
    """Plays the matches of the table `[evaluation]`: every time the same openings and seeds."""

    def __init__(self, recipe: Recipe) -> None:
        """Find the openings and load the references.

        Raises:
            UsageError: The game has too few openings, or a reference is wrong.
        """
        self._recipe = recipe
        self._game = game(recipe.game)
        self._references: dict[str, Factory] = {}
        if table := recipe.evaluation:
            try:
                check_options(recipe.player, table.options)
                self._openings = openings(self._game, table.plies, table.games // 2, recipe.seed)
                for text in table.against:
                    self._references[text] = reference(text, self._game, table.simulations)
            except UsageError as error:
                self.close()
                raise UsageError(f"evaluation: {error}") from None

    def due(self, iteration: int) -> bool:
        """Return whether the model is evaluated after this iteration, counted from 1; it is after the last one."""
        table = self._recipe.evaluation
        return table is not None and table.due(iteration, self._recipe.iterations)

    def strength(self, model: Path) -> dict[str, Strength]:
        """Return the score of a model file against each reference.

        Raises:
            WorkError: The model cannot be evaluated.
        """
        table, device = self._recipe.evaluation, self._recipe.device
        assert table is not None
        with closing(model_player(model, self._game, table.simulations, table.options, device)) as ours:
            return {name: _strength(self._match(ours, theirs)) for name, theirs in self._references.items()}

    def _match(self, ours: Factory, theirs: Factory) -> Score:
        return score(play_match(ours, theirs, self._openings, seed=self._recipe.seed))

    def close(self) -> None:
        """End the references."""
        for one in self._references.values():
            one.close()


def _strength(found: Score) -> Strength:
    low, high = found.interval
    return Strength(round(found.mean, DIGITS), round(low, DIGITS), round(high, DIGITS), found.games)
