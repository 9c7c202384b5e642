"""The recipes of the Q-network: network, games and learning."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from fiedler.support.toml import Refuse
from fiedler.training.dqn.entry import DqnEntry
from fiedler.training.recipe.recipe import Count, Large, Recipe, RecipeTable, Share

GAME = "connect4"
Odd = Annotated[int, Meta(ge=1, le=11)]
Small = Annotated[int, Meta(ge=1, le=4096)]
Rate = Annotated[float, Meta(ge=0, le=1)]


class DqnNet(RecipeTable, frozen=True, kw_only=True):
    """A convolution, residual convolutions, a mix of the channels, a dense layer, Q-values."""

    kernel: Odd
    """Rows and columns of the first convolution; an odd number."""
    channels: Small
    """Outputs of each convolution."""
    blocks: Annotated[int, Meta(ge=0, le=64)]
    """3×3 convolutions, each added to its input."""
    mixed: Small
    """Channels after a 1×1 convolution: the input of the dense layer from each cell."""
    hidden: Count
    """Units of the dense layer."""
    dueling: bool = False
    """Whether the Q-values are a value of the position plus an advantage of each move (Wang et al. 2016)."""
    leak: Share = 0.01
    """The slope of the rectifiers for negative numbers."""


class DqnGames(RecipeTable, frozen=True, kw_only=True):
    """The games of an iteration, side by side."""

    count: Count
    """Games an iteration."""
    opening_share: Share
    """Share of the games that begin with a random opening."""
    opening_plies: Annotated[int, Meta(ge=0, le=41)]
    """A random opening has 0 to this many uniformly random plies; it ends before a ply that would end the game."""
    older_share: Share = 0.0
    """Share of the games against older networks of this run."""
    osp_share: Share = 0.0
    """Share of the games against osp."""
    random_share: Share = 0.0
    """Share of the games against random; the other games are against itself."""
    older: Annotated[int, Meta(ge=1, le=16)] = 3
    """The number of older networks that are kept."""
    older_every: Count = 5
    """Iterations between two of them."""
    epsilon: Share
    """The share of random moves at the beginning of each period."""
    final_epsilon: Share
    """The share of random moves at the end of each period."""
    period: Count
    """Iterations over which the share falls; it is raised again after them."""


class DqnLearning(RecipeTable, frozen=True, kw_only=True):
    """The learning of the network from the games."""

    capacity: Large
    """The number of kept positions, the newest ones."""
    replay: Annotated[float, Meta(ge=0, le=100)]
    """Kept positions that are learnt again, drawn at random, for each new one."""
    epochs: Count
    """Passes over these positions; each begins with fresh targets."""
    plies: Annotated[int, Meta(ge=1, le=41)]
    """The target of a played move is the value of the position this many plies later (n-step return), of an earlier
    one if a move in between was not the network's choice, or the result of the game."""
    lookahead: Share
    """Share of the other moves that have a target, too: the value of the position after them."""
    bound: Annotated[float, Meta(gt=0, le=1)] = 1.0
    """Targets that the rules do not decide at once are cut to ± this: a win or a loss further off counts less."""
    end_weight: Annotated[float, Meta(ge=0, le=1000)] = 1.0
    """Weight of targets of 1 and −1, which are ends of the game, in the loss; the others have the weight 1."""
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
    target_decay: Annotated[float, Meta(ge=0, lt=1)]
    """The target network is a moving average of the network; this is the weight of its past at each step."""
    bf16: bool = True
    """Whether the network is computed in bfloat16, which is faster on CPUs that have it."""


class Measurements(RecipeTable, frozen=True, kw_only=True):
    """Small measurements along the way; the log has them."""

    every: Count = 5
    """Iterations between two; the last iteration is always measured."""
    games: Count = 300
    """Games against each of random and osp."""


class DqnRecipe(Recipe, frozen=True, kw_only=True, tag="dqn"):
    """`system = "dqn"`."""

    entry = DqnEntry
    player = "dqn"
    needs = ("torch", "onnx", "onnxruntime")

    net: DqnNet
    games: DqnGames
    learning: DqnLearning
    measurements: Measurements = Measurements()

    def check(self, refuse: Refuse) -> None:
        """Refuse also other games, an even kernel, and shares of more than all games."""
        super().check(refuse)
        if self.game != GAME:
            refuse("game", f"expected {GAME!r}, the only game of this system, got {self.game!r}")
        if self.net.kernel % 2 == 0:
            refuse("net.kernel", f"expected an odd number, got {self.net.kernel}")
        shares = self.games.older_share + self.games.osp_share + self.games.random_share
        if shares > 1:
            refuse("games", f"expected older_share + osp_share + random_share of at most 1, got {shares:g}")

    def epsilon(self, iteration: int) -> float:
        """Return the share of random moves in an iteration, counted from 0."""
        g = self.games
        done = (iteration % g.period) / max(g.period - 1, 1)
        return g.epsilon + (g.final_epsilon - g.epsilon) * done
