"""The policy-value network as an ONNX file."""

from __future__ import annotations

import torch

from games import game
from players.checkpoint import POLICY, VALUE, CheckpointPlayer
from players.model import INPUT, probe
from training.alphazero.net import PolicyValueNet, is_residual
from training.alphazero.recipe import AlphaZeroRecipe
from training.export import Graph, onnx_file
from training.system import Stamp


def to_onnx(net: PolicyValueNet, recipe: AlphaZeroRecipe, stamp: Stamp = Stamp()) -> bytes:
    """Return the model file for the player checkpoint."""
    played = game(recipe.game)
    with torch.no_grad():
        answers = net(torch.from_numpy(probe(played)))
    return onnx_file(_graph(net), CheckpointPlayer.heads(played), answers, recipe, stamp)


def _graph(net: PolicyValueNet) -> Graph:
    g = Graph()
    x = g.relu(g.conv(INPUT, "embed", net.embed))
    x = g.flat(g.relu(g.conv(x, "mix", net.mix)), "flat")
    for number, layer in enumerate(net.trunk):
        name = f"trunk{number}"
        grown = g.relu(g.linear(x, name, layer))
        x = g.node("Add", [x, grown], f"{name}.sum") if is_residual(layer) else grown
    g.head(g.linear(x, "policy_logits", net.policy), POLICY)
    value = g.linear(g.relu(g.linear(x, "value_hidden", net.value_hidden)), "value_raw", net.value)
    g.single(g.node("Tanh", [value], "value_tanh"), VALUE)
    return g
