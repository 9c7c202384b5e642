"""Systems whose model is a policy-value network."""

from __future__ import annotations

from typing import Any, TypeVar

from fiedler.games import Game, game
from fiedler.native import Samples
from fiedler.training.model.torch_system import TorchSystem
from fiedler.training.nets.export import TYPICAL, to_onnx
from fiedler.training.nets.kinds import fresh
from fiedler.training.nets.learner import Learner
from fiedler.training.nets.recipe import NetRecipe
from fiedler.training.recipe.system import Stamp

Kind = TypeVar("Kind", bound=NetRecipe)
"""The recipes of a system."""


class NetSystem(TorchSystem[Kind]):
    """A network and its learner, and the samples that it learns from."""

    def __init__(self, recipe: Kind) -> None:
        """Begin with an untrained network."""
        super().__init__(recipe)
        self.game: Game = game(recipe.game)
        self.learner = Learner(fresh(recipe), recipe)
        self.samples = Samples(recipe.game, recipe.learning.capacity, "policy-value")

    @classmethod
    def untrained(cls, recipe: Kind) -> bytes:
        """Return the network before its first iteration; see System."""
        return to_onnx(fresh(recipe), recipe)

    def export(self, stamp: Stamp) -> bytes:
        """Return the network as an ONNX file."""
        typical = self.samples.draw(TYPICAL, self.recipe.seed)[0] if len(self.samples) else None
        return to_onnx(self.learner.portable, self.recipe, stamp, typical)

    def _parts(self) -> dict[str, Any]:
        return self.learner.state()

    def _restore_parts(self, parts: dict[str, Any]) -> None:
        self.learner.restore(parts)
