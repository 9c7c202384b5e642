"""Files of a run that are missing or damaged: half a state is never taken for none, and the advice is the least."""

from __future__ import annotations

import functools
import io
import pickle
import shutil
from pathlib import Path

import msgspec
import pytest
import torch
from click.testing import CliRunner

from fiedler.support.errors import UsageError, WorkError
from fiedler.training.cli import train
from fiedler.training.loop.folder import Checkpoint, TrainingFolder
from fiedler.training.loop.run import Run
from fiedler.training.recipe.entry import Entry
from fiedler.training.recipe.registry import load
from tests.training.recipes import RECIPES, TINY

RECIPE = msgspec.structs.replace(
    TINY, iterations=3, learning=msgspec.structs.replace(TINY.learning, samples=100, capacity=500)
)


class StoppedError(Exception):
    """Any end of a run."""


def ignore(*_: object) -> None:
    pass


def begun(folder: Path, iterations: int = 2) -> Run:
    """A run that ended after some iterations."""

    def stop(entry: Entry) -> None:
        if entry.iteration == iterations:
            raise StoppedError

    run = Run(RECIPE, TrainingFolder(folder))
    with pytest.raises(StoppedError):
        run.run(ignore, stop)
    return run


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run after two of three iterations."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    begun(folder)
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refusal(folder: Path) -> str:
    """The error of a run that does not resume, which changes nothing."""
    before = contents(folder)
    with pytest.raises(UsageError) as refused:
        Run(RECIPE, TrainingFolder(folder))
    assert contents(folder) == before
    assert "\n" not in str(refused.value)
    return str(refused.value)


def resumed(folder: Path) -> list[int]:
    """The iterations in the log of the run after its end."""
    run = Run(RECIPE, TrainingFolder(folder))
    run.run(ignore, ignore)
    return [entry.iteration for entry in run.folder.log()]


AGAIN = "put it back, or remove the folder to begin again"


@pytest.mark.parametrize("beside", ["log.jsonl", "net.onnx", "samples.bin", "checkpoints/0001.onnx"])
def test_a_missing_checkpoint_is_no_beginning(folder: Path, beside: str) -> None:
    (folder / "checkpoint.bin").unlink()
    if "/" in beside:
        (folder / "checkpoints").mkdir()
        (folder / "net.onnx").rename(folder / beside)
    for name in {"log.jsonl", "net.onnx", "samples.bin"} - {beside}:
        (folder / name).unlink(missing_ok=True)
    assert refusal(folder) == f"{folder}: checkpoint.bin is missing, though {beside} is here; {AGAIN}"


def test_a_run_that_was_killed_in_its_first_iteration_begins_it_again(tmp_path: Path) -> None:
    run = Run(RECIPE, TrainingFolder(tmp_path / "run"))
    run.observer.close()
    run.system.close()
    (tmp_path / "run" / "net.onnx").write_bytes(run.export())  # the first file of an iteration
    assert resumed(tmp_path / "run") == [1, 2, 3]


@pytest.mark.parametrize("system", ["tictactoe-td-tiny", "tictactoe-td-net-tiny", "tictactoe-table-tiny"])
def test_the_state_before_the_first_iteration_is_one_to_resume_from(tmp_path: Path, system: str) -> None:
    recipe = load(RECIPES / f"{system}.toml")
    for _ in range(2):
        run = Run(recipe, TrainingFolder(tmp_path))
        run.observer.close()
        run.system.close()
        assert run.iteration == 0


@pytest.mark.parametrize("name", ["checkpoint.bin", "samples.bin", "log.jsonl", "recipe.json"])
def test_a_damaged_file_is_named_with_the_least_advice(folder: Path, name: str) -> None:
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[: len(data) // 3])
    said = refusal(folder)
    assert said.startswith(f"{folder / name}")
    assert ": damaged (" in said
    if name == "checkpoint.bin":
        assert said.endswith(f"); {AGAIN}")
        return
    assert "); remove this file: " in said
    (folder / name).unlink()
    assert resumed(folder)[-1] == 3


def written(state: object) -> bytes:
    """The bytes that torch writes."""
    file = io.BytesIO()
    torch.save(state, file)
    return file.getvalue()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("state", "why"),
    [
        (written(functools.partial(print, "called")), "cannot be read as weights and optimisers"),
        (pickle.dumps("weights"), "cannot be read as weights and optimisers"),
        (b"", "cannot be read as weights and optimisers"),
        (written({"net": {"weight": torch.ones(2)}}), "does not fit the networks and optimisers of the recipe"),
        (written([1.0]), "does not fit the networks and optimisers of the recipe"),
    ],
    ids=["a function", "a pickle", "nothing", "another network", "a list"],
)
def test_a_damaged_state_is_told_in_our_own_words(folder: Path, state: bytes, why: str) -> None:
    path = folder / "checkpoint.bin"
    checkpoint = msgspec.msgpack.decode(path.read_bytes(), type=Checkpoint)
    path.write_bytes(msgspec.msgpack.encode(msgspec.structs.replace(checkpoint, state=state)))
    assert refusal(folder) == f"{path}: damaged (state: {why}); {AGAIN}"


