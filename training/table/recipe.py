"""The recipes of `table`."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from fiedler.support.toml import Refuse
from fiedler.training.recipe.recipe import Recipe
from fiedler.training.table.entry import TableEntry

Episodes = Annotated[int, Meta(ge=1, le=2**31 - 1)]


class TableRecipe(Recipe, frozen=True, kw_only=True, tag="table"):
    """`system = "table"`."""

    entry = TableEntry
    player = "table"
    model = "net.table"

    first_episodes: Episodes
    """Episodes of the first iteration."""
    episodes: Episodes
    """Episodes of the whole run; the totals of the iterations are spaced evenly by their logarithm."""
    c: Annotated[float, Meta(ge=0, le=100)] = 1.0
    """The exploration constant of UCB1, for results from -1 to 1."""
    rollout: Literal["random", "heuristic"] = "random"
    """The policy of the rollouts."""
    hash_mb: Annotated[int, Meta(ge=4, le=2**15)] = 96
    """Most memory of both trees, in MiB; full trees stop growing, and learning continues."""
    kept: Annotated[int, Meta(ge=1, le=10**8)]
    """Most nodes in the model: the most visited ones, of 12 bytes each."""

    def check(self, refuse: Refuse) -> None:
        """Refuse also a run that ends before its first iteration does."""
        super().check(refuse)
        if self.first_episodes > self.episodes:
            refuse("first_episodes", f"expected at most {self.episodes} (episodes), got {self.first_episodes}")

    def total(self, iteration: int) -> int:
        """Return the episodes at the end of an iteration, which counts from 0."""
        if iteration >= self.iterations - 1:
            return self.episodes
        share = iteration / (self.iterations - 1)
        growth: float = (self.episodes / self.first_episodes) ** share
        return round(self.first_episodes * growth)
