"""The commands that a finished run leads to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fiedler.players import player_kind
from fiedler.support.programs import typed
from fiedler.training.loop.folder import CHECKPOINTS, TrainingFolder
from fiedler.training.loop.ladder import SCHEDULE, results
from fiedler.training.recipe.recipe import Recipe

REPORT = "report.html"


def next_steps(recipe: Recipe, folder: TrainingFolder) -> Iterator[str]:
    """Yield a line for each command, as it works where it is typed now."""
    model = str(folder.path / recipe.model)
    yield f"play against it:  {typed('engine', 'play', '--game', recipe.game, '--model', model)}"
    yield f"serve it:         {typed('engine', 'serve', '--game', recipe.game, '--model', model)}"
    yield f"its strength:     {typed('train', 'match', model, *_limit(recipe))}"
    if recipe.rating is not None:
        ladder = results(recipe, folder)
        yield f"its ladder:       {typed('tournament', 'status', str(ladder))}  {ladder / REPORT}"
        yield f"the ladder again: {typed('tournament', 'run', str(folder.path / SCHEDULE))}"
    elif recipe.checkpoints is not None:
        models = folder.path / CHECKPOINTS / f"*{Path(recipe.model).suffix}"
        yield f"its checkpoints:  models = {str(models)!r} in a schedule of `tournament run`"


def _limit(recipe: Recipe) -> list[str]:
    """Return the options of a quick match."""
    return ["--simulations", "100"] if player_kind(recipe.player).budget else []
