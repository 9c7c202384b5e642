"""The networks that learn, by their tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from games import game
from training.alphazero.embedding import EmbeddingNet
from training.alphazero.lines import LinesNet
from training.alphazero.net_recipe import AnyNet, EmbeddingTable, LinesTable, PlainTable, ResidualTable, VolumeTable
from training.alphazero.plain import PlainNet
from training.alphazero.policy_value import PolicyValueNet
from training.alphazero.recipe import AlphaZeroRecipe
from training.alphazero.residual import ResidualNet
from training.alphazero.volume import VolumeNet

NETS: dict[type[AnyNet], Callable[[Any, Any], PolicyValueNet]] = {
    EmbeddingTable: EmbeddingNet,
    PlainTable: PlainNet,
    ResidualTable: ResidualNet,
    LinesTable: LinesNet,
    VolumeTable: VolumeNet,
}


def fresh(recipe: AlphaZeroRecipe) -> PolicyValueNet:
    """Return the untrained network of a recipe, the same for the same seed."""
    torch.manual_seed(recipe.seed)
    return NETS[type(recipe.net)](recipe.net, game(recipe.game)).eval()
