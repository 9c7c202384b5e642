"""The network that learns: a policy over all actions and a value, small enough for CPUs."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from games import game
from training.alphazero.recipe import AlphaZeroRecipe, Net


class PolicyValueNet(nn.Module):
    """Planes (n, planes, rows, columns) in; policy logits (n, actions) and value (n,) in -1 to 1 out.

    The value is the expected result for the side to move.
    """

    def __init__(self, settings: Net, planes_shape: tuple[int, int, int], actions: int) -> None:
        super().__init__()
        planes, rows, columns = planes_shape
        self.embed = nn.Conv2d(planes, settings.channels, settings.kernel, settings.stride)
        self.mix = nn.Conv2d(settings.channels, settings.mixed, 1)
        places = [(side - settings.kernel) // settings.stride + 1 for side in (rows, columns)]
        widths = [settings.mixed * places[0] * places[1], *settings.hidden]
        self.trunk = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.policy = nn.Linear(widths[-1], actions)
        self.value_hidden = nn.Linear(widths[-1], settings.value_hidden)
        self.value = nn.Linear(settings.value_hidden, 1)

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Return policy logits and values."""
        x = torch.relu(self.mix(torch.relu(self.embed(planes)))).flatten(1)
        for layer in self.trunk:
            grown = torch.relu(layer(x))
            x = x + grown if is_residual(layer) else grown
        value: Tensor = torch.tanh(self.value(torch.relu(self.value_hidden(x)))).squeeze(1)
        return self.policy(x), value


def is_residual(layer: nn.Module) -> bool:
    """Return whether a trunk layer adds to its input: it does if the width does not change."""
    assert isinstance(layer, nn.Linear)
    return layer.in_features == layer.out_features


def fresh(recipe: AlphaZeroRecipe) -> PolicyValueNet:
    """Return the untrained network of a recipe, the same for the same seed."""
    position = game(recipe.game).position()
    torch.manual_seed(recipe.seed)
    return PolicyValueNet(recipe.net, position.planes_shape, position.num_actions)
