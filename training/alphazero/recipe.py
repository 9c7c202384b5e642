"""The recipes of AlphaZero: network, self-play and learning."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from games import game
from support.toml import Refuse
from training.alphazero.entry import Iteration
from training.recipe import Count, Large, Recipe, RecipeTable, Share
from training.system import System

Kernel = Annotated[int, Meta(ge=1, le=32)]
Channels = Annotated[int, Meta(ge=1, le=4096)]
Plies = Annotated[int, Meta(ge=0, le=1000)]
Temperature = Annotated[float, Meta(ge=0, le=100)]
Rate = Annotated[float, Meta(ge=0, le=1)]


class Net(RecipeTable, frozen=True, kw_only=True):
    """A small network for CPUs: one convolution, one mixing of its channels, a dense trunk, two heads."""

    kernel: Kernel
    """Rows and columns of the first convolution, 1 to the smaller side of the board."""
    stride: Kernel
    """Step of the first convolution; 3 with kernel 3 gives every local board of uttt one shared embedding."""
    channels: Channels
    """Outputs of the first convolution."""
    mixed: Channels
    """Channels after a 1x1 convolution: the input of the trunk from each place."""
    hidden: Annotated[list[Count], Meta(min_length=1)]
    """Units of the dense layers of the trunk; a layer as wide as the one before it is residual."""
    value_hidden: Count
    """Units of the value head."""


class SelfPlay(RecipeTable, frozen=True, kw_only=True):
    """The play of the network against itself."""

    games: Count
    """Concurrent games of each worker: the rows of the network's batch."""
    full: Annotated[int, Meta(ge=2, le=10**6)]
    """Visits of the root in a full search, whose position is recorded."""
    fast: Annotated[int, Meta(ge=1, le=10**6)]
    """Visits of the root in a fast search, which only finds a move."""
    full_share: Annotated[float, Meta(ge=0.01, le=1)]
    """Share of the searches that are full."""
    opening_plies: Plies
    """A random opening has 0 to this many uniformly random plies."""
    opening_share: Share
    """Share of the games that begin with a random opening."""
    noise_alpha: Annotated[float, Meta(ge=1e-3, le=1e3)] = 10.0
    """Dirichlet noise at the root of full searches: sum of the alphas over the legal moves."""
    noise_share: Share = 0.25
    """Weight of that noise."""
    temperature: Temperature = 1.0
    """Moves are drawn from visits^(1 / temperature) up to `temperature_plies`."""
    temperature_plies: Plies = 20
    """The number of stones on the board from which `late_temperature` applies."""
    late_temperature: Temperature = 0.3
    """Temperature of the later moves; 0 = the most visited move."""
    c_puct: Annotated[float, Meta(ge=0, le=100)] = 1.5
    """The exploration constant, for values in -1 to 1."""
    fpu_reduction: Annotated[float, Meta(ge=0, le=2)] = 0.2
    """The value of an unvisited move is this much below that of its parent."""
    workers: Annotated[int, Meta(ge=1, le=256)] = 2
    """Threads that play; each has an evaluator of its own."""


class Learning(RecipeTable, frozen=True, kw_only=True):
    """The learning of the network from the games."""

    samples: Large
    """New positions before the network learns again (one iteration)."""
    capacity: Large
    """The number of kept positions, the newest ones, from which batches are drawn."""
    passes: Annotated[float, Meta(ge=0.01, le=1000)]
    """The mean number of times that a position is drawn for learning."""
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
    threads: Annotated[int, Meta(ge=1, le=1024)] = 1
    """Threads of the learner. Small networks gain little from a second one, and nothing on a busy machine; another
    number gives another network."""


class AlphaZeroRecipe(Recipe, frozen=True, kw_only=True, tag="alphazero"):
    """`system = "alphazero"`."""

    entry = Iteration
    player = "checkpoint"
    needs = ("torch", "onnx", "onnxruntime")

    net: Net
    selfplay: SelfPlay
    learning: Learning

    def check(self, refuse: Refuse) -> None:
        """Refuse also a kernel larger than the board."""
        super().check(refuse)
        _, rows, columns = game(self.game).position().planes_shape
        if self.net.kernel > min(rows, columns):
            refuse("net.kernel", f"expected at most {min(rows, columns)}, got {self.net.kernel}")

    def begin(self) -> System:
        """Return the system with an untrained network."""
        from training.alphazero.system import AlphaZero

        return AlphaZero(self)
