"""The common part of the recipes whose model is a policy-value network."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from fiedler.games import game
from fiedler.support.toml import Refuse
from fiedler.training.nets.tables import AnyNet
from fiedler.training.recipe.recipe import Count, Large, Recipe, RecipeTable, Share

Rate = Annotated[float, Meta(ge=0, le=1)]


class LearningTable(RecipeTable, frozen=True, kw_only=True):
    """The learning of the network from samples."""

    capacity: Large
    """The number of kept positions, the newest ones, from which batches are drawn."""
    batch: Count
    """Positions a step."""
    rate: Rate
    """Highest learning rate of AdamW, reached after `warmup` iterations."""
    final_rate: Rate
    """Learning rate of the last iteration; in between it falls along half a cosine."""
    warmup: Annotated[int, Meta(ge=0, le=10**6)] = 1
    """Iterations over which the rate rises."""
    weight_decay: Annotated[float, Meta(ge=0, le=10)] = 1e-4
    """The weight decay of AdamW."""
    search_weight: Share = 0.4
    """The share of the search's value in the target of the value; the rest is the game's result."""
    value_weight: Annotated[float, Meta(ge=0, le=1000)] = 1.0
    """Weight of the value's squared error relative to the policy's cross entropy."""
    bf16: bool = False
    """Compute in bfloat16 where that is safe (torch.autocast), twice as fast, on processors that have it."""
    threads: Annotated[int, Meta(ge=1, le=1024)] = 1
    """Threads of the learner. A second one gains little with small networks, and nothing on a busy machine.

    Sums depend on this number in their last digits, so a run with another number learns another network.
    """


class NetRecipe(Recipe, frozen=True, kw_only=True):
    """A run that trains a policy-value network."""

    needs = ("torch", "onnx", "onnxruntime")
    has_device = True

    net: AnyNet
    """The network, of one of several kinds."""
    learning: LearningTable
    int8: bool = False
    """Play with the network in int8, which is also the model; the checkpoint of the run has it in fp32."""

    def check(self, refuse: Refuse) -> None:
        """Refuse also a network that does not fit the board."""
        super().check(refuse)
        self.net.check(game(self.game), refuse)
