"""Kept checkpoints: log-spaced, never more than the recipe says, each one a player."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fiedler.games import game
from fiedler.native import Limits, StopFlag
from fiedler.players import create
from fiedler.training.alphazero.recipe import AlphaZeroRecipe
from fiedler.training.loop.checkpoints import spaced
from fiedler.training.loop.folder import TrainingFolder
from fiedler.training.loop.run import Run
from fiedler.training.recipe.entry import Entry
from fiedler.training.recipe.recipe import Checkpoints
from tests.training.recipes import TINY


@given(st.integers(1, 60), st.integers(1, 5000))
def test_iterations_are_log_spaced(count: int, last: int) -> None:
    found = spaced(count, last)
    assert len(found) == min(count, last)
    assert found == sorted(set(found))
    assert found[-1] == last
    assert count == 1 or found[0] == 1
    factors = [b / a for a, b in pairwise(found) if b > a + 1]
    assert all(factor < 1.5 * factors[-1] for factor in factors), "no gap is much wider than the last one"


def test_the_spacing_of_twenty_checkpoints() -> None:
    found = [1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 90, 127, 179, 253, 357, 503, 709, 1000]
    assert spaced(20, 1000) == found


def recipe(keep: int | None) -> AlphaZeroRecipe:
    learning = msgspec.structs.replace(TINY.learning, samples=100, capacity=500)
    kept = Checkpoints(keep=keep) if keep else None
    return msgspec.structs.replace(TINY, iterations=9, learning=learning, checkpoints=kept)


class StoppedError(Exception):
    """Any end of a run."""


def stop_after(iteration: int) -> Callable[[Entry], None]:
    def on_iteration(entry: Entry) -> None:
        if entry.iteration == iteration:
            raise StoppedError

    return on_iteration


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "checkpoints").iterdir())


@pytest.mark.programs
def test_a_run_keeps_checkpoints_that_play(tmp_path: Path) -> None:
    run = Run(recipe(4), TrainingFolder(tmp_path))
    with pytest.raises(StoppedError):
        run.run(lambda *_: None, stop_after(3))
    assert names(tmp_path) == ["0001.onnx", "0002.onnx"]
    first = (tmp_path / "checkpoints" / "0001.onnx").read_bytes()
    run = Run(recipe(4), TrainingFolder(tmp_path))
    run.run(lambda *_: None, lambda _: None)
    assert names(tmp_path) == ["0001.onnx", "0002.onnx", "0004.onnx", "0009.onnx"]
    assert (tmp_path / "checkpoints" / "0001.onnx").read_bytes() == first
    assert (tmp_path / "checkpoints" / "0009.onnx").read_bytes() == run.model.read_bytes() != first
    played = game("tictactoe")
    for name in names(tmp_path):
        factory = create(played, "checkpoint", {"model": str(tmp_path / "checkpoints" / name)})
        assert factory.player().search(played.position(), Limits(nodes=20), StopFlag()).best is not None
        factory.close()


@pytest.mark.programs
def test_fewer_are_kept_when_the_recipe_says_so(tmp_path: Path) -> None:
    Run(recipe(9), TrainingFolder(tmp_path)).run(lambda *_: None, lambda _: None)
    assert len(names(tmp_path)) == 9
    (tmp_path / "checkpoints" / "mine.onnx").touch()
    Run(recipe(2), TrainingFolder(tmp_path)).run(lambda *_: None, lambda _: None)
    assert names(tmp_path) == ["0001.onnx", "0009.onnx", "mine.onnx"]


@pytest.mark.programs
def test_without_the_table_none_is_kept(tmp_path: Path) -> None:
    Run(recipe(None), TrainingFolder(tmp_path)).run(lambda *_: None, lambda _: None)
    assert not (tmp_path / "checkpoints").exists()
