"""The kept checkpoints of a run: a model file for each of some iterations, log-spaced, each one a player."""

from __future__ import annotations

import re

from fiedler.training.loop.folder import CHECKPOINTS, TrainingFolder
from fiedler.training.recipe.recipe import Recipe

DIGITS = 4
"""The fewest digits of a name: names sort like their iterations."""


def spaced(count: int, last: int) -> list[int]:
    """Return `count` iterations from 1 to `last`, each a constant factor after the one before; all if there are fewer.

    Where the factor would give an iteration twice, the next one follows, and the rest is spaced anew.
    """
    found = [1] if count > 1 else []
    while found and len(found) < count - 1 and found[-1] < last:
        factor = (last / found[-1]) ** (1 / (count - len(found)))
        found.append(max(found[-1] + 1, round(found[-1] * factor)))
    return [*(iteration for iteration in found if iteration < last), last]


def rated(recipe: Recipe) -> list[int]:
    """Return the iterations whose models the ladder of a run rates."""
    if recipe.rating is None:
        return []
    return [*range(recipe.rating.every, recipe.iterations, recipe.rating.every), recipe.iterations]


def kept(recipe: Recipe) -> list[int]:
    """Return the iterations whose models a run of this recipe keeps: log-spaced ones, and those of the ladder."""
    own = spaced(recipe.checkpoints.keep, recipe.iterations) if recipe.checkpoints else []
    return sorted({*own, *rated(recipe)})


def name(recipe: Recipe, iteration: int) -> str:
    """Return the file of a kept checkpoint, in the folder of the run."""
    digits = max(DIGITS, len(str(recipe.iterations)))
    return f"{CHECKPOINTS}/{iteration:0{digits}}.{recipe.model.rpartition('.')[2]}"


def keep(folder: TrainingFolder, recipe: Recipe, iteration: int) -> None:
    """Keep the newest model, if it is one of those, and remove those that the recipe does not keep.

    Without the tables `[checkpoints]` and `[rating]` nothing changes.
    """
    if recipe.checkpoints is None and recipe.rating is None:
        return
    wanted = {name(recipe, one) for one in kept(recipe)}
    if (own := name(recipe, iteration)) in wanted:
        (folder.path / CHECKPOINTS).mkdir(exist_ok=True)
        folder.write(own, (folder.path / recipe.model).read_bytes())
    for path in (folder.path / CHECKPOINTS).glob("*"):
        if re.fullmatch(r"\d+", path.stem) and f"{CHECKPOINTS}/{path.name}" not in wanted:
            path.unlink()
