"""The recipes of NNUE: network, self-play and learning."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from fiedler.games import game
from fiedler.native import cell_rows
from fiedler.players.negamax import NegamaxPlayer
from fiedler.support.toml import Refuse
from fiedler.training.model.states import StateLearning
from fiedler.training.nnue.entry import NnueEntry
from fiedler.training.recipe.recipe import Count, Large, Recipe, RecipeTable, Share


class CellNetTable(RecipeTable, frozen=True, kw_only=True):
    """The incremental network: native/src/net/cell_net.hpp."""

    describe: Count = 64
    """Units of the layer that sees the parts of one pattern."""
    width: Literal[32, 64, 128] = 64
    """Units of a cell, and of their sum."""


class NnueSelfPlay(RecipeTable, frozen=True, kw_only=True):
    """The games of negamax against itself, and positions near them."""

    nodes: Large = 800
    """Of a search that chooses a move; its value is that of the position."""
    label_nodes: Large = 400
    """Of a search that only gives a position near the game its value."""
    neighbours: Annotated[int, Meta(ge=0, le=100)] = 2
    """Such positions for each of the game."""
    steps: Annotated[int, Meta(ge=1, le=100)] = 3
    """Each is 1 to this many likely moves away."""
    random_share: Share = 0.12
    """The share of the moves of a game that are likely ones in place of the best."""
    opening_plies: Annotated[int, Meta(ge=1, le=100)] = 9
    """An opening has 1 to this many random plies."""
    opening_square: Annotated[int, Meta(ge=1, le=64)] = 9
    """They lie in the middle square of this many cells a side."""
    balance: Annotated[float, Meta(ge=0, le=0.5)] = 0.3
    """An opening is drawn again if a search expects a score further from ½ than this."""
    own_evaluation: Annotated[int, Meta(ge=1, le=10**6)] = 10
    """The number of first iterations whose searches evaluate without the network."""


class NnueRecipe(Recipe, frozen=True, kw_only=True, tag="nnue"):
    """`system = "nnue"`."""

    entry = NnueEntry
    player = NegamaxPlayer.name
    needs = ("torch", "onnx", "onnxruntime")

    net: CellNetTable = CellNetTable()
    selfplay: NnueSelfPlay = NnueSelfPlay()
    learning: StateLearning

    def check(self, refuse: Refuse) -> None:
        """Refuse also a game without patterns of cells."""
        super().check(refuse)
        try:
            cell_rows(game(self.game).id)
        except ValueError as error:
            refuse("game", str(error))
