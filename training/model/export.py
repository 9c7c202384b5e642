"""Networks as ONNX files for `fiedler.players.model`: a graph, built layer by layer, and its metadata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnxruntime as ort
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from fiedler.games import game
from fiedler.players.model import INPUT, probe
from fiedler.players.model_file import Heads
from fiedler.players.runtime import SILENT
from fiedler.training.model.about import about
from fiedler.training.model.quantise import quantised
from fiedler.training.model.seal import game_entries, seal
from fiedler.training.recipe.recipe import Recipe
from fiedler.training.recipe.system import DivergedError, Stamp

OPSET = 17
IR_VERSION = 10


@dataclass
class Graph:
    """Nodes and weights so far; each method adds one layer and returns the name of its output."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    weights: list[onnx.TensorProto] = field(default_factory=list)

    def node(self, kind: str, inputs: list[str], output: str, **attributes: int | float | list[int]) -> str:
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

    def constant(self, name: str, value: float) -> str:
        """Add one number."""
        return self.weight(name, torch.tensor(float(value)))

    def index(self, name: str, value: int) -> str:
        """Add one whole number as the input of a node, such as an index."""
        self.weights.append(numpy_helper.from_array(np.array(value, np.int64), name))
        return name

    def conv(self, x: str, name: str, layer: nn.Conv2d) -> str:
        """Add a convolution."""
        assert layer.bias is not None
        stride, padding = int(layer.stride[0]), int(layer.padding[0])
        return self.convolution(x, name, layer.weight, layer.bias, stride=stride, padding=padding)

    def convolution(self, x: str, name: str, weight: Tensor, bias: Tensor, *, stride: int = 1, padding: int = 0) -> str:
        """Add a convolution of any number of dimensions, with a border of `padding` zeros."""
        kernel = list(weight.shape[2:])
        inputs = [x, self.weight(f"{name}.weight", weight), self.weight(f"{name}.bias", bias)]
        strides, pads = [stride] * len(kernel), [padding] * 2 * len(kernel)
        return self.node("Conv", inputs, name, kernel_shape=kernel, strides=strides, pads=pads)

    def linear(self, x: str, name: str, layer: nn.Module) -> str:
        """Add a dense layer."""
        assert isinstance(layer, nn.Linear)
        return self.affine(x, name, layer.weight, layer.bias)

    def affine(self, x: str, name: str, weight: Tensor, bias: Tensor) -> str:
        """Add x · weightᵀ + bias, with `weight` (outputs, inputs)."""
        inputs = [x, self.weight(f"{name}.weight", weight), self.weight(f"{name}.bias", bias)]
        return self.node("Gemm", inputs, name, transB=1)

    def clip(self, x: str, name: str, low: float, high: float) -> str:
        """Add a node that cuts values to a range."""
        bounds = [self.constant(f"{name}.{end}", bound) for end, bound in (("low", low), ("high", high))]
        return self.node("Clip", [x, *bounds], name)

    def flat(self, x: str, name: str) -> str:
        """Add a node that flattens each row to one vector."""
        return self.node("Flatten", [x], name, axis=1)

    def relu(self, x: str) -> str:
        """Add a rectifier."""
        return self.node("Relu", [x], f"{x}.relu")

    def leaky_relu(self, x: str, slope: float) -> str:
        """Add a rectifier with a slope for negative numbers."""
        return self.node("LeakyRelu", [x], f"{x}.relu", alpha=slope)

    def head(self, x: str, name: str) -> str:
        """Make `x`, of shape (n, width), a head of the network."""
        return self.node("Identity", [x], name)

    def single(self, x: str, name: str) -> str:
        """Make `x`, of shape (n, 1), a head of width 1, which is (n,)."""
        return self.node("Squeeze", [x, self.integers(f"{name}_axes", [1])], name)


def onnx_file(
    graph: Graph,
    heads: Heads,
    recipe: Recipe,
    stamp: Stamp,
    planes: npt.NDArray[np.float32] | None = None,
    entries: Mapping[str, str] | None = None,
    probes: Mapping[str, npt.NDArray[Any]] | None = None,
) -> bytes:
    """Return the network as an ONNX file, with further `entries` in its metadata.

    In fp32; or in int8 if there are `planes` (n, planes, rows, columns), typical ones, which give the ranges of its
    values. `probes` are the inputs of `probe_positions` by name, where the network sees other numbers than planes.

    Raises:
        DivergedError: The answers are not finite, or the weights have no int8 numbers.
    """
    played = game(recipe.game)
    inputs = probes or {INPUT: probe(played)}
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"] if width == 1 else ["n", width])
        for name, width in heads.items()
    ]
    sources = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), ["n", *array.shape[1:]])
        for name, array in inputs.items()
    ]
    made = helper.make_graph(graph.nodes, recipe.name, sources, outputs, graph.weights)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="fiedler")
    model.ir_version = IR_VERSION
    found = answers(model.SerializeToString(), heads, inputs)
    if planes is not None:
        model = quantised(model, planes)
        found = answers(model.SerializeToString(), heads, inputs)
    return seal(model, about(recipe, stamp) | dict(entries or {}) | game_entries(played), found)


def answers(data: bytes, heads: Heads, inputs: Mapping[str, npt.NDArray[Any]]) -> list[npt.NDArray[np.float32]]:
    """Return the answers of the heads of a network to inputs by name.

    Raises:
        DivergedError: One is not finite.
    """
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = SILENT
    session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    found: list[npt.NDArray[np.float32]] = session.run(list(heads), dict(inputs))
    if not all(np.isfinite(one).all() for one in found):
        raise DivergedError("the network's answers are not finite")
    return found
