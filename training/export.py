"""Networks as ONNX files with the metadata that `players.model` checks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from games import game
from players.model import FORMAT, INPUT, POLICY, VALUE, digest, probe, shape_text
from support.provenance import commit
from training.net import PolicyValueNet, is_residual
from training.recipe import Recipe

OPSET = 17
IR_VERSION = 10


def to_onnx(net: PolicyValueNet, recipe: Recipe, *, seconds: float = 0.0, made_by: str = "") -> bytes:
    """Return the network as an ONNX file in fp32.

    Into its metadata go the `seconds` of training and the commit that it was `made_by` (default: the present one).
    """
    shape, actions = game(recipe.game).position().planes_shape, recipe_actions(recipe)
    builder = _graph(net)
    graph = helper.make_graph(
        builder.nodes,
        recipe.name,
        [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, ["n", *shape])],
        [
            helper.make_tensor_value_info(POLICY, TensorProto.FLOAT, ["n", actions]),
            helper.make_tensor_value_info(VALUE, TensorProto.FLOAT, ["n"]),
        ],
        builder.weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="fiedler")
    model.ir_version = IR_VERSION
    about = {"commit": made_by or commit() or "unknown", "seconds": f"{seconds:.0f}"}
    helper.set_model_props(model, _metadata(net, recipe) | about)
    data: bytes = model.SerializeToString()
    return data


def recipe_actions(recipe: Recipe) -> int:
    """Return the number of actions of the recipe's game."""
    return game(recipe.game).position().num_actions


@dataclass
class _Graph:
    """Nodes and weights so far; each method adds one layer and returns the name of its output."""

    nodes: list[onnx.NodeProto] = field(default_factory=list)
    weights: list[onnx.TensorProto] = field(default_factory=list)

    def node(self, kind: str, inputs: list[str], output: str, **attributes: int | list[int]) -> str:
        node = helper.make_node(kind, inputs, [output])
        node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        self.nodes.append(node)
        return output

    def weight(self, name: str, values: torch.Tensor) -> str:
        array = values.detach().to(torch.float32).cpu().numpy()
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def integers(self, name: str, values: list[int]) -> str:
        self.weights.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def conv(self, x: str, name: str, layer: nn.Conv2d) -> str:
        assert layer.bias is not None
        inputs = [x, self.weight(f"{name}.weight", layer.weight), self.weight(f"{name}.bias", layer.bias)]
        return self.node("Conv", inputs, name, kernel_shape=list(layer.kernel_size), strides=list(layer.stride))

    def linear(self, x: str, name: str, layer: nn.Module) -> str:
        assert isinstance(layer, nn.Linear)
        inputs = [x, self.weight(f"{name}.weight", layer.weight), self.weight(f"{name}.bias", layer.bias)]
        return self.node("Gemm", inputs, name, transB=1)

    def relu(self, x: str) -> str:
        return self.node("Relu", [x], f"{x}.relu")


def _graph(net: PolicyValueNet) -> _Graph:
    g = _Graph()
    x = g.relu(g.conv(INPUT, "embed", net.embed))
    x = g.node("Flatten", [g.relu(g.conv(x, "mix", net.mix))], "flat", axis=1)
    for number, layer in enumerate(net.trunk):
        name = f"trunk{number}"
        grown = g.relu(g.linear(x, name, layer))
        x = g.node("Add", [x, grown], f"{name}.sum") if is_residual(layer) else grown
    g.node("Identity", [g.linear(x, "policy_logits", net.policy)], POLICY)
    value = g.linear(g.relu(g.linear(x, "value_hidden", net.value_hidden)), "value_raw", net.value)
    axes = g.integers("value_axes", [1])
    g.node("Squeeze", [g.node("Tanh", [value], "value_tanh"), axes], VALUE)
    return g


def _metadata(net: PolicyValueNet, recipe: Recipe) -> dict[str, str]:
    shape = game(recipe.game).position().planes_shape
    with torch.no_grad():
        policy, value = net(torch.from_numpy(probe(game(recipe.game))))
    return {
        "fiedler": FORMAT,
        "game": recipe.game,
        "planes": shape_text(shape),
        "actions": str(recipe_actions(recipe)),
        "player": "checkpoint",
        "name": recipe.name,
        "recipe": recipe.json(),
        "probe": " ".join(f"{x:.6g}" for x in digest(policy.numpy(), value.numpy())),
    }
