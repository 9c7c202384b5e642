"""The recipes of the tests."""

from __future__ import annotations

from tests.folders import CONFIGS
from training.alphazero.recipe import AlphaZeroRecipe
from training.recipe.registry import load

RECIPES = CONFIGS / "training"


def alphazero(name: str) -> AlphaZeroRecipe:
    recipe = load(RECIPES / f"{name}.toml")
    assert isinstance(recipe, AlphaZeroRecipe)
    return recipe


TINY = alphazero("tictactoe-tiny")
