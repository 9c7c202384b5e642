"""The table `[net]` of a recipe: one kind of network each, selected by its key `kind`."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from fiedler.games import Game
from fiedler.games.board import layers
from fiedler.support.toml import Refuse
from fiedler.training.recipe.recipe import Count, RecipeTable

Kernel = Annotated[int, Meta(ge=1, le=32)]
Channels = Annotated[int, Meta(ge=1, le=4096)]
Blocks = Annotated[int, Meta(ge=1, le=64)]
Layers = Annotated[list[Count], Meta(min_length=1)]


class NetTable(RecipeTable, frozen=True, kw_only=True, tag_field="kind"):
    """The common part of all kinds."""

    value_hidden: Count
    """Units of the value head."""

    def check(self, game: Game, refuse: Refuse) -> None:
        """Refuse a network that does not fit the board of the game.

        Raises:
            UsageError: By `refuse`.
        """


class EmbeddingTable(NetTable, frozen=True, kw_only=True, tag="embedding"):
    """A small network for CPUs: one convolution, one mixing of its channels, a dense trunk, two heads."""

    kernel: Kernel
    """Rows and columns of the convolution, 1 to the smaller side of the board."""
    stride: Kernel
    """Step of the convolution; 3 with kernel 3 gives every local board of uttt one shared embedding."""
    channels: Channels
    """Outputs of the convolution."""
    mixed: Channels
    """Channels after a 1x1 convolution: the input of the trunk from each place."""
    hidden: Layers
    """Units of the dense layers of the trunk; a layer as wide as the one before it is residual."""

    def check(self, game: Game, refuse: Refuse) -> None:
        """Refuse a kernel larger than the board; see NetTable."""
        _, rows, columns = game.position().planes_shape
        if self.kernel > min(rows, columns):
            refuse("net.kernel", f"expected at most {min(rows, columns)}, got {self.kernel}")


class BoardTable(NetTable, frozen=True, kw_only=True):
    """The common part of the kinds whose trunk keeps the board: 3x3 convolutions with a border of zeros, two heads."""

    policy_channels: Channels = 4
    """Channels of the 1x1 convolution in front of the policy."""
    value_channels: Channels = 2
    """Channels of the 1x1 convolution in front of the value."""


class PlainTable(BoardTable, frozen=True, kw_only=True, tag="plain"):
    """Convolutions one after the other.

    With layers of 32, 64 and 128 channels it is the network of the system for 9x9 gomoku from which this one descends.
    """

    layers: Annotated[list[Channels], Meta(min_length=1, max_length=64)]
    """Outputs of each convolution."""


class ResidualTable(BoardTable, frozen=True, kw_only=True, tag="residual"):
    """A convolution and residual blocks of two (He et al. 2016)."""

    channels: Channels
    """Outputs of every convolution of the trunk."""
    blocks: Blocks
    """Number of the residual blocks."""


class CellsTable(NetTable, frozen=True, kw_only=True, tag="cells"):
    """A convolution, residual blocks of two, and a policy with one output for each cell, for boards of stones.

    The value is that of the mean and of the highest outputs over the board. Only the border distinguishes the
    cells, so that a few games teach all of the board.
    """

    channels: Channels
    """Outputs of every convolution of the trunk."""
    blocks: Blocks
    """Number of the residual blocks."""
    kernel: Annotated[int, Meta(ge=1, le=11)] = 5
    """Rows and columns of the first convolution; an odd number. 5 sees whole rows of five."""
    policy_channels: Channels = 16
    """Channels of the 1x1 convolution in front of the policy."""

    def check(self, game: Game, refuse: Refuse) -> None:
        """Refuse an even kernel, and a game whose moves are not the cells of its board; see NetTable."""
        position = game.position()
        _, rows, columns = position.planes_shape
        if self.kernel % 2 == 0:
            refuse("net.kernel", f"expected an odd number, got {self.kernel}")
        if position.num_actions != rows * columns:
            refuse("net.kind", f"'cells' needs a game whose moves are cells, got {game.id}")


class LinesTable(NetTable, frozen=True, kw_only=True, tag="lines"):
    """A dense trunk over the stones and the winning lines that are still open, and two heads.

    For each line and side: whether it has at least 1, 2, … stones of that side and none of the other.
    """

    hidden: Layers
    """Units of the dense layers of the trunk; a layer as wide as the one before it is residual."""

    def check(self, game: Game, refuse: Refuse) -> None:
        """Refuse a game that lines of cells do not win; see NetTable."""
        if game.in_a_row is None or game.blocks or not game.only_lines_win:
            refuse("net.kind", f"'lines' needs a game won by lines of cells, got {game.id}")


class VolumeTable(NetTable, frozen=True, kw_only=True, tag="volume"):
    """Convolutions in three dimensions over a board of layers, dense layers with dropout, two heads.

    With 512 filters and dense layers of 1024 and 512 units it is the network of the system for 4x4x4 tic-tac-toe from
    which this one descends.
    """

    filters: Channels
    """Outputs of each convolution."""
    padded: Blocks = 3
    """Number of 3x3x3 convolutions with a border of zeros; one without follows."""
    dense: Layers
    """Units of the dense layers."""
    dropout: Annotated[float, Meta(ge=0, le=0.9)] = 0.3
    """Share of their outputs that is dropped in learning."""

    def check(self, game: Game, refuse: Refuse) -> None:
        """Refuse a board without three dimensions of three cells or more; see NetTable."""
        position = game.position()
        depth, (_, rows, columns) = layers(position), position.planes_shape
        if min(depth, rows, columns) < 3:
            refuse("net.kind", f"'volume' needs a board of three layers or more, got {game.id}")


AnyNet = EmbeddingTable | PlainTable | ResidualTable | CellsTable | LinesTable | VolumeTable
