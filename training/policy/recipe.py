"""The recipes of the policy network: files of games, games of our engines, network and learning."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from fiedler.games import game
from fiedler.support.text import counted
from fiedler.support.toml import Refuse
from fiedler.training.nets.recipe import LearningTable, NetRecipe
from fiedler.training.policy.entry import PolicyEntry
from fiedler.training.recipe.recipe import Count, RecipeTable, Share

Plies = Annotated[int, Meta(ge=0, le=1000)]
Nodes = Annotated[int, Meta(ge=1, le=10**9)]


class FilesTable(RecipeTable, frozen=True, kw_only=True):
    """The table `[files]`: recorded games (games/records.py)."""

    paths: Annotated[list[str], Meta(min_length=1)]
    """Files, or patterns of them such as `data/*.psq`, from the current directory."""
    unfinished: bool = False
    """Whether games that did not end by the rules are learned, too: resigned or agreed ones. Games without a result
    are always left out."""
    skip_wrong: bool = False
    """Whether a wrong game is left out and counted; otherwise it ends the run with its file and line."""


class EnginesTable(RecipeTable, frozen=True, kw_only=True):
    """The table `[engines]`: games of our own players, by searches of a fixed size."""

    players: list[str] = msgspec.field(default_factory=lambda: ["negamax"])
    """Players with options, as in `[evaluation]`; each side of a game is one of them, drawn at random."""
    nodes: Nodes
    """Nodes of a search, as the player counts them."""
    count: Count
    """Games an iteration."""
    iterations: Annotated[int, Meta(ge=1, le=10**6)] = 10**6
    """The first iterations of the run, which play; the others only learn."""
    opening_least: Plies
    """Fewest random plies of an opening."""
    opening_plies: Plies
    """Most random plies of an opening."""
    opening_square: Annotated[int, Meta(ge=0, le=64)] = 0
    """The random plies lie in the middle square of this many cells a side; 0 = anywhere."""
    balance: Annotated[float, Meta(gt=0, le=0.5)] = 0.5
    """An opening is drawn again if the first search expects a score further from ½ than this."""
    proven_plies: Plies = 1000
    """Plies of a game after a search has proven its result; then it ends with that result."""
    weak_share: Share = 0.0
    """The share of the moves that a search of `weak_nodes` chooses; the move of the full search is learned there."""
    weak_nodes: Nodes = 100
    """Nodes of that search."""


class PolicyLearning(LearningTable, frozen=True, kw_only=True):
    """The learning of the network from the games. `search_weight` applies where a search gave a value."""

    steps: Count
    """Batches an iteration."""
    held_out: Annotated[float, Meta(ge=0, le=0.5)] = 0.03
    """The share of the games that is not learned but measures the accuracy."""
    shifts: Annotated[int, Meta(ge=0, le=64)] = 0
    """Copies of each game, shifted at random to other places of the board."""


class PolicyRecipe(NetRecipe, frozen=True, kw_only=True, tag="policy"):
    """`system = "policy"`."""

    entry = PolicyEntry
    player = "policy"

    learning: PolicyLearning
    files: FilesTable | None = None
    engines: EnginesTable | None = None

    def check(self, refuse: Refuse) -> None:
        """Refuse also a recipe without games, and values that do not fit each other or the game."""
        super().check(refuse)
        if self.files is None and self.engines is None:
            refuse("files", "expected a table [files] or [engines]: there are no games to learn")
        position = game(self.game).position()
        _, rows, columns = position.planes_shape
        if self.learning.shifts and position.num_actions != rows * columns:
            refuse("learning.shifts", f"expected 0: the moves of {self.game} are not cells")
        if self.engines is not None:
            self._check_engines(self.engines, refuse)

    def _check_engines(self, table: EnginesTable, refuse: Refuse) -> None:
        position = game(self.game).position()
        _, rows, columns = position.planes_shape
        if table.opening_least > table.opening_plies:
            refuse("engines.opening_least", f"expected at most {table.opening_plies}, got {table.opening_least}")
        if table.opening_square and position.num_actions != rows * columns:
            refuse("engines.opening_square", f"expected 0: the moves of {self.game} are not cells")
        if table.opening_square and table.opening_square**2 < 2 * table.opening_plies:
            refuse("engines.opening_square", f"expected room for {counted(table.opening_plies, 'ply')} twice")
