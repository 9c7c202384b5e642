"""The Q-network as an ONNX file."""

from __future__ import annotations

from torch import nn

from fiedler.games import game
from fiedler.players.dqn import DqnPlayer, Q
from fiedler.players.model import INPUT
from fiedler.training.dqn.net import QNet
from fiedler.training.dqn.recipe import DqnRecipe
from fiedler.training.model.export import Graph, onnx_file
from fiedler.training.recipe.system import Stamp


def to_onnx(net: QNet, recipe: DqnRecipe, stamp: Stamp = Stamp()) -> bytes:
    """Return the model file for the player dqn."""
    return onnx_file(_graph(net), DqnPlayer.heads(game(recipe.game)), recipe, stamp)


def _graph(net: QNet) -> Graph:
    g = Graph()
    x = g.leaky_relu(g.conv(INPUT, "embed", net.embed), net.leak)
    for number, block in enumerate(net.blocks):
        assert isinstance(block, nn.Conv2d)
        grown = g.leaky_relu(g.conv(x, f"block{number}", block), net.leak)
        x = g.node("Add", [x, grown], f"block{number}.sum")
    x = g.flat(g.leaky_relu(g.conv(x, "mix", net.mix), net.leak), "flat")
    x = g.leaky_relu(g.linear(x, "hidden", net.hidden), net.leak)
    logits = g.linear(x, "moves", net.moves)
    if net.value is not None:
        mean = g.node("ReduceMean", [logits], "moves.mean", axes=[1], keepdims=1)
        advantages = g.node("Sub", [logits, mean], "advantages")
        logits = g.node("Add", [advantages, g.linear(x, "value", net.value)], "logits")
    g.head(g.node("Tanh", [logits], "q_tanh"), Q)
    return g
