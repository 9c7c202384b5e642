"""The commands at the end of a run: they work where they are typed."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from fiedler.support.programs import typed
from fiedler.training.loop.folder import TrainingFolder
from fiedler.training.loop.next_steps import next_steps
from fiedler.training.loop.run import Run
from fiedler.training.recipe.recipe import Checkpoints, LadderTable
from fiedler.training.recipe.registry import load
from tests.patience import PATIENCE
from tests.training.recipes import RECIPES

RECIPE = msgspec.structs.replace(load(RECIPES / "tictactoe-td-tiny.toml"), iterations=1)


def steps(**tables: object) -> dict[str, str]:
    """The commands by the words before them."""
    recipe = msgspec.structs.replace(RECIPE, **tables)
    folder = TrainingFolder(Path("results/training") / recipe.name)
    return {
        words.strip(): command.strip() for words, _, command in (s.partition(":") for s in next_steps(recipe, folder))
    }


def test_the_commands_of_a_run_depend_on_its_tables() -> None:
    assert list(steps()) == ["play against it", "serve it", "its strength"]
    assert (
        "results/training/tictactoe-td-tiny/checkpoints/*.table"
        in steps(checkpoints=Checkpoints(keep=3))["its checkpoints"]
    )
    ladder = steps(rating=LadderTable(every=1, games=2))
    assert ladder["its ladder"].endswith(
        "tournament status results/tictactoe-td-tiny-ladder  results/tictactoe-td-tiny-ladder/report.html"
    )
    assert ladder["the ladder again"].endswith("tournament run results/training/tictactoe-td-tiny/ladder.toml")


def test_a_command_works_as_it_is_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Run(RECIPE, TrainingFolder(Path("results/training") / RECIPE.name)).run(lambda *_: None, lambda _: None)
    words = shlex.split(steps()["its strength"])
    ended = subprocess.run([*words, "--games", "2"], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ended.returncode == 0, ended.stderr


def test_a_program_beside_the_interpreter_has_its_path_unless_it_is_on_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / ".venv/bin/train"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(program.with_name("python")))
    monkeypatch.setenv("PATH", "/nowhere")
    assert typed("train", "list", "a b") == ".venv/bin/train list 'a b'"
    monkeypatch.setenv("PATH", str(program.parent))
    assert typed("train", "list") == "train list"
    assert typed("tournament", "list") == "tournament list"
