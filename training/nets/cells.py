"""The network of convolutions whose policy has one output for each cell: few weights, the same for the whole board."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fiedler.games import Game
from fiedler.players.checkpoint import POLICY
from fiedler.players.model import INPUT
from fiedler.training.model.export import Graph
from fiedler.training.nets.convolution import NormedConvolution
from fiedler.training.nets.dense import Value
from fiedler.training.nets.policy_value import PolicyValueNet
from fiedler.training.nets.residual import Block
from fiedler.training.nets.tables import CellsTable


class CellsNet(PolicyValueNet):
    """See CellsTable."""

    def __init__(self, settings: CellsTable, game: Game) -> None:
        super().__init__()
        planes, _, _ = game.position().planes_shape
        channels, kernel = settings.channels, settings.kernel
        self.embed = NormedConvolution(planes, channels, kernel=kernel, padding=kernel // 2)
        self.blocks = nn.ModuleList(Block(channels) for _ in range(settings.blocks))
        self.policy_mix = NormedConvolution(channels, settings.policy_channels, kernel=1, padding=0)
        self.policy = nn.Conv2d(settings.policy_channels, 1, 1)
        self.value = Value(2 * channels, settings.value_hidden)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Return policy logits and values."""
        x = torch.relu(self.embed(planes))
        for block in self.blocks:
            x = block(x)
        policy: Tensor = self.policy(torch.relu(self.policy_mix(x))).flatten(1)
        value: Tensor = self.value(torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1))
        return policy, value

    def add_to(self, g: Graph) -> None:
        """Add its layers to a graph."""
        x = g.relu(self.embed.add_to(g, INPUT, "embed"))
        for number, block in enumerate(self.blocks):
            assert isinstance(block, Block)
            x = block.add_to(g, x, f"block{number}")
        policy = g.conv(g.relu(self.policy_mix.add_to(g, x, "policy_mix")), "policy_cells", self.policy)
        g.head(g.flat(policy, "policy_logits"), POLICY)
        pooled = [g.node(kind, [x], f"pooled.{kind}") for kind in ("GlobalAveragePool", "GlobalMaxPool")]
        self.value.add_to(g, g.flat(g.node("Concat", pooled, "pooled", axis=1), "pooled_flat"))
