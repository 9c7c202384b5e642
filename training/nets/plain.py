"""Plain convolutions, as in small AlphaZero systems for gomoku, such as the one from which this one descends."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from fiedler.games import Game
from fiedler.training.model.export import Graph
from fiedler.training.nets.board_net import BoardNet
from fiedler.training.nets.convolution import NormedConvolution
from fiedler.training.nets.tables import PlainTable


class PlainNet(BoardNet):
    """See PlainTable."""

    def __init__(self, settings: PlainTable, game: Game) -> None:
        super().__init__()
        planes, _, _ = game.position().planes_shape
        self.layers = nn.ModuleList(NormedConvolution(a, b) for a, b in pairwise([planes, *settings.layers]))
        self.add_heads(settings.layers[-1], settings, game)

    def trunk(self, planes: Tensor) -> Tensor:
        """Return the outputs of the last convolution; see BoardNet."""
        for layer in self.layers:
            planes = torch.relu(layer(planes))
        return planes

    def add_trunk_to(self, g: Graph, planes: str) -> str:
        """Add the convolutions; see BoardNet."""
        for number, layer in enumerate(self.layers):
            assert isinstance(layer, NormedConvolution)
            planes = g.relu(layer.add_to(g, planes, f"layer{number}"))
        return planes
