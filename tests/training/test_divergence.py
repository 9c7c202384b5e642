"""Training that stops being finite: it ends with a sentence before anything is written, and the run resumes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from click.testing import CliRunner

from fiedler.support.errors import UsageError, WorkError
from fiedler.training.cli import train
from fiedler.training.loop.folder import TrainingFolder
from fiedler.training.loop.run import Run
from fiedler.training.model.torch_system import TorchSystem, numbers
from fiedler.training.recipe.entry import Entry
from fiedler.training.recipe.recipe import Recipe
from fiedler.training.recipe.registry import load, new_system
from fiedler.training.recipe.system import DivergedError, Stamp
from fiedler.training.td.tables import TdTables
from tests.training.recipes import RECIPES, TINY

SMALL: dict[str, dict[str, Any]] = {
    "tictactoe-tiny": {"learning": {"samples": 100, "capacity": 500}},
    "tictactoe-td-net-tiny": {"selfplay": {"games": 20}},
    "tictactoe-td-tiny": {"selfplay": {"games": 20}},
    "uttt-tiny": {"selfplay": {"expansions": 20}, "learning": {"samples": 500, "capacity": 2000, "batch": 64}},
    "gomoku15-tiny": {
        "game": "gomoku9",
        "selfplay": {"nodes": 50, "label_nodes": 30},
        "learning": {"samples": 200, "capacity": 2000, "batch": 64},
    },
    "connect4-dqn-tiny": {"games": {"count": 64}, "measurements": {"games": 16}},
    "renju15-tiny": {"engines": {"count": 1}, "learning": {"steps": 2}},
}
"""Tiny recipes, smaller still: one of each system that can diverge, and one of tables."""


def small(name: str, **changes: Any) -> Recipe:
    """A recipe of two iterations without matches, with other tables or keys of them."""
    found = load(RECIPES / f"{name}.toml")
    data = msgspec.to_builtins(found) | {"iterations": 2, "evaluation": None, "opponent": None, "rating": None}
    for table, values in [*SMALL[name].items(), *changes.items()]:
        data[table] = (data[table] or {}) | values if isinstance(values, dict) else values
    return msgspec.convert(data, type(found))


def poison(run: Run) -> None:
    """Make every number that the system has learned NaN, as a step with too high a rate does."""
    if isinstance(run.system, TdTables):
        for table in run.system.tables:
            table.update(dict.fromkeys(table, float("nan")))
        return
    assert isinstance(run.system, TorchSystem)
    for found in numbers(run.system._parts()):
        if isinstance(found, torch.Tensor) and found.is_floating_point():
            found.fill_(float("nan"))


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".fiedler"}


@pytest.mark.parametrize("name", SMALL)
def test_a_run_that_diverges_keeps_all_its_files_and_resumes(tmp_path: Path, name: str) -> None:
    recipe, run = small(name), Run(small(name), TrainingFolder(tmp_path))
    before: dict[str, bytes] = {}

    def on_iteration(entry: Entry) -> None:
        before.update(files(tmp_path))
        poison(run)

    with pytest.raises(WorkError) as ended:
        run.run(lambda *_: None, on_iteration)
    said = str(ended.value)
    assert said.endswith(" in iteration 2: lower learning.rate; --resume continues after iteration 1"), said
    assert files(tmp_path) == before
    again = Run(recipe, TrainingFolder(tmp_path))
    assert again.iteration == 1
    again.run(lambda *_: None, lambda _: None)
    assert [entry.iteration for entry in again.folder.log()] == [1, 2]


WILD = {"samples": 200, "capacity": 500, "weight_decay": 10.0, "warmup": 4, "rate": 1.0, "final_rate": 1.0}


@pytest.mark.parametrize("gate", [None, {"games": 2, "simulations": 2}])
def test_a_rate_that_is_too_high_ends_with_one_line_and_a_lower_one_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gate: dict[str, int] | None
) -> None:
    monkeypatch.chdir(tmp_path)
    recipe = small("tictactoe-tiny", iterations=8, learning=WILD, gate=gate)
    folder = TrainingFolder(Path("results/training") / recipe.name)
    with pytest.raises(WorkError, match=r"^the (loss is|weights are|network's answers are) not finite in iteration"):
        Run(recipe, folder).run(lambda *_: None, lambda _: None)
    (row,) = json.loads(CliRunner().invoke(train, ["list", "--json"]).output)["runs"]
    assert row["state"] == "unfinished"
    lower = small("tictactoe-tiny", iterations=8, learning=WILD | {"rate": 1e-6, "final_rate": 1e-6}, gate=gate)
    resumed = Run(lower, folder)
    assert resumed.iteration == row["iterations"]
    assert resumed.notes == [
        f"learning.{key}: another one from now on; log.jsonl has that of each iteration"
        for key in ("final_rate", "rate")
    ]
    with pytest.raises(UsageError, match=r"different: seed"):
        Run(msgspec.structs.replace(lower, seed=7), folder)


@pytest.mark.parametrize("int8", [False, True])
@pytest.mark.parametrize("factor", [1e30, float("inf"), float("nan")])
def test_weights_that_are_too_large_are_not_exported(factor: float, int8: bool) -> None:
    system = new_system(msgspec.structs.replace(TINY, int8=int8))
    assert isinstance(system, TorchSystem)
    with torch.no_grad():
        for found in numbers(system._parts()):
            if isinstance(found, torch.Tensor) and found.is_floating_point():
                found.mul_(factor)
    with pytest.raises(DivergedError, match=r"not finite|too large"):
        system.export(Stamp())


def test_numbers_of_any_depth_are_looked_at() -> None:
    tensor = torch.ones(2)
    assert list(numbers({"a": [tensor, 1.5], "b": {"c": (2.5, "text", 3)}})) == [tensor, 1.5, 2.5]
