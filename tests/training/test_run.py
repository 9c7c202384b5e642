"""Whole runs of a tiny recipe: they resume after any interruption, and their model plays."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import fiedler.training.loop.folder
from fiedler.games import game
from fiedler.native import Limits, Negamax, StopFlag
from fiedler.players import create
from fiedler.players.checkpoint import CheckpointPlayer
from fiedler.players.model import load, load_bytes
from fiedler.players.model_file import metadata
from fiedler.support.errors import UsageError
from fiedler.training.alphazero.entry import AlphaZeroEntry
from fiedler.training.alphazero.system import AlphaZero
from fiedler.training.judge.evaluation import Evaluator
from fiedler.training.loop.folder import TrainingFolder, runs
from fiedler.training.loop.ladder import Ladder
from fiedler.training.loop.listing import COLUMNS, rows
from fiedler.training.loop.run import Run
from fiedler.training.recipe.entry import Entry
from fiedler.training.recipe.recipe import LadderTable, Recipe
from fiedler.training.recipe.registry import from_json
from fiedler.training.recipe.rows import as_table
from tests.native.positions import random_positions
from tests.training.recipes import TINY

SHORT = msgspec.structs.replace(
    TINY, iterations=3, learning=msgspec.structs.replace(TINY.learning, samples=200, capacity=500)
)


class StoppedError(Exception):
    """Any end of a run."""


def stop_after(iterations: int) -> Callable[[Entry], None]:
    def on_iteration(entry: Entry) -> None:
        if entry.iteration == iterations:
            raise StoppedError

    return on_iteration


def ignore(*_: object) -> None:
    pass


def finish(recipe: Recipe, path: Path) -> Run:
    run = Run(recipe, TrainingFolder(path))
    run.run(ignore, ignore)
    return run


def test_a_run_leaves_a_network_that_plays(tmp_path: Path) -> None:
    reports: list[tuple[int, int]] = []
    entries: list[Entry] = []
    run = Run(SHORT, TrainingFolder(tmp_path / "run"))
    run.run(lambda done, wanted: reports.append((done, wanted)), entries.append)
    assert run.finished
    assert [entry.iteration for entry in entries] == [1, 2, 3]
    assert reports == [(200, 200)] * 3
    assert run.folder.log() == entries
    for entry in entries:
        assert isinstance(entry, AlphaZeroEntry)
        assert entry.samples >= 200
        assert entry.evaluations > entry.samples
        assert entry.losses == {"policy": entry.policy_loss, "value": entry.value_loss}
    about = metadata(run.model)
    assert from_json(about["recipe"]) == SHORT
    factory = create(game("tictactoe"), "checkpoint", {"model": str(run.model)})
    info = factory.player().search(game("tictactoe").position(), Limits(nodes=50), StopFlag())
    assert info.best is not None
    factory.close()


def test_the_same_recipe_gives_the_same_network(tmp_path: Path) -> None:
    systems = [finish(SHORT, tmp_path / name).system for name in ("a", "b")]
    nets = [system.learner.net for system in systems if isinstance(system, AlphaZero)]
    one, other = ([p.tolist() for p in net.parameters()] for net in nets)
    assert one == other


def test_an_interrupted_run_resumes(tmp_path: Path) -> None:
    run = Run(SHORT, TrainingFolder(tmp_path / "run"))
    with pytest.raises(StoppedError):
        run.run(ignore, stop_after(2))
    again = Run(SHORT, TrainingFolder(tmp_path / "run"))
    assert again.iteration == 2
    assert again.stamp == run.stamp
    assert again.system.memory is not None
    assert again.system.memory.dump() == (tmp_path / "run" / "samples.bin").read_bytes()
    again.run(ignore, ignore)
    assert [entry.iteration for entry in again.folder.log()] == [1, 2, 3]
    assert again.stamp.seconds > run.stamp.seconds
    assert Run(SHORT, TrainingFolder(tmp_path / "run")).finished


def test_a_run_resumes_without_its_samples(tmp_path: Path) -> None:
    run = Run(SHORT, TrainingFolder(tmp_path / "run"))
    with pytest.raises(StoppedError):
        run.run(ignore, stop_after(2))
    (tmp_path / "run" / "samples.bin").unlink()
    again = Run(SHORT, TrainingFolder(tmp_path / "run"))
    assert again.iteration == 2
    assert isinstance(again.system, AlphaZero)
    assert len(again.system.samples) == 0
    again.run(ignore, ignore)
    assert [entry.iteration for entry in again.folder.log()] == [1, 2, 3]
    assert len(again.system.samples) > 0


def test_a_finished_run_without_its_samples_keeps_its_model(tmp_path: Path) -> None:
    """They give the ranges of int8; ranges of other positions would make another model."""
    recipe = msgspec.structs.replace(SHORT, iterations=1, int8=True)
    model = finish(recipe, tmp_path / "run").model
    made = model.read_bytes()
    (tmp_path / "run" / "samples.bin").unlink()
    assert finish(recipe, tmp_path / "run").model.read_bytes() == made


def test_a_run_killed_during_a_write_resumes(tmp_path: Path) -> None:
    """Killed between any two files of a checkpoint: files newer than the checkpoint do not count."""
    run = Run(SHORT, TrainingFolder(tmp_path / "run"))
    with pytest.raises(StoppedError):
        run.run(ignore, stop_after(1))
    shutil.copy(tmp_path / "run" / "checkpoint.bin", tmp_path / "first.bin")
    again = Run(SHORT, TrainingFolder(tmp_path / "run"))
    with pytest.raises(StoppedError):
        again.run(ignore, stop_after(2))
    shutil.copy(tmp_path / "first.bin", tmp_path / "run" / "checkpoint.bin")  # killed before the last file
    (tmp_path / "run" / "checkpoint.bin.partial").write_bytes(b"half of")
    last = finish(SHORT, tmp_path / "run")
    assert [entry.iteration for entry in last.folder.log()] == [1, 2, 3]


def test_a_run_without_an_iteration_resumes(tmp_path: Path) -> None:
    TrainingFolder(tmp_path / "run").begin(SHORT)
    assert finish(SHORT, tmp_path / "run").finished


def test_another_recipe_is_refused(tmp_path: Path) -> None:
    finish(SHORT, tmp_path / "run")
    other = msgspec.structs.replace(SHORT, seed=2, iterations=4)
    with pytest.raises(UsageError, match=r"begun with another recipe \(different: iterations, seed\)"):
        Run(other, TrainingFolder(tmp_path / "run"))


class Closing:
    """Notes the parts of a run that are closed; one of them fails."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, failing: str = "") -> None:
        self.closed: list[str] = []
        for part in (AlphaZero, Evaluator, Ladder):
            monkeypatch.setattr(part, "close", self.noted(part, part.close, failing))

    def noted(self, part: type, close: Callable[[Any], None], failing: str) -> Callable[[Any], None]:
        def noted(opened: object) -> None:
            close(opened)
            self.closed.append(part.__name__)
            if part.__name__ == failing:
                raise OSError("no room")

        return noted


