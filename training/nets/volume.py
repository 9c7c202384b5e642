"""The network of convolutions in three dimensions, for boards of layers."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from fiedler.games import Game
from fiedler.games.board import layers
from fiedler.players.checkpoint import POLICY
from fiedler.players.model import INPUT
from fiedler.training.model.export import Graph
from fiedler.training.nets.convolution import NormedConvolution
from fiedler.training.nets.dense import Value
from fiedler.training.nets.policy_value import PolicyValueNet
from fiedler.training.nets.tables import VolumeTable


class VolumeNet(PolicyValueNet):
    """See VolumeTable."""

    def __init__(self, settings: VolumeTable, game: Game) -> None:
        super().__init__()
        position = game.position()
        planes, rows, columns = position.planes_shape
        depth, filters = layers(position), settings.filters
        self._shape = [planes // depth, depth, rows, columns]
        inputs = [planes // depth] + [filters] * (settings.padded - 1)
        self.padded = nn.ModuleList(NormedConvolution(one, filters, dimensions=3) for one in inputs)
        self.last = NormedConvolution(filters, filters, padding=0, dimensions=3)
        widths = [filters * (depth - 2) * (rows - 2) * (columns - 2), *settings.dense]
        self.dense = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.dropout = nn.Dropout(settings.dropout)
        self.policy = nn.Linear(widths[-1], position.num_actions)
        self.value = Value(widths[-1], settings.value_hidden)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Return policy logits and values."""
        x = planes.reshape(-1, *self._shape)
        for convolution in [*self.padded, self.last]:
            x = torch.relu(convolution(x))
        x = x.flatten(1)
        for layer in self.dense:
            x = self.dropout(torch.relu(layer(x)))
        return self.policy(x), self.value(x)

    def add_to(self, g: Graph) -> None:
        """Add its layers to a graph."""
        x = g.node("Reshape", [INPUT, g.integers("volume_shape", [-1, *self._shape])], "volume")
        for number, convolution in enumerate([*self.padded, self.last]):
            assert isinstance(convolution, NormedConvolution)
            x = g.relu(convolution.add_to(g, x, f"volume{number}"))
        x = g.flat(x, "flat")
        for number, layer in enumerate(self.dense):
            x = g.relu(g.linear(x, f"dense{number}", layer))
        g.head(g.linear(x, "policy_logits", self.policy), POLICY)
        self.value.add_to(g, x)
