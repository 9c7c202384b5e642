"""The residual network, AlphaZero's own kind (Silver et al. 2017)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from games import Game
from players.checkpoint import POLICY
from players.model import INPUT
from training.alphazero.convolution import NormedConvolution
from training.alphazero.dense import Value
from training.alphazero.net_recipe import ResidualTable
from training.alphazero.policy_value import PolicyValueNet
from training.export import Graph


class Block(nn.Module):
    """Two convolutions, whose output is added to the input (He et al. 2016)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = NormedConvolution(channels, channels)
        self.second = NormedConvolution(channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        """Return the rectified sum."""
        return torch.relu(x + self.second(torch.relu(self.first(x))))

    def add_to(self, g: Graph, x: str, name: str) -> str:
        """Add it to a graph; return its output."""
        grown = self.second.add_to(g, g.relu(self.first.add_to(g, x, f"{name}.first")), f"{name}.second")
        return g.relu(g.node("Add", [x, grown], f"{name}.sum"))


class ResidualNet(PolicyValueNet):
    """See ResidualTable."""

    def __init__(self, settings: ResidualTable, game: Game) -> None:
        super().__init__()
        position = game.position()
        planes, rows, columns = position.planes_shape
        channels, cells = settings.channels, rows * columns
        self.embed = NormedConvolution(planes, channels)
        self.blocks = nn.ModuleList(Block(channels) for _ in range(settings.blocks))
        self.policy_mix = NormedConvolution(channels, settings.policy_channels, kernel=1, padding=0)
        self.policy = nn.Linear(settings.policy_channels * cells, position.num_actions)
        self.value_mix = NormedConvolution(channels, settings.value_channels, kernel=1, padding=0)
        self.value = Value(settings.value_channels * cells, settings.value_hidden)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Return policy logits and values."""
        x = torch.relu(self.embed(planes))
        for block in self.blocks:
            x = block(x)
        policy: Tensor = self.policy(torch.relu(self.policy_mix(x)).flatten(1))
        value: Tensor = self.value(torch.relu(self.value_mix(x)).flatten(1))
        return policy, value

    def add_to(self, g: Graph) -> None:
        """Add its layers to a graph."""
        x = g.relu(self.embed.add_to(g, INPUT, "embed"))
        for number, block in enumerate(self.blocks):
            assert isinstance(block, Block)
            x = block.add_to(g, x, f"block{number}")
        policy = g.flat(g.relu(self.policy_mix.add_to(g, x, "policy_mix")), "policy_flat")
        g.head(g.linear(policy, "policy_logits", self.policy), POLICY)
        self.value.add_to(g, g.flat(g.relu(self.value_mix.add_to(g, x, "value_mix")), "value_flat"))
