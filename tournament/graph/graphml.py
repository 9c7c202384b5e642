"""Graphs for other programs: GraphML, which networkx, Gephi, igraph and yEd import."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx


def graphml(graph: networkx.Graph) -> Iterator[str]:
    """Yield a graph as GraphML, line by line, with all its attributes."""
    import networkx  # slow to import, and few commands need it

    for line in networkx.generate_graphml(graph):
        yield f"{line}\n"
