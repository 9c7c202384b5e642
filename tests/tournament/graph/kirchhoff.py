"""The Kirchhoff index of a graph, for networkx of before 3.3, too."""

from __future__ import annotations

import networkx as nx


def kirchhoff_index(graph: nx.Graph) -> float:
    """Return the sum of the resistance distances of all pairs of nodes of a connected graph."""
    return float(len(graph) * sum(1 / value for value in sorted(nx.laplacian_spectrum(graph))[1:]))
