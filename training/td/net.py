"""The value network of TD(0), and its ONNX file."""

from __future__ import annotations

import math
from itertools import pairwise

import torch
from torch import Tensor, nn

from fiedler.games import game
from fiedler.players.model import INPUT
from fiedler.players.td_net import VALUE, TdNetPlayer
from fiedler.training.model.export import Graph, onnx_file
from fiedler.training.model.weights import bounded
from fiedler.training.recipe.system import Stamp
from fiedler.training.td.recipe import TdNetRecipe


class ValueNet(nn.Module):
    """Planes (n, planes, rows, columns) in, values (n,) for the side to move, -1 to 1, out."""

    def __init__(self, hidden: list[int], planes_shape: tuple[int, int, int]) -> None:
        super().__init__()
        widths = [math.prod(planes_shape), *hidden, 1]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))

    def forward(self, planes: Tensor) -> Tensor:
        """Return the values."""
        *hidden, last = self.layers
        x = planes.flatten(1)
        for layer in hidden:
            x = torch.relu(layer(x))
        values: Tensor = torch.tanh(last(x)).squeeze(1)
        return values


def fresh(recipe: TdNetRecipe) -> ValueNet:
    """Return the untrained network of a recipe, the same for the same seed."""
    with torch.random.fork_rng(devices=[]):
        shape = game(recipe.game).position().planes_shape
        return bounded(lambda: ValueNet(recipe.net.hidden, shape), recipe.seed)


def to_onnx(net: ValueNet, recipe: TdNetRecipe, stamp: Stamp) -> bytes:
    """Return the model file for the player td-net."""
    return onnx_file(_graph(net), TdNetPlayer.heads(game(recipe.game)), recipe, stamp)


def _graph(net: ValueNet) -> Graph:
    graph = Graph()
    *hidden, last = net.layers
    x = graph.flat(INPUT, "flat")
    for number, layer in enumerate(hidden):
        x = graph.relu(graph.linear(x, f"hidden{number}", layer))
    graph.single(graph.node("Tanh", [graph.linear(x, "raw", last)], "tanh"), VALUE)
    return graph
