"""The network over winning lines: the fastest one for games of n in a row."""

from __future__ import annotations

import torch
from torch import Tensor

from fiedler.games import Game
from fiedler.games.lines import lines_of
from fiedler.players.model import INPUT
from fiedler.training.model.export import Graph
from fiedler.training.nets.dense import Dense
from fiedler.training.nets.policy_value import PolicyValueNet
from fiedler.training.nets.tables import LinesTable


class LinesNet(PolicyValueNet):
    """See LinesTable."""

    weight: Tensor
    """(line features, numbers of all planes)"""
    bias: Tensor

    def __init__(self, settings: LinesTable, game: Game) -> None:
        super().__init__()
        weight, bias = line_counts(game)
        self.register_buffer("weight", weight, persistent=False)
        self.register_buffer("bias", bias, persistent=False)
        width = weight.shape[0] + weight.shape[1]
        self.dense = Dense(width, settings.hidden, game.position().num_actions, settings.value_hidden)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Return policy logits and values."""
        x = planes.flatten(1)
        with torch.autocast(x.device.type, enabled=False):
            counts = torch.clamp(torch.nn.functional.linear(x, self.weight, self.bias), 0, 1)
        answer: tuple[Tensor, Tensor] = self.dense(torch.cat([x, counts], 1))
        return answer

    def add_to(self, g: Graph) -> None:
        """Add its layers to a graph."""
        x = g.flat(INPUT, "stones")
        counts = g.clip(g.affine(x, "lines", self.weight, self.bias), "lines.open", 0.0, 1.0)
        self.dense.add_to(g, g.node("Concat", [x, counts], "features", axis=1))


def line_counts(game: Game) -> tuple[Tensor, Tensor]:
    """Return weights and biases whose outputs, cut to 0 to 1, are the open lines.

    An output is for one line of n cells, one side and one number k from 1 to n - 1: 1 if the line has at least k stones
    of that side and none of the other, else 0. The planes begin with those of the side to move, then the other's, all
    cells each.
    """
    position = game.position()
    assert game.in_a_row is not None
    found, length, cells = lines_of(position, game.in_a_row), game.in_a_row, len(position.cells)
    planes, rows, columns = position.planes_shape
    on_line = torch.zeros(len(found), cells)
    for number, line in enumerate(found):
        on_line[number, list(line)] = 1
    rest = torch.zeros(len(found), planes * rows * columns - 2 * cells)
    sides = [torch.cat([on_line, -length * on_line, rest], 1), torch.cat([-length * on_line, on_line, rest], 1)]
    steps = [-float(k - 1) for k in range(1, length)]
    weight = torch.cat([side for side in sides for _ in steps])
    bias = torch.cat([torch.full((len(found),), step) for _ in sides for step in steps])
    return weight, bias
