"""The network of cells as it learns: native/src/net/cell_net.hpp in floats."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from fiedler.native import CellNet, cell_rows, pattern_sets
from fiedler.training.model.weights import bounded
from fiedler.training.nnue.recipe import NnueRecipe
from fiedler.training.recipe.system import DivergedError

HIDDEN: int = CellNet.HIDDEN
PATTERNS = 16
"""The patterns of one direction."""
MOST_ROWS = 1 << 16
MOST = ((1 << 14) - 1) / (1 << 12)
"""The largest number of a row that the native core can hold."""
SUM = 12.0
"""The sum of all cells is learned in units of a board / SUM: numbers of the size of an activation."""
Matrix = npt.NDArray[np.float32]


class CellValueNet(nn.Module):
    """A value for each row of patterns (n, 2 · cells): those of the side to move, then the other side's.

    The row of a pattern is the sum of a network over its parts, which knows something about rare ones, and of numbers
    of its own.
    """

    parts: Tensor

    def __init__(self, recipe: NnueRecipe, places: int) -> None:
        super().__init__()
        self.cells, width = places // 2, recipe.net.width
        self.register_buffer("parts", torch.from_numpy(described(recipe.game)), persistent=False)
        self.owners = cell_rows(recipe.game) // len(self.parts)  # of rows: each side's own and other patterns
        self.describe = nn.Linear(self.parts.shape[1], recipe.net.describe)
        self.embed = nn.Linear(recipe.net.describe, self.owners * width)
        self.own = nn.Parameter(torch.zeros(self.owners * len(self.parts), width))
        self.first = nn.Linear(width, HIDDEN)
        self.second = nn.Linear(HIDDEN, HIDDEN)
        self.last = nn.Linear(HIDDEN, 1)
        nn.init.normal_(self.embed.weight, std=0.05)
        nn.init.constant_(self.embed.bias, 0.05)
        nn.init.uniform_(self.first.bias, 0.2, 0.6)
        nn.init.uniform_(self.second.bias, 0.1, 0.5)

    def rows(self) -> Tensor:
        """Return the rows (sides · 2 · patterns, width), within the numbers of the native core."""
        found = self.embed(torch.relu(self.describe(self.parts)))
        shared = found.view(len(self.parts), self.owners, -1).transpose(0, 1)
        rows: Tensor = torch.clamp(shared.reshape(self.own.shape) + self.own, -MOST, MOST)
        return rows

    def forward(self, patterns: Tensor) -> Tensor:
        """Return the values (n,), -1 to 1, of rows of patterns (n, 2 · cells), int32."""
        rows, patterns = self.rows(), patterns.long()
        pairs = patterns[:, : self.cells] * MOST_ROWS + patterns[:, self.cells :]
        seen, places = torch.unique(pairs, return_inverse=True)  # a small part of all pairs in a batch
        # an embedding, since the gradient of an index is a sum in any order on several threads
        own, other = (nn.functional.embedding(side, rows) for side in (seen // MOST_ROWS, seen % MOST_ROWS))
        cells = torch.clamp(own + other, 0, 1)
        x = nn.functional.embedding_bag(places, cells, mode="sum") * (SUM / self.cells)
        x = torch.clamp(self.first(x), 0, 1)
        x = torch.clamp(self.second(x), 0, 1)
        found: Tensor = torch.tanh(self.last(x).squeeze(1) / 2)
        return found

    def layers(self) -> tuple[Matrix, list[tuple[Matrix, Matrix]]]:
        """Return the rows, and weights and biases of the layers, as `native.CellNet` takes them."""
        with torch.no_grad():
            scaled = self.first.weight * (SUM / self.cells)
            weights = [(scaled, self.first.bias), *((one.weight, one.bias) for one in (self.second, self.last))]
            layers = [(weight.numpy().copy(), bias.numpy().copy()) for weight, bias in weights]
            return self.rows().numpy(), layers

    def native(self, game: str) -> CellNet:
        """Return the network in whole numbers.

        Raises:
            DivergedError: The weights are too large for them.
        """
        rows, layers = self.layers()
        try:
            return CellNet(game, rows, *layers)
        except ValueError as error:
            raise DivergedError(str(error)) from None


def described(game: str) -> Matrix:
    """Return the numbers that describe each pattern of a cell (patterns, 48).

    How often each pattern of a direction occurs; the best one; the second best.
    """
    sets = pattern_sets(game)
    each = np.eye(PATTERNS, dtype=np.float32)[sets]
    return np.concatenate([each.sum(axis=1), each[:, 0], each[:, 1]], axis=1)


def fresh(recipe: NnueRecipe, places: int) -> CellValueNet:
    """Return the untrained network of a recipe, the same for the same seed."""
    return bounded(lambda: CellValueNet(recipe, places), recipe.seed)
