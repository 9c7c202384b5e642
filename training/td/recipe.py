"""The recipes of TD(0), with tables or with a network."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from fiedler.games import game
from fiedler.players.td import TdPlayer
from fiedler.players.td_net import TdNetPlayer
from fiedler.support.errors import UsageError
from fiedler.support.toml import Refuse
from fiedler.training.judge.small_game import small_game
from fiedler.training.recipe.recipe import Count, Large, Recipe, RecipeTable, Share
from fiedler.training.td.entry import TdEntry

Rate = Annotated[float, Meta(gt=0, le=1)]


class TdSelfPlay(RecipeTable, frozen=True, kw_only=True):
    """The play of the values against themselves."""

    games: Count
    """Games of an iteration."""
    epsilon: Share
    """Share of random moves in the first iteration."""
    final_epsilon: Share
    """The same in the last iteration; in between it falls in equal steps."""
    opening_plies: Annotated[int, Meta(ge=0, le=1000)]
    """A random opening has 0 to this many uniformly random plies, fewer if the game ends."""
    opening_share: Share
    """Share of the games that begin with a random opening."""


class TdRates(RecipeTable, frozen=True, kw_only=True):
    """The learning of the tables."""

    rate: Rate
    """Part of the difference to its target by which a value moves, in the first iteration."""
    final_rate: Rate
    """The same in the last iteration; in between it falls in equal steps."""


class ValueNetSize(RecipeTable, frozen=True, kw_only=True):
    """The value network: dense layers with rectifiers."""

    hidden: Annotated[list[Annotated[int, Meta(ge=1, le=4096)]], Meta(min_length=1)]
    """Units of the hidden layers."""


class TdNetRates(TdRates, frozen=True, kw_only=True):
    """The learning of the network; the rates are those of Adam."""

    capacity: Large
    """The number of kept positions with their targets, the newest ones, from which batches are drawn."""
    passes: Annotated[float, Meta(ge=0.01, le=1000)]
    """The mean number of times that a position is drawn."""
    batch: Count
    """Positions a step."""


class SmallGameRecipe(Recipe, frozen=True, kw_only=True):
    """The common part: self-play in a small game."""

    entry = TdEntry

    selfplay: TdSelfPlay

    def check(self, refuse: Refuse) -> None:
        """Refuse also a game with too many positions."""
        super().check(refuse)
        try:
            small_game(game(self.game))
        except UsageError as error:
            refuse("game", str(error))


class TdRecipe(SmallGameRecipe, frozen=True, kw_only=True, tag="td"):
    """`system = "td"`."""

    player = TdPlayer.name
    model = "net.table"

    learning: TdRates


class TdNetRecipe(SmallGameRecipe, frozen=True, kw_only=True, tag="td-net"):
    """`system = "td-net"`."""

    player = TdNetPlayer.name
    needs = ("torch", "onnx", "onnxruntime")

    net: ValueNetSize
    learning: TdNetRates
