"""The recipes of AlphaZero: network, self-play and learning."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from games import game
from support.toml import Refuse
from training.alphazero.entry import Iteration
from training.alphazero.net_recipe import AnyNet
from training.recipe import Count, Large, Recipe, RecipeTable, Share
from training.system import System

Plies = Annotated[int, Meta(ge=0, le=1000)]
Temperature = Annotated[float, Meta(ge=0, le=100)]
Rate = Annotated[float, Meta(ge=0, le=1)]


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
    threats: Annotated[int, Meta(ge=0, le=10**6)] = 0
    """Positions of the search by threats at every new node, of games that have one; 0 = none."""
    threats_share: Share = 1.0
    """Of the games whose searches have them: from the others the network learns tactics itself."""
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
    bf16: bool = False
    """Compute in bfloat16 where that is safe (torch.autocast): twice as fast on processors that have it."""
    threads: Annotated[int, Meta(ge=1, le=1024)] = 1
    """Threads of the learner. Small networks gain little from a second one, and nothing on a busy machine; another
    number gives another network."""


class GateTable(RecipeTable, frozen=True, kw_only=True):
    """The table `[gate]`: a new network replaces the best one only if it beats it in a match."""

    games: Annotated[int, Meta(ge=2, le=10**4, multiple_of=2)] = 40
    """Games of the match: every opening twice, with colours reversed."""
    score: Share = 0.55
    """The new network must score more than this."""
    simulations: Annotated[int, Meta(ge=1, le=10**6)] = 50
    """Of both, a move."""
    threats: Annotated[int, Meta(ge=0, le=10**6)] = 0
    """Positions of their search by threats."""
    plies: Plies = 2
    """Random plies of an opening."""


class AlphaZeroRecipe(Recipe, frozen=True, kw_only=True, tag="alphazero"):
    """`system = "alphazero"`."""

    entry = Iteration
    player = "checkpoint"
    needs = ("torch", "onnx", "onnxruntime")
    has_device = True

    net: AnyNet
    selfplay: SelfPlay
    learning: Learning
    gate: GateTable | None = None
    int8: bool = False
    """Play with the network in int8, which is also the model; the checkpoint of the run has it in fp32."""

    def check(self, refuse: Refuse) -> None:
        """Refuse also a network that does not fit the board."""
        super().check(refuse)
        self.net.check(game(self.game), refuse)

    def begin(self) -> System:
        """Return the system with an untrained network."""
        from training.alphazero.system import AlphaZero

        return AlphaZero(self)
