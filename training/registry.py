"""Every learning system by name, and the reading of recipes. Another one needs a folder and an entry here."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import NoReturn

import msgspec

from games import game_id
from support.errors import UsageError, nearest, reason
from support.toml import Refuse, TomlFile
from training.recipe import Recipe

SYSTEMS: dict[str, tuple[str, str]] = {
    "alphazero": ("training.alphazero.recipe", "AlphaZeroRecipe"),
    "descent": ("training.descent.recipe", "DescentRecipe"),
    "nnue": ("training.nnue.recipe", "NnueRecipe"),
    "td": ("training.td.recipe", "TdRecipe"),
    "td-net": ("training.td.recipe", "TdNetRecipe"),
    "dqn": ("training.dqn.recipe", "DqnRecipe"),
    "policy": ("training.policy.recipe", "PolicyRecipe"),
    "table": ("training.table.recipe", "TableRecipe"),
}
"""Name -> module and class of its recipes, loaded on demand."""


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
    module, name = SYSTEMS[system]
    kind: type[Recipe] = getattr(importlib.import_module(module), name)
    return kind
