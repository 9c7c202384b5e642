"""Networks as ONNX files for `players.model`: a graph, built layer by layer, and its metadata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from games import game
from players.model import INPUT, Heads, digest, shape_text
from training.about import about
from training.recipe import Recipe
from training.system import Stamp

OPSET = 17
IR_VERSION = 10


@dataclass
class Graph:
    """Nodes and weights so far; each method adds one layer and returns the name of its output."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    weights: list[onnx.TensorProto] = field(default_factory=list)

    def node(self, kind: str, inputs: list[str], output: str, **attributes: int | list[int]) -> str:
        """Add any node of ONNX."""
        node = helper.make_node(kind, inputs, [output])
        node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        self.nodes.append(node)
        return output

    def weight(self, name: str, values: Tensor) -> str:
        """Add weights, in fp32."""
        array = values.detach().to(torch.float32).cpu().numpy()
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def integers(self, name: str, values: list[int]) -> str:
        """Add whole numbers as the input of a node, such as axes."""
        self.weights.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def conv(self, x: str, name: str, layer: nn.Conv2d) -> str:
        """Add a convolution without padding."""
        assert layer.bias is not None
        inputs = [x, self.weight(f"{name}.weight", layer.weight), self.weight(f"{name}.bias", layer.bias)]
        return self.node("Conv", inputs, name, kernel_shape=list(layer.kernel_size), strides=list(layer.stride))

    def linear(self, x: str, name: str, layer: nn.Module) -> str:
        """Add a dense layer."""
        assert isinstance(layer, nn.Linear)
        inputs = [x, self.weight(f"{name}.weight", layer.weight), self.weight(f"{name}.bias", layer.bias)]
        return self.node("Gemm", inputs, name, transB=1)

    def flat(self, x: str, name: str) -> str:
        """Add a node that flattens each row to one vector."""
        return self.node("Flatten", [x], name, axis=1)

    def relu(self, x: str) -> str:
        """Add a rectifier."""
        return self.node("Relu", [x], f"{x}.relu")

    def head(self, x: str, name: str) -> str:
        """Make `x`, of shape (n, width), a head of the network."""
        return self.node("Identity", [x], name)

    def single(self, x: str, name: str) -> str:
        """Make `x`, of shape (n, 1), a head of width 1, which is (n,)."""
        return self.node("Squeeze", [x, self.integers(f"{name}_axes", [1])], name)


def onnx_file(graph: Graph, heads: Heads, answers: Sequence[Tensor], recipe: Recipe, stamp: Stamp) -> bytes:
    """Return the network as an ONNX file in fp32.

    `answers` are those of the heads, in their order, for the positions of `players.model.probe`.
    """
    position = game(recipe.game).position()
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"] if width == 1 else ["n", width])
        for name, width in heads.items()
    ]
    planes = helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["n", *position.planes_shape])
    made = helper.make_graph(graph.nodes, recipe.name, [planes], outputs, graph.weights)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="fiedler")
    model.ir_version = IR_VERSION
    entries = about(recipe, stamp) | {
        "planes": shape_text(position.planes_shape),
        "actions": str(position.num_actions),
        "probe": " ".join(f"{x:.6g}" for x in digest([answer.numpy() for answer in answers])),
    }
    helper.set_model_props(model, entries)
    data: bytes = model.SerializeToString()
    return data