def test_damaged_samples_are_collected_again(folder: Path) -> None:
    data = (folder / "samples.bin").read_bytes()
    (folder / "samples.bin").write_bytes(data[:1000])
    said = refusal(folder)
    assert said.startswith(f"{folder / 'samples.bin'}: damaged (")
    assert said.endswith("); remove this file: the run collects samples again")


def test_the_samples_of_an_unsettled_iteration_are_checked_before_they_take_their_place(folder: Path) -> None:
    data = (folder / "samples.bin").read_bytes()
    (folder / "samples.2.bin").write_bytes(data[:1000])
    assert refusal(folder).endswith("); remove this file: the run takes samples.bin")
    assert (folder / "samples.bin").read_bytes() == data
    (folder / "samples.2.bin").unlink()
    assert resumed(folder) == [1, 2, 3]


def test_a_checkpoint_far_behind_the_log_is_refused(folder: Path) -> None:
    late = msgspec.msgpack.decode((folder / "checkpoint.bin").read_bytes(), type=Checkpoint)
    (folder / "checkpoint.bin").write_bytes(msgspec.msgpack.encode(msgspec.structs.replace(late, iteration=0)))
    said = f"{folder}: checkpoint.bin is of iteration 0, log.jsonl has 2; put the newer checkpoint back, or "
    assert refusal(folder) == f"{said}remove log.jsonl to resume after iteration 0"


def test_a_run_resumes_without_its_log_and_says_so(folder: Path) -> None:
    (folder / "log.jsonl").unlink()
    run = Run(RECIPE, TrainingFolder(folder))
    assert run.notes == [f"{folder}: log.jsonl lacks iterations before 3, the run resumes"]
    run.run(ignore, ignore)
    assert [entry.iteration for entry in run.folder.log()] == [3]


def test_a_missing_recipe_is_that_of_the_model(folder: Path) -> None:
    (folder / "recipe.json").unlink()
    assert TrainingFolder(folder).recipe() == RECIPE
    assert resumed(folder) == [1, 2, 3]
    (folder / "recipe.json").unlink()
    (folder / "net.onnx").unlink()
    assert refusal(folder) == f"{folder / 'recipe.json'}: missing; {AGAIN}"


@pytest.mark.parametrize("samples", [True, False])
def test_a_missing_or_damaged_model_is_made_again(folder: Path, samples: bool) -> None:
    made = (folder / "net.onnx").read_bytes()
    run = Run(RECIPE, TrainingFolder(folder))
    for damage in (None, made[:-100]):
        (folder / "net.onnx").unlink()
        if damage:
            (folder / "net.onnx").write_bytes(damage)
        if not samples:
            (folder / "samples.bin").unlink(missing_ok=True)
        run = Run(RECIPE, TrainingFolder(folder))
        run._observe_again()
        run.observer.close()
        run.system.close()
        assert (folder / "net.onnx").read_bytes() == made


def test_resume_needs_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ended = CliRunner().invoke(train, ["run", str(RECIPES / "tictactoe-td-tiny.toml"), "--resume"])
    why = "--resume: no run in results/training/tictactoe-td-tiny; leave --resume out to begin one"
    assert str(ended.exception) == why
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_a_model_alone_is_not_begun_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "results/training/tictactoe-td-tiny"
    folder.mkdir(parents=True)
    (folder / "net.table").write_bytes(b"mine")
    for words, why in (([], "this run exists; --resume continues it"), (["--resume"], "recipe.json: missing")):
        ended = CliRunner().invoke(train, ["run", str(RECIPES / "tictactoe-td-tiny.toml"), *words])
        assert why in str(ended.exception)
    assert (folder / "net.table").read_bytes() == b"mine"


WRITTEN = ("recipe.json", "checkpoint.bin", "log.jsonl", "net.onnx")


@pytest.mark.parametrize("name", [*WRITTEN, *(f"{name}.partial" for name in WRITTEN), "samples.bin", "progress.svg"])
def test_a_folder_in_place_of_a_file_is_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    recipe = msgspec.structs.replace(RECIPE, iterations=1)
    with pytest.raises(WorkError) as refused:
        Run(recipe, TrainingFolder(tmp_path)).run(ignore, ignore)
    assert str(refused.value) == f"{tmp_path / name.removesuffix('.partial')}: cannot be written: is a directory"


@pytest.mark.parametrize("name", ["runs/name", "runs"])
def test_a_file_in_place_of_the_folder_is_one_line(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine", encoding="utf-8")
    folder = TrainingFolder(tmp_path / "runs/name")
    with pytest.raises(UsageError, match=r"runs/name: cannot be made: (file exists|not a directory)"), folder.locked():
        pass
    assert path.read_text(encoding="utf-8") == "mine"
