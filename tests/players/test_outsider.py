"""Networks of other programs: the load refuses what does not fit in one sentence; `train seal` takes the rest."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import onnx
import pytest
from click.testing import CliRunner
from onnx import ModelProto, TensorProto, helper

from fiedler.engine.cli import engine
from fiedler.engine.roster.roster_file import read_roster
from fiedler.games import game
from fiedler.native import Limits, StopFlag
from fiedler.players import create, examination
from fiedler.players.checkpoint import CheckpointPlayer
from fiedler.players.entries import SEAL
from fiedler.players.model import load_bytes
from fiedler.players.model_file import BLANK, read_entries, sealed
from fiedler.players.runtime import network_reason
from fiedler.support.errors import UsageError
from fiedler.training.cli import train
from fiedler.training.model.seal import reseal
from tests.engine.engine_driver import Conversation
from tests.folders import ROOT
from tests.players.outsider import (
    POLICY,
    TICTACTOE,
    VALUE,
    answers,
    cast,
    endless,
    graph,
    saved_apart,
    sealed_by_hand,
    weights,
)

PURPOSE = CheckpointPlayer.purpose(TICTACTOE)
NODE = helper.make_node


def refusal(data: bytes, name: str = "net.onnx") -> str:
    """The error of a file."""
    with pytest.raises(UsageError) as refused:
        load_bytes(data, PURPOSE, "cpu", name)
    assert "\n" not in str(refused.value)
    return str(refused.value).removeprefix(f"model {name}: ")


def with_version(**versions: int) -> ModelProto:
    found = graph()
    found.ir_version = versions.get("ir", found.ir_version)
    found.opset_import[0].version = versions.get("opset", found.opset_import[0].version)
    return found


def with_second_input() -> ModelProto:
    found = graph()
    found.graph.input.append(helper.make_tensor_value_info("mask", TensorProto.FLOAT, ["n"]))
    return found


def test_a_sound_network_plays(tmp_path: Path) -> None:
    found = graph()
    (tmp_path / "net.onnx").write_bytes(sealed_by_hand(found, probe=answers(found)))
    player = create(TICTACTOE, "checkpoint", {"model": str(tmp_path / "net.onnx")}).player()
    assert player.search(TICTACTOE.position(), Limits(nodes=20), StopFlag()).best is not None


@pytest.mark.parametrize("rows", [1, 8, 16, 3])
def test_a_fixed_batch_is_refused(rows: int) -> None:
    why = f"the first dimension of planes is fixed to {rows}; export it with dynamic axes"
    assert refusal(sealed_by_hand(graph(rows=rows))) == why


@pytest.mark.parametrize(
    ("kind", "name"), [(TensorProto.FLOAT16, "float16"), (TensorProto.DOUBLE, "double"), (TensorProto.INT64, "int64")]
)
def test_heads_in_other_numbers_are_refused(kind: int, name: str) -> None:
    why = f"expected head 'policy' in float32, got tensor({name}); export it in float32"
    assert refusal(sealed_by_hand(cast(kind))) == why


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (graph([NODE("Reshape", ["logits", "s"], ["policy"]), VALUE], [weights("s", [8, 9])]), "policy is fixed to 8;"),
        (
            graph([NODE("Reshape", ["logits", "s"], ["policy"]), VALUE], [weights("s", [-1, 3])]),
            "head 'policy' has",
        ),
        (graph([POLICY, NODE("Log", ["squashed"], ["value"])]), "the answers of head 'value' are not finite"),
        (
            graph([VALUE, NODE("Gather", ["logits", "i"], ["policy"], axis=1)], [weights("i", [99] * 9)]),
            "batch of 8 (node",
        ),
        (with_version(ir=99), "Unsupported model IR version: 99, max supported IR version: "),
        (with_version(opset=99), "Current official support for domain ai.onnx is till opset "),
        (with_second_input(), "expected one input 'planes', got 'planes, mask'"),
    ],
)
def test_a_network_that_cannot_play_is_refused_by_its_reason(found: ModelProto, why: str) -> None:
    said = refusal(sealed_by_hand(found))
    assert why in said
    assert "onnxruntime::" not in said
    assert "damaged" not in said


def test_planes_in_other_numbers_are_refused() -> None:
    found = graph()
    found.graph.node.insert(0, NODE("Cast", ["half"], ["planes"], to=TensorProto.FLOAT))
    found.graph.input[0].CopyFrom(helper.make_tensor_value_info("planes", TensorProto.FLOAT16, ["n", 2, 3, 3]))
    for node in found.graph.node:
        node.input[:] = ["wide" if name == "planes" else name for name in node.input]
    found.graph.node[0].CopyFrom(NODE("Cast", ["planes"], ["wide"], to=TensorProto.FLOAT))
    why = "expected planes in float32, got tensor(float16); export it in float32"
    assert refusal(sealed_by_hand(found)) == why


def test_a_loop_without_an_end_ends_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "LEAST_S", 0.1)
    monkeypatch.setattr(examination, "ROW_S", 0.0)
    assert refusal(sealed_by_hand(endless())) == "it gave no answer to 8 positions within 0.1 s of one core"
    monkeypatch.delattr(time, "pthread_getcpuclockid")  # as on macOS
    assert refusal(sealed_by_hand(endless())) == "it gave no answer to 8 positions within 0.1 s of one core"


def test_weights_in_another_file_are_named(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    saved_apart(onnx.load_from_string(sealed_by_hand(graph())), path)
    data = reseal(
        onnx.load(path, load_external_data=False),
        {entry.key: entry.value for entry in onnx.load(path, load_external_data=False).metadata_props},
    )
    why = "its weights are in another file (net.onnx.data); save the model as one file, or let `train seal` do it"
    assert refusal(data) == why
    sound = onnx.load_from_string(sealed_by_hand(graph()))
    saved_apart(sound, path)
    assert refusal(path.read_bytes()) == why, "its checksum is that of one file"


@pytest.mark.parametrize("key", ["fiedler", "game", "player", "planes", "actions", "probe", "sha256"])
def test_an_entry_that_is_missing_is_named(key: str) -> None:
    found = graph()
    data = sealed_by_hand(found, **{"probe": answers(found), key: None})
    if key == "sha256":
        entries = [entry for entry in onnx.load_from_string(data).metadata_props if entry.key != key]
        del found.metadata_props[:]
        found.metadata_props.extend(entries)
        data = found.SerializeToString()
    assert refusal(data) == f"not one of this project's: its metadata has no entry {key!r}; `train seal` adds it"


@pytest.mark.parametrize("probe", ["", "0.5", "0.5 0.25"])
def test_a_probe_of_another_length_is_no_damage(probe: str) -> None:
    wanted = len(answers(graph()).split())
    data = sealed_by_hand(graph(), probe=probe)
    assert refusal(data) == f"expected {wanted} numbers in its entry 'probe', got {len(probe.split())}"


def test_damage_is_said_only_of_a_checksum_that_does_not_fit() -> None:
    found = graph()
    data = sealed_by_hand(found, probe=answers(found))
    assert refusal(data.replace(b"p.weight", b"q.weight")) == "damaged, its checksum does not fit"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b"MatMul", b"\xffatMul", "onnxruntime cannot load it"),
        (b"\x12\x01n", b"\x12\x01\xff", "damaged, a name in its graph is not UTF-8"),
        (b"p.weightJ", b"p.weight\x4f", "not an ONNX network, or damaged (not a list of fields)"),
    ],
)
def test_a_damaged_graph_under_a_seal_that_fits_is_refused(old: bytes, new: bytes, why: str) -> None:
    found = graph()
    data = sealed_by_hand(found, probe=answers(found))
    seal = read_entries(data, "net.onnx")[SEAL]
    assert old in data
    damaged = data.replace(old, new).replace(seal.encode(), BLANK.encode())
    assert refusal(sealed(damaged)).startswith(why)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "[ONNXRuntimeError] : 1 : FAIL : /a/model.cc:256 onnxruntime::Model::Model(onnx::ModelProto&&, const "
            "std::vector<int (*)(int)>&) Unsupported model IR version: 99",
            "Unsupported model IR version: 99",
        ),
        (
            "[ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Exception during initialization: /a/x.h:9 const T& "
            "ns::F<T>::Get(int) const [with T = float] it broke",
            "Exception during initialization: it broke",
        ),
        ("[ONNXRuntimeError] : 2 : INVALID : /a/x.cc:9 void ns::A::B(C*)::<lambda(const D&)> no size", "no size"),
        (
            "[ONNXRuntimeError] : 1 : FAIL : Non-zero status code returned while running Reshape node. Name:'r' Status "
            "Message: /a/r.h:91 ns::R::R(const S&, bool) a.size() == b was false. The input cannot be reshaped",
            "node Reshape 'r': The input cannot be reshaped",
        ),
        ("went\n  away", "went away"),
        ("", "RuntimeError"),
        ("a/x.cc:1 ((((", "(((("),
    ],
)
def test_the_reason_of_onnxruntime_has_no_signatures(text: str, why: str) -> None:
    assert network_reason(RuntimeError(text)) == why


# --- the commands -----------------------------------------------------------------------------------------------------


@pytest.fixture
def fixed(tmp_path: Path) -> Path:
    path = tmp_path / "fix8.onnx"
    path.write_bytes(sealed_by_hand(graph(rows=8)))
    return path


@pytest.mark.parametrize("command", ["serve --stdio", "bench", "analyze", "play", "match"])
def test_every_command_names_the_file_and_the_reason(fixed: Path, command: str) -> None:
    words = command.split()
    if command == "match":
        ended = CliRunner().invoke(train, ["match", str(fixed), "--against", "random"])
    else:
        ended = CliRunner().invoke(engine, [*words, "--game", "tictactoe", "--model", str(fixed)])
    assert isinstance(ended.exception, UsageError)
    why = "the first dimension of planes is fixed to 8; export it with dynamic axes"
    assert str(ended.exception) == f"model {fixed}: {why}"


def test_a_switch_to_a_network_that_fails_names_its_player(fixed: Path) -> None:
    file = fixed.with_name("players.toml")
    tables = '[[players]]\nname = "quick"\nplayer = "random"\n[[players]]\nname = "net"\nmodel = "fix8.onnx"\n'
    file.write_text(tables, encoding="utf-8")
    roster = read_roster(file, TICTACTOE, 100)
    talk = Conversation("tictactoe", roster.hold("quick").player(), None, roster, pinned="ugi")
    (error,) = talk.say("ugi", "setoption name player value net")[-1:]
    why = "the first dimension of planes is fixed to 8; export it with dynamic axes"
    assert error == f"info string error: player 'net': its model: {why}"
    assert talk.say("isready") == ["readyok"]


# --- train seal -------------------------------------------------------------------------------------------------------


def sealing(path: Path, *words: str) -> str:
    """The output of the command, or its error."""
    ended = CliRunner().invoke(train, ["seal", str(path), *words])
    return str(ended.exception) if ended.exception else ended.output


def test_seal_makes_a_model_of_a_network_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    onnx.save(graph(), path)
    assert sealing(path, "--game", "tictactoe") == f"{path}  player checkpoint\n"
    player = create(TICTACTOE, "checkpoint", {"model": str(path)}).player()
    assert player.title == "checkpoint net"
    assert player.search(TICTACTOE.position(), Limits(nodes=20), StopFlag()).best is not None


def test_seal_takes_the_weights_of_another_file_in(tmp_path: Path) -> None:
    path, output = tmp_path / "net.onnx", tmp_path / "whole.onnx"
    saved_apart(graph(), path)
    before = path.read_bytes()
    assert sealing(path, "--game", "tictactoe", "-o", str(output)) == f"{output}  player checkpoint\n"
    assert path.read_bytes() == before
    (tmp_path / "net.onnx.data").unlink()
    assert create(TICTACTOE, "checkpoint", {"model": str(output)}).player().title == "checkpoint net"
    assert "no such file" in sealing(tmp_path / "none.onnx", "--game", "tictactoe")
    why = f"model {path}: its weights are in another file (net.onnx.data), which is missing"
    assert why in sealing(path, "--game", "tictactoe")


@pytest.mark.parametrize(
    ("found", "words", "why"),
    [
        (graph(), [], "expected --game G, the game of its network"),
        (graph(), ["--game", "connect4"], "expected planes of the shape (n, 2, 6, 7), got '(n, 2, 3, 3)'"),
        (graph(), ["--game", "tictactoe", "--player", "mcts"], "--player: expected one of checkpoint, "),
        (graph(), ["--game", "tictactoe", "--player", "dqn"], "player dqn needs the head 'q'"),
        (graph(rows=8), ["--game", "tictactoe"], "the first dimension of planes is fixed to 8"),
        (cast(TensorProto.DOUBLE), ["--game", "tictactoe"], "expected head 'policy' in float32"),
        (graph([POLICY, NODE("Log", ["squashed"], ["value"])]), ["--game", "tictactoe"], "are not finite"),
    ],
)
def test_seal_refuses_what_cannot_play_and_changes_nothing(
    tmp_path: Path, found: ModelProto, words: list[str], why: str
) -> None:
    path = tmp_path / "net.onnx"
    onnx.save(found, path)
    before = path.read_bytes()
    assert why in sealing(path, *words)
    assert path.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_sealed_file_is_sealed_again_with_its_own_metadata(tmp_path: Path) -> None:
    found = graph()
    path = tmp_path / "net.onnx"
    path.write_bytes(sealed_by_hand(found, probe=answers(found), name="mine", player="policy"))
    assert sealing(path) == f"{path}  player policy\n"
    assert create(TICTACTOE, "policy", {"model": str(path)}).player().title == "policy mine"


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_the_example_of_the_page_becomes_a_model(tmp_path: Path) -> None:
    """The example of docs/training.md, as an outsider would run it."""
    page = (ROOT / "docs" / "training.md").read_text("utf-8")
    example = page.partition("### A network of another program")[2].partition("```python\n")[2].partition("```")[0]
    (tmp_path / "net.py").write_text(example, encoding="utf-8")
    subprocess.run([sys.executable, "net.py"], cwd=tmp_path, check=True, capture_output=True, timeout=500)
    path = tmp_path / "mine.onnx"
    assert sealing(path, "--game", "connect4") == f"{path}  player checkpoint\n"
    assert create(game("connect4"), "checkpoint", {"model": str(path)}).player().title == "checkpoint mine"
