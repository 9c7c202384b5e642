"""The command `train`: exit codes, one-line errors, runs that are interrupted and resumed."""

from __future__ import annotations

import json
import random
import shlex
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import msgspec
import pytest

from fiedler.support.errors import UsageError
from fiedler.training.loop.folder import Checkpoint, TrainingFolder
from fiedler.training.recipe import needs
from fiedler.training.recipe.registry import load
from tests.folders import CONFIGS, ROOT
from tests.patience import PATIENCE, wait_until

RECIPES = CONFIGS / "training"
TRAIN = [sys.executable, "-m", "fiedler.training"]
# Undoes what a shell does to programs that it runs in the background: there the interrupt is ignored.
HEEDS_INTERRUPTS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from fiedler.training.cli import main
main()
"""


def train(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*TRAIN, *arguments], cwd=cwd, capture_output=True, text=True, timeout=2 * PATIENCE, check=False
    )


def recipe(folder: Path, iterations: int = 2, samples: int = 200) -> str:
    text = (RECIPES / "tictactoe-tiny.toml").read_text("utf-8")
    text = text.replace("iterations = 15", f"iterations = {iterations}").replace(
        "samples = 1500", f"samples = {samples}"
    )
    (folder / "tiny.toml").write_text(text, encoding="utf-8")
    return "tiny.toml"


def test_run_resume_list_match(tmp_path: Path) -> None:
    name = recipe(tmp_path)
    first = train("run", name, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("results/training/tictactoe-tiny/net.onnx  2 iterations")
    assert first.stderr.count("iteration ") == 2
    net = "results/training/tictactoe-tiny/net.onnx"
    assert f"engine play --game tictactoe --model {net}\n" in first.stderr
    assert f"train match {net} --simulations 100\n" in first.stderr
    again = train("run", name, cwd=tmp_path)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    assert "this run exists; --resume continues it, removing the folder gives it up" in again.stderr
    resumed = train("run", name, "--resume", cwd=tmp_path)
    assert resumed.returncode == 0
    assert "samples.bin" not in resumed.stderr
    (tmp_path / "results/training/tictactoe-tiny/samples.bin").unlink()
    resumed = train("run", name, "--resume", cwd=tmp_path)
    assert "samples.bin is missing, the run begins to collect samples again" in resumed.stderr
    listed = json.loads(train("list", "--json", cwd=tmp_path).stdout)
    assert [(run["name"], run["state"]) for run in listed["runs"]] == [("tictactoe-tiny", "finished")]
    assert "finished" in train("list", cwd=tmp_path).stdout
    net = "results/training/tictactoe-tiny/net.onnx"
    few = ("--games", "4", "--simulations", "20", "--plies", "1")
    measured = train("match", net, "--against", "osp", *few, "--json", cwd=tmp_path)
    assert json.loads(measured.stdout)["games"] == 4, measured.stderr
    for endless, limit in (("mcts", "simulations"), ("negamax", "nodes")):
        refused = train("match", net, "--against", endless, *few, cwd=tmp_path)
        assert refused.returncode == 2
        assert refused.stderr == f"error: against '{endless}': its search has no end; set its {limit}=N\n"


def test_an_interrupted_run_exits_130_and_resumes(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HEEDS_INTERRUPTS, "run", recipe(tmp_path, iterations=100_000, samples=500)]
    log = tmp_path / "results" / "training" / "tictactoe-tiny" / "log.jsonl"
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as running:
        try:
            wait_until(log.exists)
            (row,) = json.loads(train("list", "--json", cwd=tmp_path).stdout)["runs"]
            assert row["state"] == "running"
            other = train("run", "tiny.toml", "--resume", cwd=tmp_path)
            running.send_signal(signal.SIGINT)
            _, said = running.communicate(timeout=PATIENCE)
        finally:
            running.kill()
    error = "error: results/training/tictactoe-tiny: another `train run` is at work on this run\n"
    assert (other.returncode, other.stderr.endswith(error)) == (2, True)
    assert running.returncode == 130
    kept, hint = said.splitlines()[-2:]
    done = int(kept.removeprefix("interrupted; ").removesuffix(" of 100000 iterations kept"))
    assert hint == "resume with: train run tiny.toml --resume"
    assert done >= 1
    (row,) = json.loads(train("list", "--json", cwd=tmp_path).stdout)["runs"]
    assert row["state"] == "unfinished"
    # The checkpoint is the last file of an iteration: the interrupt may have come between it and the log.
    found = msgspec.msgpack.decode(log.with_name("checkpoint.bin").read_bytes(), type=Checkpoint)
    assert found.iteration - done in (0, 1)
    assert row["iterations"] - found.iteration in (0, 1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_interrupt_a_run_too(tmp_path: Path, number: signal.Signals) -> None:
    text = (RECIPES / "tictactoe-td-tiny.toml").read_text("utf-8")
    (tmp_path / "td.toml").write_text(text.replace("iterations = 10", "iterations = 100_000"), encoding="utf-8")
    log = tmp_path / "results" / "training" / "tictactoe-td-tiny" / "log.jsonl"
    with subprocess.Popen([*TRAIN, "run", "td.toml"], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as running:
        try:
            wait_until(log.exists)
            running.send_signal(number)
            _, said = running.communicate(timeout=PATIENCE)
        finally:
            running.kill()
    assert running.returncode == 130
    assert said.splitlines()[-1] == "resume with: train run td.toml --resume"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "none.toml"], "none.toml: cannot be read: no such file"),
        (["match", "none.onnx"], "model none.onnx: no such file"),
        (["match", "none.onnx", "--games", "3"], "--games: expected an even number, got 3"),
        (["walk", "none.table"], "model none.table: no such file"),
        (["walk", "none.txt"], "model none.txt: expected a file *.onnx or *.table"),
        (["fly"], "No such command 'fly'"),
    ],
)
def test_wrong_input_is_one_line_and_exit_2(tmp_path: Path, arguments: list[str], message: str) -> None:
    found = train(*arguments, cwd=tmp_path)
    assert found.returncode == 2
    assert found.stderr.startswith("error: ")
    assert found.stderr.count("\n") == 1
    assert message in found.stderr


def test_a_run_that_is_refused_leaves_no_folder(tmp_path: Path) -> None:
    text = (tmp_path / recipe(tmp_path)).read_text("utf-8")
    wrong = '[rating]\nevery = 1\ngames = 2\nagainst = ["rnadom"]\n'
    (tmp_path / "tiny.toml").write_text(f"{text}\n{wrong}", encoding="utf-8")
    found = train("run", "tiny.toml", cwd=tmp_path)
    assert (found.returncode, found.stderr.count("rnadom")) == (2, 1)
    assert list((tmp_path / "results" / "training").iterdir()) == []


def test_there_may_be_no_runs(tmp_path: Path) -> None:
    listed = train("list", cwd=tmp_path)
    assert (listed.returncode, listed.stderr) == (0, "no runs in results/training/\n")
    assert listed.stdout.split()[0] == "name"
    assert json.loads(train("list", "--json", cwd=tmp_path).stdout) == {"runs": []}


# Imitates an environment without some libraries.
WITHOUT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {libraries}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
from fiedler.training.cli import main
main()
"""


