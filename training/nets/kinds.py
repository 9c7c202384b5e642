"""The networks that learn, by their tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from games import game
from training.model.weights import bounded
from training.nets.cells import CellsNet
from training.nets.embedding import EmbeddingNet
from training.nets.lines import LinesNet
from training.nets.plain import PlainNet
from training.nets.policy_value import PolicyValueNet
from training.nets.recipe import NetRecipe
from training.nets.residual import ResidualNet
from training.nets.tables import AnyNet, CellsTable, EmbeddingTable, LinesTable, PlainTable, ResidualTable, VolumeTable
from training.nets.volume import VolumeNet

NETS: dict[type[AnyNet], Callable[[Any, Any], PolicyValueNet]] = {
    EmbeddingTable: EmbeddingNet,
    PlainTable: PlainNet,
    ResidualTable: ResidualNet,
    CellsTable: CellsNet,
    LinesTable: LinesNet,
    VolumeTable: VolumeNet,
}


def fresh(recipe: NetRecipe) -> PolicyValueNet:
    """Return the untrained network of a recipe, the same for the same seed."""
    return bounded(lambda: NETS[type(recipe.net)](recipe.net, game(recipe.game)), recipe.seed).eval()
