"""Networks whose trunk keeps the board: channels for each cell, from which 1x1 convolutions lead to the two heads."""

from __future__ import annotations

from abc import abstractmethod

import torch
from torch import Tensor, nn

from fiedler.games import Game
from fiedler.players.checkpoint import POLICY
from fiedler.players.model import INPUT
from fiedler.training.model.export import Graph
from fiedler.training.nets.convolution import NormedConvolution
from fiedler.training.nets.dense import Value
from fiedler.training.nets.policy_value import PolicyValueNet
from fiedler.training.nets.tables import BoardTable


class BoardNet(PolicyValueNet):
    """See BoardTable. A subclass makes its trunk, then calls `add_heads`: the order decides the random weights."""

    def add_heads(self, channels: int, settings: BoardTable, game: Game) -> None:
        """Add the layers after a trunk of `channels` outputs for each cell."""
        position = game.position()
        _, rows, columns = position.planes_shape
        self.policy_mix = NormedConvolution(channels, settings.policy_channels, kernel=1, padding=0)
        self.policy = nn.Linear(settings.policy_channels * rows * columns, position.num_actions)
        self.value_mix = NormedConvolution(channels, settings.value_channels, kernel=1, padding=0)
        self.value = Value(settings.value_channels * rows * columns, settings.value_hidden)

    @abstractmethod
    def trunk(self, planes: Tensor) -> Tensor:
        """Return the outputs (n, channels, rows, columns) for planes (n, planes, rows, columns)."""

    @abstractmethod
    def add_trunk_to(self, g: Graph, planes: str) -> str:
        """Add the trunk to a graph; return its output."""

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Return policy logits and values."""
        x = self.trunk(planes)
        policy: Tensor = self.policy(torch.relu(self.policy_mix(x)).flatten(1))
        value: Tensor = self.value(torch.relu(self.value_mix(x)).flatten(1))
        return policy, value

    def add_to(self, g: Graph) -> None:
        """Add its layers to a graph."""
        x = self.add_trunk_to(g, INPUT)
        policy = g.flat(g.relu(self.policy_mix.add_to(g, x, "policy_mix")), "policy_flat")
        g.head(g.linear(policy, "policy_logits", self.policy), POLICY)
        self.value.add_to(g, g.flat(g.relu(self.value_mix.add_to(g, x, "value_mix")), "value_flat"))
