"""Networks of other programs: small graphs for tic-tac-toe, each with a peculiarity."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from fiedler.games import game
from fiedler.players.model import probe, record
from fiedler.training.model.seal import game_entries, reseal

TICTACTOE = game("tictactoe")
POLICY = helper.make_node("Identity", ["logits"], ["policy"])
VALUE = helper.make_node("Identity", ["squashed"], ["value"])
NAMES = {"policy": 9, "value": 1}


def weights(name: str, array: Any) -> TensorProto:
    return numpy_helper.from_array(np.asarray(array), name)


def graph(
    nodes: Sequence[NodeProto] = (),
    more: Sequence[TensorProto] = (),
    rows: int | str = "n",
    kind: int = TensorProto.FLOAT,
) -> ModelProto:
    """A dense layer with both heads of `checkpoint`; `nodes` make `policy` and `value` from `logits` and `squashed`."""
    stream = np.random.default_rng(1)
    layers = [
        helper.make_node("Flatten", ["planes"], ["flat"], axis=1),
        helper.make_node("MatMul", ["flat", "p.weight"], ["logits"]),
        helper.make_node("MatMul", ["flat", "v.weight"], ["raw"]),
        helper.make_node("Squeeze", ["raw", "axes"], ["single"]),
        helper.make_node("Tanh", ["single"], ["squashed"]),
    ]
    ends = nodes or [
        helper.make_node("Identity", *pair) for pair in ((["logits"], ["policy"]), (["squashed"], ["value"]))
    ]
    found = [
        weights("p.weight", stream.normal(size=(18, 9)).astype(np.float32)),
        weights("v.weight", stream.normal(size=(18, 1)).astype(np.float32)),
        weights("axes", [1]),
        *more,
    ]
    heads = [
        helper.make_tensor_value_info(name, kind, [rows] if width == 1 else [rows, width])
        for name, width in NAMES.items()
    ]
    return model(helper.make_graph([*layers, *ends], "net", [planes(rows)], heads, found))


def planes(rows: int | str = "n", kind: int = TensorProto.FLOAT) -> ValueInfoProto:
    return helper.make_tensor_value_info("planes", kind, [rows, 2, 3, 3])


def model(made: GraphProto) -> ModelProto:
    found = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)])
    found.ir_version = 10
    return found


def cast(kind: int) -> ModelProto:
    """Heads of another type of numbers."""
    nodes = [
        helper.make_node("Cast", [source], [head], to=kind)
        for source, head in (("logits", "policy"), ("squashed", "value"))
    ]
    return graph(nodes, kind=kind)


def endless() -> ModelProto:
    """A loop without an end between the layer and the value."""
    one = helper.make_tensor_value_info
    body = helper.make_graph(
        [helper.make_node("Identity", ["again"], ["goes"]), helper.make_node("Identity", ["x"], ["y"])],
        "body",
        [one("i", TensorProto.INT64, []), one("again", TensorProto.BOOL, []), one("x", TensorProto.FLOAT, None)],
        [one("goes", TensorProto.BOOL, []), one("y", TensorProto.FLOAT, None)],
    )
    nodes = [
        POLICY,
        helper.make_node("Loop", ["", "true", "squashed"], ["value"], body=body),
    ]
    return graph(nodes, [weights("true", np.array(True))])


def sealed_by_hand(found: ModelProto, **entries: str | None) -> bytes:
    """The file with metadata and checksum, for any network; None leaves an entry out."""
    given = {**game_entries(TICTACTOE), "player": "checkpoint", "name": "net", "probe": "0 0", **entries}
    return reseal(found, {key: text for key, text in given.items() if text is not None})


def answers(found: ModelProto) -> str:
    """The entry `probe` of a sound network."""
    import onnxruntime as ort

    session = ort.InferenceSession(found.SerializeToString(), providers=["CPUExecutionProvider"])
    return record(session.run(None, {"planes": probe(TICTACTOE)}))


def saved_apart(found: ModelProto, path: Path) -> None:
    """Save the weights beside the file, as torch.onnx.export does."""
    onnx.save_model(
        found, path, save_as_external_data=True, location=f"{path.name}.data", size_threshold=0, convert_attribute=True
    )
