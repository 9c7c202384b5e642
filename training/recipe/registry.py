"""Every learning system by name: its recipes, and the way from a recipe to its system.

Another system needs a folder and an entry here.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import msgspec

from fiedler.games import game_id
from fiedler.support.errors import UsageError, nearest, reason
from fiedler.support.toml import Refuse, TomlFile
from fiedler.training.recipe.recipe import Recipe
from fiedler.training.recipe.system import Comparison, System


class Registered(NamedTuple):
    """The classes of a system, each as `module:name`: they are imported when they are needed."""

    recipe: str
    system: str
    comparison: str = ""
    """Of its architectures; empty if it compares none."""


SYSTEMS: dict[str, Registered] = {
    "alphazero": Registered(
        "fiedler.training.alphazero.recipe:AlphaZeroRecipe", "fiedler.training.alphazero.system:AlphaZero"
    ),
    "descent": Registered(
        "fiedler.training.descent.recipe:DescentRecipe",
        "fiedler.training.descent.system:Descent",
        "fiedler.training.descent.architectures:ArchitectureSearch",
    ),
    "nnue": Registered("fiedler.training.nnue.recipe:NnueRecipe", "fiedler.training.nnue.system:Nnue"),
    "td": Registered("fiedler.training.td.recipe:TdRecipe", "fiedler.training.td.tables:TdTables"),
    "td-net": Registered("fiedler.training.td.recipe:TdNetRecipe", "fiedler.training.td.network:TdNetwork"),
    "dqn": Registered("fiedler.training.dqn.recipe:DqnRecipe", "fiedler.training.dqn.system:Dqn"),
    "policy": Registered("fiedler.training.policy.recipe:PolicyRecipe", "fiedler.training.policy.system:Policy"),
    "table": Registered("fiedler.training.table.recipe:TableRecipe", "fiedler.training.table.system:TableSystem"),
}


def load(path: Path, device: str | None = None) -> Recipe:
    """Return the recipe of a TOML file, or of the JSON in the folder of a run, with another `device` if one is named.

    Raises:
        UsageError: The recipe is wrong; the text names the file and the key, or line and column.
    """
    if path.suffix == ".json":
        return _kept(path, device)
    file = TomlFile(path)
    raw = file.parse() | ({"device": device} if device else {})
    kind = recipe_kind(raw.get("system"), file.refuse)
    file.refuse_unknown(raw, kind)
    recipe = file.convert(raw, kind)
    recipe = msgspec.structs.replace(recipe, game=game_id(recipe.game))
    recipe.check(file.refuse)
    return recipe


def _kept(path: Path, device: str | None) -> Recipe:
    """Return the recipe that a run keeps in its folder."""
    try:
        found = from_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, UsageError) as error:
        raise UsageError(f"{path}: cannot be read as the recipe of a run: {reason(error)}") from None
    return msgspec.structs.replace(found, device=device) if device else found


def from_json(text: str) -> Recipe:
    """Return the recipe of a text from `Recipe.json`.

    Raises:
        UsageError: The text is damaged.
    """
    try:
        kind = recipe_kind(msgspec.json.decode(text, type=dict).get("system"), _refuse)
        return msgspec.json.decode(text, type=kind)
    except msgspec.MsgspecError as error:
        raise UsageError(f"recipe: {error}") from None


def _refuse(key: str, wrong: str) -> NoReturn:
    raise UsageError(f"recipe: {key}: {wrong}")


def recipe_kind(system: object, refuse: Refuse) -> type[Recipe]:
    """Return the class of the recipes of a system.

    Raises:
        UsageError: By `refuse`, if the system is unknown; the text gives the nearest known one.
    """
    if not isinstance(system, str) or system not in SYSTEMS:
        got = "none" if system is None else repr(system)
        near = nearest(system, SYSTEMS) if isinstance(system, str) else ""
        refuse("system", f"expected {' or '.join(repr(name) for name in SYSTEMS)}, got {got}{near}")
    kind: type[Recipe] = _found(SYSTEMS[system].recipe)
    return kind


def new_system(recipe: Recipe) -> System[Any]:
    """Return the system of a recipe with an untrained model.

    Raises:
        UsageError: The recipe names a file, a player or an expert that is missing or unfit.
    """
    return _kind(recipe)(recipe)


def untrained_model(recipe: Recipe) -> bytes:
    """Return the untrained model as a file for the recipe's player. Experts and games are not read."""
    return _kind(recipe).untrained(recipe)


def comparison(recipe: Recipe) -> Comparison:
    """Return the comparison of the architectures that a recipe names.

    Raises:
        UsageError: It names none, or their expert is missing or unfit.
    """
    if not recipe.has_comparison:
        able = " or ".join(repr(name) for name, one in SYSTEMS.items() if one.comparison)
        raise UsageError(f"recipe {recipe.name}: expected system {able} with the table [architectures]")
    compare: Comparison = _found(SYSTEMS[recipe.system].comparison)(recipe).run
    return compare


def _kind(recipe: Recipe) -> type[System[Any]]:
    kind: type[System[Any]] = _found(SYSTEMS[recipe.system].system)
    return kind


def _found(place: str) -> Any:  # noqa: ANN401 - a class of any kind
    """Return the class at a `module:name`."""
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
