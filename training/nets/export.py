"""The policy-value network as an ONNX file."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fiedler.games import game
from fiedler.players.checkpoint import CheckpointPlayer
from fiedler.training.model.export import Graph, onnx_file
from fiedler.training.model.quantise import random_planes
from fiedler.training.nets.policy_value import PolicyValueNet
from fiedler.training.nets.recipe import NetRecipe
from fiedler.training.recipe.system import Stamp

TYPICAL = 512
"""The number of positions that measure the ranges of an int8 network."""


def to_onnx(
    net: PolicyValueNet,
    recipe: NetRecipe,
    stamp: Stamp = Stamp(),
    planes: npt.NDArray[np.float32] | None = None,
) -> bytes:
    """Return the model file for the recipe's player; `planes`: typical ones, None for those of random games."""
    played, graph = game(recipe.game), Graph()
    net.add_to(graph)
    if recipe.int8 and planes is None:
        planes = random_planes(played, TYPICAL, recipe.seed)
    return onnx_file(graph, CheckpointPlayer.heads(played), recipe, stamp, planes if recipe.int8 else None)
