"""The recipes of the tests."""

from __future__ import annotations

from fiedler.training.alphazero.recipe import AlphaZeroRecipe
from fiedler.training.recipe.registry import load
from tests.folders import CONFIGS

RECIPES = CONFIGS / "training"


def alphazero(name: str) -> AlphaZeroRecipe:
    recipe = load(RECIPES / f"{name}.toml")
    assert isinstance(recipe, AlphaZeroRecipe)
    return recipe


TINY = alphazero("tictactoe-tiny")
