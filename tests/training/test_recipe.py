"""Recipes: every one in configs/ is sound; what is wrong in one is said by file and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.errors import UsageError
from tests.folders import CONFIGS
from training.recipe import Recipe, load

RECIPES = CONFIGS / "training"
TINY = RECIPES / "tictactoe-tiny.toml"


def written(tmp_path: Path, old: str = "", new: str = "") -> Path:
    path = tmp_path / "recipe.toml"
    text = TINY.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


@pytest.mark.parametrize("path", sorted(RECIPES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_recipe_of_the_project_is_sound(path: Path) -> None:
    recipe = load(path)
    assert recipe.name == path.stem
    assert Recipe.from_json(recipe.json()) == recipe


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("iterations", "iteratons", "iteratons: unknown key; did you mean 'iterations'?"),
        ("stride", "strid", "net.strid: unknown key; did you mean 'stride'?"),
        ("passes", "zzz", "learning.zzz: unknown key (known: "),
        ("[learning]", "[lerning]", "lerning: unknown key; did you mean 'learning'?"),
        ("iterations = 15", "", "missing required field `iterations`"),
        ("batch = 128", "", "learning: Object missing required field `batch`"),
        ("batch = 128", 'batch = "many"', "learning.batch: Expected `int`, got `str`"),
        ("batch = 128", "batch = 0", "learning.batch: expected 1 to 65536, got 0"),
        ("full_share = 0.5", "full_share = 1.5", "selfplay.full_share: expected 0.01 to 1, got 1.5"),
        ("hidden = [64]", "hidden = []", "net.hidden: expected one layer or more"),
        ("kernel = 3", "kernel = 4", "net.kernel: expected at most 3, got 4"),
        ('game = "tictactoe"', 'game = "tictacto"', "unknown game 'tictacto'; did you mean 'tictactoe'?"),
        ('name = "tictactoe-tiny"', 'name = "../x"', "name: expected letters, digits"),
        ("seed = 1", "seed = -1", "seed: expected 0 to"),
        ("[net]", "[net", "not a TOML file"),
        ("seed = 1", "net = 1", "not a TOML file"),
        ("[net]", "[[net]]", "net: Expected `object`, got `array`"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        load(written(tmp_path, old, new))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.toml: No such file or directory"):
        load(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not a TOML file"):
        load(tmp_path / "binary.toml")


def test_differences_are_named_by_key(tmp_path: Path) -> None:
    other = load(written(tmp_path, "rate = 4e-3", "rate = 1e-3"))
    assert load(TINY).differences(other) == ["learning.rate"]
    assert load(TINY).differences(load(TINY)) == []


def test_a_recipe_in_a_file_can_be_damaged() -> None:
    with pytest.raises(UsageError, match="recipe: "):
        Recipe.from_json("{}")
