"""The network of one convolution: cheap, for CPUs."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fiedler.games import Game
from fiedler.players.model import INPUT
from fiedler.training.model.export import Graph
from fiedler.training.nets.dense import Dense
from fiedler.training.nets.policy_value import PolicyValueNet
from fiedler.training.nets.tables import EmbeddingTable


class EmbeddingNet(PolicyValueNet):
    """See EmbeddingTable."""

    def __init__(self, settings: EmbeddingTable, game: Game) -> None:
        super().__init__()
        position = game.position()
        planes, rows, columns = position.planes_shape
        self.embed = nn.Conv2d(planes, settings.channels, settings.kernel, settings.stride)
        self.mix = nn.Conv2d(settings.channels, settings.mixed, 1)
        places = [(side - settings.kernel) // settings.stride + 1 for side in (rows, columns)]
        width = settings.mixed * places[0] * places[1]
        self.dense = Dense(width, settings.hidden, position.num_actions, settings.value_hidden)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Return policy logits and values."""
        x = torch.relu(self.mix(torch.relu(self.embed(planes)))).flatten(1)
        answer: tuple[Tensor, Tensor] = self.dense(x)
        return answer

    def add_to(self, g: Graph) -> None:
        """Add its layers to a graph."""
        x = g.relu(g.conv(INPUT, "embed", self.embed))
        self.dense.add_to(g, g.flat(g.relu(g.conv(x, "mix", self.mix)), "flat"))
