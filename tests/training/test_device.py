"""The device of a run, without a GPU: the choice, the way back to the processor, and one clear line."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import onnxruntime
import pytest
import torch
from click.testing import CliRunner

from fiedler.games import game
from fiedler.native import Samples, SelfPlay
from fiedler.players import runtime
from fiedler.players.checkpoint import CheckpointPlayer
from fiedler.players.model import load_bytes
from fiedler.players.runtime import DEVICES
from fiedler.support.errors import UsageError
from fiedler.training.cli import train
from fiedler.training.loop.folder import TrainingFolder
from fiedler.training.loop.run import Run
from fiedler.training.model.device import bfloat16, devices, learning_device
from fiedler.training.nets import learner
from fiedler.training.nets.kinds import fresh
from fiedler.training.recipe.recipe import References
from fiedler.training.recipe.registry import load, new_system
from fiedler.training.recipe.system import Stamp
from tests.native.evaluator import has_opinions, serving
from tests.training.recipes import RECIPES, TINY
from tests.training.test_recipe import written

CPU, CUDA = DEVICES["cpu"], DEVICES["cuda"]
Session = onnxruntime.InferenceSession


def with_cuda(monkeypatch: pytest.MonkeyPatch, cuda: str) -> None:
    """Imitate an onnxruntime that knows CUDA, which `works`, is `silent` (it takes the processor) or `raises`."""

    def session(data: bytes, options: object, providers: list[str], **more: Any) -> Any:
        made = Session(data, options, providers=[CPU], **more)
        if providers == [CUDA]:
            if cuda == "raises":
                raise RuntimeError("CUDA failure 35: CUDA driver version is insufficient")
            if cuda == "works":
                made.get_providers = lambda: [CUDA, CPU]
        return made

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [CUDA, CPU])
    monkeypatch.setattr(onnxruntime, "InferenceSession", session)


@pytest.fixture(scope="module")
def network() -> bytes:
    return new_system(TINY).export(Stamp())


@pytest.mark.parametrize(
    ("cuda", "wanted", "device"),
    [
        ("works", "auto", "cuda"),
        ("works", "cuda", "cuda"),
        ("works", "cpu", "cpu"),
        ("silent", "auto", "cpu"),
        ("raises", "auto", "cpu"),
        ("raises", "cpu", "cpu"),
    ],
)
def test_a_network_plays_on_cuda_where_it_starts(
    network: bytes, monkeypatch: pytest.MonkeyPatch, cuda: str, wanted: str, device: str
) -> None:
    with_cuda(monkeypatch, cuda)
    assert load_bytes(network, CheckpointPlayer.purpose(game("tictactoe")), device=wanted).device == device


@pytest.mark.parametrize(
    ("cuda", "message"),
    [
        ("silent", r"device 'cuda': onnxruntime cannot start it \(no GPU, or no CUDA and cuDNN libraries\)"),
        ("raises", r"device 'cuda': onnxruntime cannot start it \(CUDA failure 35: CUDA driver version"),
    ],
)
def test_cuda_that_does_not_start_is_one_line(
    network: bytes, monkeypatch: pytest.MonkeyPatch, cuda: str, message: str
) -> None:
    with_cuda(monkeypatch, cuda)
    with pytest.raises(UsageError, match=message) as refused:
        load_bytes(network, CheckpointPlayer.purpose(game("tictactoe")), device="cuda")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("device", ["auto", "cpu", "cuda"])
def test_a_damaged_file_is_damaged_on_every_device(monkeypatch: pytest.MonkeyPatch, device: str) -> None:
    with_cuda(monkeypatch, "works")
    with pytest.raises(UsageError, match=r"model net\.onnx: not an ONNX network, or damaged \("):
        load_bytes(b"hello", CheckpointPlayer.purpose(game("tictactoe")), device=device, name="net.onnx")


@pytest.mark.parametrize(
    ("torch_has", "onnxruntime_has", "wanted", "sentence"),
    [
        (False, None, "auto", "device: cpu"),
        (False, None, "cpu", "device: cpu"),
        (True, "works", "auto", "device: cuda"),
        (True, "works", "cuda", "device: cuda"),
        (True, "works", "cpu", "device: cpu"),
        (True, "silent", "auto", "device: learning on cuda, playing on cpu (onnxruntime has no CUDA here: make gpu)"),
        (True, None, "auto", "device: learning on cuda, playing on cpu (onnxruntime has no CUDA here: make gpu)"),
        (False, "works", "auto", "device: learning on cpu, playing on cuda (torch has no CUDA here: make gpu)"),
    ],
)
def test_the_choice_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, torch_has: bool, onnxruntime_has: str | None, wanted: str, sentence: str
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: torch_has)
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [CPU])
    if onnxruntime_has:
        with_cuda(monkeypatch, onnxruntime_has)
    assert devices(wanted).sentence() == sentence


def test_cuda_that_torch_lacks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(UsageError, match=r"device 'cuda': torch has no CUDA here \(make gpu installs a torch"):
        learning_device("cuda")


@pytest.mark.parametrize(
    ("options", "line"), [((), "device: cpu"), (("--device", "cuda"), "device 'cuda': torch has no CUDA here")]
)
def test_the_command_prints_the_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], line: str
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: [CPU])
    monkeypatch.chdir(tmp_path)
    recipe = written(tmp_path, "iterations = 15", "iterations = 1")
    ended = CliRunner().invoke(train, ["run", str(recipe), *options])
    said = str(ended.exception) if options else ended.stderr.splitlines()[0]
    assert said.startswith(line)
    assert Path("results").exists() == (not options)


def test_a_device_of_the_command_takes_the_place_of_the_recipes(tmp_path: Path) -> None:
    recipe = written(tmp_path, "seed = 1", 'seed = 1\ndevice = "cuda"')
    assert load(recipe).device == "cuda"
    assert load(recipe, "cpu").device == "cpu"
    assert load(recipe, "cpu").differences(load(recipe)) == []


def test_a_system_that_cannot_use_a_gpu_refuses_one() -> None:
    with pytest.raises(UsageError, match="device: expected auto or cpu: system 'td' uses no GPU, got 'cuda'"):
        load(RECIPES / "tictactoe-td-tiny.toml", "cuda")


def test_batches_are_learned_on_the_device_of_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch's device `meta` has shapes and no numbers: anything that is not moved there fails."""
    samples = Samples("tictactoe", 500, "policy-value")
    with serving("tictactoe", has_opinions("tictactoe"), rows=64) as batcher:
        SelfPlay("tictactoe", batcher, seed=1, **TINY.selfplay.settings()).play(200, samples)
    monkeypatch.setattr(learner, "learning_device", lambda _: "meta")
    monkeypatch.setattr(torch, "autocast", lambda *_, **__: nullcontext())  # knows no meta
    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", lambda *_: None)  # looks at numbers
    made = learner.Learner(fresh(TINY), TINY)
    losses = made._step(samples, 1)
    assert {loss.device.type for loss in losses} == {"meta"}


def test_games_are_played_on_the_device_of_the_recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = runtime.open_session

    def opened(data: bytes, name: str, device: str) -> Any:
        asked.append(device)
        return real(data, name, "cpu")

    monkeypatch.setattr("fiedler.players.model.open_session", opened)
    learning = msgspec.structs.replace(TINY.learning, samples=100, capacity=500)
    evaluation = References(every=1, games=2, against=["random"], simulations=2, plies=1)
    recipe = msgspec.structs.replace(TINY, iterations=1, learning=learning, evaluation=evaluation, device="cpu")
    Run(recipe, TrainingFolder(tmp_path)).run(lambda *_: None, lambda _: None)
    assert asked == ["cpu", "cpu"], "not auto, the default"


@pytest.mark.parametrize(
    ("instructions", "wanted", "used"),
    [({"avx512_bf16": True}, True, True), ({"avx512_bf16": True}, False, False), ({"avx2": True}, True, False)],
)
def test_bfloat16_is_used_by_processors_that_have_it(
    monkeypatch: pytest.MonkeyPatch, instructions: dict[str, bool], wanted: bool, used: bool
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: instructions)
    with bfloat16("cpu", wanted=wanted):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == (torch.bfloat16 if used else torch.float32)