def train_without(libraries: set[str], *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT.format(libraries=libraries), *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=2 * PATIENCE, check=False)


@pytest.mark.parametrize(
    ("libraries", "named"),
    [
        ({"torch"}, "torch (No module named 'torch')"),
        ({"onnx"}, "onnx (No module named 'onnx')"),
        ({"onnxruntime"}, "onnxruntime (No module named 'onnxruntime')"),
        (
            {"torch", "onnx", "onnxruntime"},
            "torch and onnx and onnxruntime (No module named 'torch'; No module named 'onnx'; "
            "No module named 'onnxruntime')",
        ),
    ],
)
def test_missing_libraries_are_one_line_with_the_command(tmp_path: Path, libraries: set[str], named: str) -> None:
    found = train_without(libraries, "run", recipe(tmp_path), cwd=tmp_path)
    assert found.stderr == f"error: train needs {named}; install: make train\n"
    assert found.returncode == 2
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("libraries", "extras"),
    [(["torch", "onnx"], "train"), (["onnxruntime"], "cpu"), (["torch", "onnxruntime"], "train,cpu")],
)
def test_without_a_checkout_the_command_is_that_of_pip(
    libraries: list[str], extras: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(needs, "MAKEFILE", tmp_path / "Makefile")
    monkeypatch.setattr(needs, "_missing", lambda name: f"no {name}")
    command = shlex.join([sys.executable, "-m", "pip", "install", f"fiedler[{extras}]"])
    with pytest.raises(UsageError) as refused:
        needs.need(*libraries)
    assert str(refused.value).endswith(f"; install: {command}")


def test_an_interrupt_while_a_library_begins_is_an_interrupt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begins = "raise ImportError('initialization failed') from KeyboardInterrupt()"  # as pybind11 reports it
    (tmp_path / "interrupted_library.py").write_text(begins, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        needs.need("interrupted_library")


def test_a_long_import_is_shown_on_a_terminal_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("one_library", "other_library", "quick_library"):
        (tmp_path / f"{name}.py").write_text("", "utf-8")
    monkeypatch.setattr(needs, "PATIENCE_S", 0.0)
    needs.need("one_library", "other_library")
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    needs.need("one_library", "other_library")
    assert "importing one_library and other_library" in capsys.readouterr().err
    monkeypatch.setattr(needs, "PATIENCE_S", 600.0)
    needs.need("quick_library")
    assert capsys.readouterr().err == ""


def test_only_training_needs_torch(tmp_path: Path) -> None:
    assert train("run", recipe(tmp_path, iterations=1, samples=50), cwd=tmp_path).returncode == 0
    absent = {"torch", "onnx"}
    assert "tictactoe-tiny" in train_without(absent, "list", cwd=tmp_path).stdout
    net = "results/training/tictactoe-tiny/net.onnx"
    few = ("match", net, "--against", "osp", "--games", "2", "--simulations", "5", "--plies", "1")
    assert train_without(absent, *few, cwd=tmp_path).stdout.startswith(net)
    untrained = train_without(absent, *few, "--untrained", cwd=tmp_path)
    assert untrained.stderr.startswith("error: train needs torch and onnx (No module named 'torch'; ")
    assert untrained.stderr.count("\n") == 1
    assert train_without({"onnxruntime"}, *few, cwd=tmp_path).stderr.startswith("error: train needs onnxruntime (")


def test_networks_that_the_core_evaluates_need_no_onnxruntime() -> None:
    few = ("--against", "random", "--games", "2", "--own", "nodes=50", "--plies", "1")
    for arguments in (("match", "models/gomoku15.onnx", *few), ("match", "models/uttt.onnx", *few[:4], *few[6:])):
        found = train_without({"torch", "onnx", "onnxruntime"}, *arguments, "--simulations", "5", cwd=ROOT)
        assert found.stdout.startswith(arguments[1]), found.stderr


def iterations(folder: Path) -> list[int]:
    """The finished iterations of the tiny run in this folder."""
    log = folder / "results" / "training" / "tictactoe-tiny" / "log.jsonl"
    lines = log.read_text("utf-8").splitlines() if log.exists() else []
    return [json.loads(line)["iteration"] for line in lines]


def has_more(folder: Path, number: int) -> bool:
    """Return whether the tiny run has more than `number` finished iterations."""
    return len(iterations(folder)) > number


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_run_survives_any_kill(tmp_path: Path) -> None:
    """Killed twenty times at random moments, the run still finishes, with no iteration lost or counted twice."""
    command = [*TRAIN, "run", recipe(tmp_path, iterations=100, samples=1000), "--resume"]
    TrainingFolder(tmp_path / "results/training/tictactoe-tiny").begin(load(tmp_path / "tiny.toml"))
    source = random.Random(1)
    for _ in range(20):
        before = iterations(tmp_path)
        with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL) as running:
            for done in range(source.randrange(4)):
                wait_until(partial(has_more, tmp_path, len(before) + done))
            time.sleep(source.uniform(0, 0.5))
            running.kill()
        assert running.returncode == -signal.SIGKILL
        assert iterations(tmp_path)[: len(before)] == before
    finished = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert finished.returncode == 0, finished.stderr
    assert iterations(tmp_path) == list(range(1, 101))
