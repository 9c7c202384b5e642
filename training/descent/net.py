"""The incremental network as it learns: native/src/net/pattern_net.hpp in floats."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from fiedler.native import PatternNet, Samples, pattern_inputs
from fiedler.players.incremental import LAYERS
from fiedler.training.descent.recipe import DescentRecipe
from fiedler.training.model.weights import bounded
from fiedler.training.recipe.system import DivergedError

HIDDEN: int = PatternNet.HIDDEN
START = 0.25
"""The first biases of the clipped layers: most units begin within their range."""


class IncrementalValueNet(nn.Module):
    """A value for each row of patterns (n, places)."""

    descriptions: Tensor

    def __init__(self, recipe: DescentRecipe) -> None:
        super().__init__()
        places = Samples(recipe.game, 1, "value").places
        table, found = recipe.net, torch.from_numpy(pattern_inputs(recipe.game))
        self.register_buffer("descriptions", found, persistent=False)
        self.describe = nn.Linear(found.shape[1], table.describe)
        self.embed = nn.Linear(table.describe, table.depth)
        self.first = nn.Linear(places * table.depth, table.width)
        self.second = nn.Linear(table.width, HIDDEN)
        self.last = nn.Linear(HIDDEN, 1)
        for layer in (self.first, self.second):
            nn.init.constant_(layer.bias, START)

    def forward(self, patterns: Tensor) -> Tensor:
        """Return the values (n,), -1 to 1, of rows of patterns (n, places), int32."""
        seen, places = torch.unique(patterns, return_inverse=True)  # a third of all patterns in a batch of 8,192
        embedding = self.embed(torch.relu(self.describe(self.descriptions[seen])))
        x = nn.functional.embedding(places, embedding).flatten(1)
        x = torch.clamp(self.first(x), 0, 1)
        x = torch.clamp(self.second(x), 0, 1)
        found: Tensor = self.last(x).squeeze(1)
        return found * torch.rsqrt(1 + found * found)

    def layers(self) -> list[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]:
        """Return weights and biases of the layers, as `native.PatternNet` takes them."""
        found = [getattr(self, name) for name in LAYERS]
        return [(layer.weight.detach().numpy(), layer.bias.detach().numpy()) for layer in found]

    def native(self, game: str) -> PatternNet:
        """Return the network in whole numbers.

        Raises:
            DivergedError: The weights are too large for them.
        """
        try:
            return PatternNet(game, *self.layers())
        except ValueError as error:
            raise DivergedError(str(error)) from None


def fresh(recipe: DescentRecipe) -> IncrementalValueNet:
    """Return the untrained network of a recipe, the same for the same seed."""
    return bounded(lambda: IncrementalValueNet(recipe), recipe.seed)