@pytest.mark.parametrize("failing", ["AlphaZero", "Ladder", "Evaluator"])
def test_a_run_closes_all_its_parts_the_last_one_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    closing = Closing(monkeypatch, failing)
    run = Run(SHORT, TrainingFolder(tmp_path / "run"))
    with pytest.raises(OSError, match="no room"):
        run.run(ignore, stop_after(1))
    assert closing.closed == ["AlphaZero", "Ladder", "Evaluator"]


def test_a_run_that_is_refused_leaves_nothing_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    TrainingFolder(tmp_path / "run").begin(SHORT)
    closing = Closing(monkeypatch)
    with pytest.raises(UsageError, match="begun with another recipe"):
        Run(msgspec.structs.replace(SHORT, seed=2), TrainingFolder(tmp_path / "run"))
    assert closing.closed == ["AlphaZero", "Ladder", "Evaluator"]
    closing.closed.clear()
    rating = LadderTable(every=1, games=2, against=["rnadom"])
    with pytest.raises(UsageError, match="rating: unknown player 'rnadom'"):
        Run(msgspec.structs.replace(SHORT, rating=rating), TrainingFolder(tmp_path / "run"))
    assert closing.closed == ["Evaluator"]


def test_runs_are_listed_with_their_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fiedler.training.loop.folder, "RUNS", tmp_path)
    finish(SHORT, tmp_path / "done")
    run = Run(msgspec.structs.replace(SHORT, name="half"), TrainingFolder(tmp_path / "half"))
    with pytest.raises(StoppedError):
        run.run(ignore, stop_after(1))
    TrainingFolder(tmp_path / "new").begin(msgspec.structs.replace(SHORT, name="new"))
    (tmp_path / "something else").mkdir()
    found = rows(runs(tmp_path))
    assert [(row["name"], row["iterations"], row["of"], row["state"]) for row in found] == [
        ("tictactoe-tiny", 3, 3, "finished"),
        ("half", 1, 3, "unfinished"),
        ("new", 0, 3, "unfinished"),
    ]
    with TrainingFolder(tmp_path / "half").locked():
        assert [row["state"] for row in rows(runs(tmp_path))] == ["finished", "running", "unfinished"]
    assert rows(runs(tmp_path)) == found
    assert json.loads(json.dumps(found)) == found
    assert found[0]["losses"] is not None
    lines = as_table(found, COLUMNS).splitlines()
    assert lines[3].split() == ["new", "alphazero", "tictactoe", "0", "3", "unfinished", "0.0", "-"]
    assert lines[2].split()[-4::2] == ["policy", "value"]


