"""The common metadata of all kinds of model files."""

from __future__ import annotations

from fiedler.players.model_file import FORMAT
from fiedler.training.recipe.recipe import Recipe
from fiedler.training.recipe.system import Stamp


def about(recipe: Recipe, stamp: Stamp) -> dict[str, str]:
    """Return the purpose of a model, for players, and its origin, for human readers."""
    return {
        "fiedler": FORMAT,
        "game": recipe.game,
        "player": recipe.player,
        "name": recipe.name,
        "recipe": recipe.json(),
        "commit": stamp.commit,
        "seconds": f"{stamp.seconds:.0f}",
    }
