"""The recipes of configs/training run: the small ones to their end, the others for two minutes in the long tests."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from fiedler.games import game
from fiedler.native import Limits, StopFlag
from fiedler.training.judge.sides import model_player
from fiedler.training.loop.folder import PICTURE, TrainingFolder
from fiedler.training.loop.run import Run
from fiedler.training.recipe.entry import Entry
from fiedler.training.recipe.registry import load
from tests.training.recipes import RECIPES

SMALL = [
    "uttt-tiny",
    "connect4-tiny",
    "cube-tiny",
    "cube-volume-tiny",
    "gomoku9-plain-tiny",
    "gomoku9-tiny",
    "gomoku15-tiny",
    "renju15-tiny",
]
"""Those that no other test runs."""
LARGE = sorted(path.stem for path in RECIPES.glob("*.toml") if not path.stem.endswith("-tiny"))
SECONDS = 120.0


class StoppedError(Exception):
    """Ends a run."""


def stop_after(seconds: float) -> Callable[[Entry], None]:
    end = time.monotonic() + seconds

    def on_iteration(_: Entry) -> None:
        if time.monotonic() > end:
            raise StoppedError

    return on_iteration


def plays(model: Path, game_id: str) -> bool:
    """Return whether the player of a model file finds a move."""
    played = game(game_id)
    factory = model_player(model, played, 8)
    try:
        return factory.player().search(played.position(), Limits(), StopFlag()).best is not None
    finally:
        factory.close()


def check(run: Run) -> None:
    """The run has a log of numbers, a picture, and a model that plays."""
    log = run.folder.log()
    assert [entry.iteration for entry in log] == list(range(1, len(log) + 1))
    assert all(math.isfinite(loss) for entry in log for loss in entry.losses.values())
    assert (run.folder.path / PICTURE).read_text("utf-8").startswith("<svg")
    assert plays(run.model, run.recipe.game)


@pytest.mark.programs
@pytest.mark.parametrize("name", SMALL)
def test_a_small_recipe_runs_to_its_end(tmp_path: Path, name: str) -> None:
    recipe = load(RECIPES / f"{name}.toml")
    run = Run(recipe, TrainingFolder(tmp_path))
    run.run(lambda *_: None, lambda _: None)
    assert run.finished
    check(run)
    strength = run.folder.log()[-1].strength
    assert strength["random"].score > 0.5, "the search alone beats random"


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", LARGE)
def test_a_recipe_runs_for_two_minutes_and_resumes(tmp_path: Path, name: str) -> None:
    recipe = load(RECIPES / f"{name}.toml")
    run = Run(recipe, TrainingFolder(tmp_path))
    try:
        run.run(lambda *_: None, stop_after(SECONDS))
    except StoppedError:
        before = run.iteration
        run = Run(recipe, TrainingFolder(tmp_path))
        assert run.iteration == before
        with nullcontext() if run.finished else pytest.raises(StoppedError):
            run.run(lambda *_: None, stop_after(0))
    check(run)
