"""Recipes: every one in configs/ is sound; errors name the file and the key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fiedler.support.errors import UsageError
from fiedler.training.judge.evaluation import Evaluator
from fiedler.training.judge.opponent import RisingOpponent
from fiedler.training.recipe.registry import SYSTEMS, from_json, load
from tests.training.recipes import RECIPES

TINY = RECIPES / "tictactoe-tiny.toml"
KNOWN = " or ".join(map(repr, SYSTEMS))


def written(tmp_path: Path, old: str = "", new: str = "") -> Path:
    path = tmp_path / "recipe.toml"
    text = TINY.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


@pytest.mark.parametrize("path", sorted(RECIPES.rglob("*.toml")), ids=lambda path: path.stem)
def test_every_recipe_of_the_project_is_sound(path: Path) -> None:
    recipe = load(path)
    assert recipe.name == path.stem
    assert from_json(recipe.json()) == recipe
    Evaluator(recipe).close()
    RisingOpponent(recipe)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('system = "alphazero"', "", f": system: expected {KNOWN}, got none"),
        ('system = "alphazero"', 'system = "alphazro"', f": system: expected {KNOWN}, got 'alphazro'; did you mean"),
        ('system = "alphazero"', "system = 1", f": system: expected {KNOWN}, got 1"),
        ("iterations", "iteratons", ": iteratons: unknown table or key; did you mean 'iterations'?"),
        (
            "stride",
            "strid",
            ": net.strid: unknown key of kind 'embedding', which has value_hidden, kernel, stride, channels, "
            "mixed, hidden; did you mean 'stride'?",
        ),
        (
            'kind = "embedding"',
            'kind = "lines"',
            ": net.kernel: unknown key of kind 'lines', which has value_hidden, hidden",
        ),
        ("passes", "zzz", ": learning.zzz: unknown key; known: capacity, batch, "),
        ("[learning]", "[lerning]", ": lerning: unknown table or key; did you mean 'learning'?"),
        ("iterations = 15", "", "recipe.toml: missing required field iterations"),
        ("batch = 128", "", ": learning: missing required field batch"),
        ("batch = 128", 'batch = "many"', ": learning.batch: expected a whole number, got 'many'"),
        ("batch = 128", "batch = 0", ": learning.batch: expected a whole number >= 1, got 0"),
        ("full_share = 0.5", "full_share = 1.5", ": selfplay.full_share: expected a number <= 1.0, got 1.5"),
        ("full_share = 0.5", "full_share = nan", ": selfplay.full_share: expected a number >= 0.01, got nan"),
        ("hidden = [64]", "hidden = []", ": net.hidden: expected an array of length >= 1, got []"),
        ("hidden = [64]", "hidden = [64, 0]", ": net.hidden[2]: expected a whole number >= 1, got 0"),
        ("kernel = 3", "kernel = 4", ": net.kernel: expected at most 3, got 4"),
        ('game = "tictactoe"', 'game = "tictacto"', ": game: unknown game 'tictacto'; did you mean 'tictactoe'?"),
        ('name = "tictactoe-tiny"', 'name = "../x"', ": name: expected letters, digits"),
        ("seed = 1", "seed = -1", ": seed: expected a whole number >= 0, got -1"),
        ("[net]", "[net", "recipe.toml:9:5: Expected ']' at the end of a table declaration"),
        ("seed = 1", "net = 1", "recipe.toml:9:5: "),
        ("[net]", "[[net]]", ": net: expected a table, got [{"),
    ],
)
def test_a_wrong_recipe_gives_a_line_for_each_error(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        load(written(tmp_path, old, new))
    first, *others = str(refused.value).splitlines()
    assert message in first
    assert all(line.startswith(f"{tmp_path / 'recipe.toml'}: net.") for line in others)
    assert bool(others) == ("embedding" in old)  # four keys of that network are unknown to another one


def test_a_short_name_stands_for_the_id_of_its_game(tmp_path: Path) -> None:
    assert load(written(tmp_path, 'game = "tictactoe"', 'game = "ttt"')) == load(TINY)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.toml: cannot be read: no such file or directory"):
        load(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="expected UTF-8 text, got byte 0xff at 0"):
        load(tmp_path / "binary.toml")


@pytest.mark.parametrize("key", ["rate", "final_rate"])
@pytest.mark.parametrize("system", sorted(SYSTEMS.keys() - {"table"}))
def test_the_rates_of_every_system_have_the_same_bound(tmp_path: Path, system: str, key: str) -> None:
    """A part of a difference for tables, about the step of each weight for Adam: neither is above 1."""
    text = next(one for path in sorted(RECIPES.glob("*.toml")) if f'system = "{system}"' in (one := path.read_text()))
    path = tmp_path / "recipe.toml"
    path.write_text(re.sub(rf"^{key} = .*$", f"{key} = 1.0", text, flags=re.MULTILINE), encoding="utf-8")
    load(path)
    path.write_text(re.sub(rf"^{key} = .*$", f"{key} = 1.01", text, flags=re.MULTILINE), encoding="utf-8")
    with pytest.raises(UsageError, match=rf": learning\.{key}: expected a number <= 1\.0, got 1\.01$"):
        load(path)


def test_differences_are_named_by_key(tmp_path: Path) -> None:
    other = load(written(tmp_path, "rate = 4e-3", "rate = 1e-3"))
    assert load(TINY).differences(other) == ["learning.rate"]
    assert load(TINY).differences(load(TINY)) == []


def test_a_recipe_in_a_file_can_be_damaged() -> None:
    for text, message in (
        ("{}", f"recipe: system: expected {KNOWN}, got none"),
        ("", "recipe: "),
        ("3", "recipe: "),
    ):
        with pytest.raises(UsageError, match=message):
            from_json(text)
    with pytest.raises(UsageError, match="recipe: Object missing required field `name`"):
        from_json('{"system": "alphazero"}')
