"""The residual network, AlphaZero's own kind (Silver et al. 2017)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fiedler.games import Game
from fiedler.training.model.export import Graph
from fiedler.training.nets.board_net import BoardNet
from fiedler.training.nets.convolution import NormedConvolution
from fiedler.training.nets.tables import ResidualTable


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


class ResidualNet(BoardNet):
    """See ResidualTable."""

    def __init__(self, settings: ResidualTable, game: Game) -> None:
        super().__init__()
        planes, _, _ = game.position().planes_shape
        self.embed = NormedConvolution(planes, settings.channels)
        self.blocks = nn.ModuleList(Block(settings.channels) for _ in range(settings.blocks))
        self.add_heads(settings.channels, settings, game)

    def trunk(self, planes: Tensor) -> Tensor:
        """Return the outputs of the last block; see BoardNet."""
        x = torch.relu(self.embed(planes))
        for block in self.blocks:
            x = block(x)
        return x

    def add_trunk_to(self, g: Graph, planes: str) -> str:
        """Add the blocks; see BoardNet."""
        x = g.relu(self.embed.add_to(g, planes, "embed"))
        for number, block in enumerate(self.blocks):
            assert isinstance(block, Block)
            x = block.add_to(g, x, f"block{number}")
        return x
