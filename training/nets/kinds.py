"""The networks that learn, by their tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fiedler.games import game
from fiedler.training.model.weights import bounded
from fiedler.training.nets.cells import CellsNet
from fiedler.training.nets.embedding import EmbeddingNet
from fiedler.training.nets.lines import LinesNet
from fiedler.training.nets.plain import PlainNet
from fiedler.training.nets.policy_value import PolicyValueNet
from fiedler.training.nets.recipe import NetRecipe
from fiedler.training.nets.residual import ResidualNet
from fiedler.training.nets.tables import (
    AnyNet,
    CellsTable,
    EmbeddingTable,
    LinesTable,
    PlainTable,
    ResidualTable,
    VolumeTable,
)
from fiedler.training.nets.volume import VolumeNet

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
