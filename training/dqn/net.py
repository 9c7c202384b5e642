"""The Q-network: the value of every column, for the side to move."""

from __future__ import annotations

from torch import Tensor, nn

from fiedler.training.dqn.boards import COLUMNS, ROWS
from fiedler.training.dqn.recipe import DqnNet, DqnRecipe
from fiedler.training.model.weights import bounded

PLANES = 2


class QNet(nn.Module):
    """Planes (n, 2, 6, 7) in; logits (n, 7) out. The Q-value of a column is the tanh of its logit, −1 to 1."""

    def __init__(self, settings: DqnNet) -> None:
        super().__init__()
        c, self.leak = settings.channels, settings.leak
        self.embed = nn.Conv2d(PLANES, c, settings.kernel, padding=settings.kernel // 2)
        self.blocks = nn.ModuleList(nn.Conv2d(c, c, 3, padding=1) for _ in range(settings.blocks))
        self.mix = nn.Conv2d(c, settings.mixed, 1)
        self.hidden = nn.Linear(settings.mixed * ROWS * COLUMNS, settings.hidden)
        self.moves = nn.Linear(settings.hidden, COLUMNS)
        self.value = nn.Linear(settings.hidden, 1) if settings.dueling else None

    def forward(self, planes: Tensor) -> Tensor:
        """Return the logits."""
        x = self._leaky(self.embed(planes))
        for block in self.blocks:
            x = x + self._leaky(block(x))
        x = self._leaky(self.hidden(self._leaky(self.mix(x)).flatten(1)))
        moves: Tensor = self.moves(x)
        if self.value is None:
            return moves
        value: Tensor = self.value(x)
        return value + moves - moves.mean(1, keepdim=True)

    def _leaky(self, x: Tensor) -> Tensor:
        return nn.functional.leaky_relu(x, self.leak)


def fresh(recipe: DqnRecipe) -> QNet:
    """Return the untrained network of a recipe, the same for the same seed."""
    return bounded(lambda: QNet(recipe.net), recipe.seed)