@pytest.mark.parametrize(
    ("name", "data"), [("log.jsonl", b'{"iter'), ("log.jsonl", b'{"games": 1}\n'), ("recipe.json", b"\xff\xfe")]
)
def test_a_damaged_run_is_listed_beside_the_others(tmp_path: Path, name: str, data: bytes) -> None:
    for one in ("lost", "new"):
        TrainingFolder(tmp_path / one).begin(msgspec.structs.replace(SHORT, name=one))
    (tmp_path / "lost" / name).write_bytes(data)
    found = rows(runs(tmp_path))
    assert [(row["name"], row["state"], row["iterations"]) for row in found] == [
        ("lost", "damaged", None),
        ("new", "unfinished", 0),
    ]
    assert as_table(found, COLUMNS).splitlines()[1].split() == ["lost", "-", "-", "-", "-", "damaged", "-", "-"]
    with pytest.raises(UsageError, match=name):
        Run(msgspec.structs.replace(SHORT, name="lost"), TrainingFolder(tmp_path / "lost")).run(ignore, ignore)


def test_the_tiny_recipe_learns_the_won_positions(tmp_path: Path) -> None:
    """After a second of training the raw value of its network is nearer to the truth than before."""
    run = Run(TINY, TrainingFolder(tmp_path / "run"))
    purpose = CheckpointPlayer.purpose(game("tictactoe"))
    untrained = load_bytes(run.export(), purpose)
    run.run(ignore, ignore)
    trained = load(run.model, purpose)
    solver = Negamax("tictactoe")
    positions, exact = [], []
    for position in random_positions("tictactoe", 60, seed=1):
        info = solver.search(position, Limits(), StopFlag())
        if position.ply <= 4 and info.mate != 1:  # self-play goes there; no search asks about a win in one
            positions.append(position)
            exact.append(2 * info.score - 1)
    planes = np.stack([position.planes() for position in positions])
    errors = [float(np.abs(model.evaluate(planes)[1] - exact).mean()) for model in (untrained, trained)]
    assert errors[1] < 0.6 * errors[0]
