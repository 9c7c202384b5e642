"""The log line of an iteration of `table`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from fiedler.training.recipe.entry import Entry


class TableEntry(Entry, frozen=True, kw_only=True):
    """The trees after an iteration, and its episodes."""

    curves: ClassVar[Mapping[str, str]] = {
        "first_nodes": "nodes, first player",
        "second_nodes": "nodes, second player",
        "memory_mb": "memory, MiB",
        "first_score": "score, first player",
    }

    episodes: int
    """All episodes so far."""
    first_nodes: int
    """Nodes in the tree of the first player."""
    second_nodes: int
    """Nodes in the tree of the second player."""
    memory_mb: float
    """Memory of both trees, in MiB."""
    tree_plies: float
    """Mean number of moves that were chosen in the trees, by episode."""
    first_score: float
    """Expected score of the first player: (wins + ½ draws) / episodes."""
    play_seconds: float
    """Processor time of the episodes."""

    def summary(self) -> str:
        """Return the size of the trees, and the strength."""
        nodes = self.first_nodes + self.second_nodes
        return self.with_matches(f"{self.episodes} episodes, {nodes} nodes, {self.memory_mb:.0f} MiB")
