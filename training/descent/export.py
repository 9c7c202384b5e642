"""The incremental network as an ONNX file: the same layers over the planes of a position."""

from __future__ import annotations

from collections.abc import Callable

from fiedler.players.incremental import INCREMENTAL, PATTERNS, VALUE
from fiedler.players.model import INPUT
from fiedler.training.descent.net import IncrementalValueNet
from fiedler.training.descent.recipe import DescentRecipe
from fiedler.training.model.export import Graph, onnx_file
from fiedler.training.recipe.system import Stamp


def to_onnx(net: IncrementalValueNet, recipe: DescentRecipe, stamp: Stamp = Stamp()) -> bytes:
    """Return the model file for the player descent; its input is the planes, its head `value` (n,), -1 to 1."""
    graph = Graph()
    x = DESCRIPTIONS[recipe.game](graph)
    x = graph.relu(graph.linear(x, "describe", net.describe))
    x = graph.linear(x, "embed", net.embed)
    x = graph.node("Reshape", [x, graph.integers("places", [-1, net.first.in_features])], "embedding")
    for name in ("first", "second"):
        x = graph.clip(graph.linear(x, name, getattr(net, name)), f"{name}.clipped", 0, 1)
    x = graph.linear(x, "last", net.last)
    square = graph.node("Mul", [x, x], "square")
    root = graph.node("Sqrt", [graph.node("Add", [square, graph.constant("one", 1)], "square.more")], "root")
    graph.single(graph.node("Div", [x, root], "squashed"), VALUE)
    return onnx_file(graph, {VALUE: 1}, recipe, stamp, entries={INCREMENTAL: PATTERNS})


def uttt(graph: Graph) -> str:
    """Add the descriptions of the local boards (9 n, 23), as games/uttt/patterns.hpp gives them, from the planes."""
    # (n, 6, 9, 9) to (n, board, plane, cell)
    x = graph.node("Reshape", [INPUT, graph.integers("grid", [-1, 6, 3, 3, 3, 3])], "boards.grid")
    x = graph.node("Transpose", [x], "boards.order", perm=[0, 2, 4, 1, 3, 5])
    x = graph.node("Reshape", [x, graph.integers("boards.shape", [-1, 9, 6, 9])], "boards")
    own, other, legal, won, lost, drawn = (
        graph.node("Gather", [x, graph.index(f"plane.{i}", i)], f"boards.{i}", axis=2) for i in range(6)
    )
    won, lost, drawn, playable = (
        graph.node("ReduceMax", [cells], f"{cells}.any", axes=[2], keepdims=1) for cells in (won, lost, drawn, legal)
    )
    one = graph.constant("full", 1)
    closed = graph.node("Add", [graph.node("Add", [won, lost], "decided"), drawn], "closed")
    is_open = graph.node("Sub", [one, closed], "open")
    own, other = (graph.node("Mul", [cells, is_open], f"{cells}.open") for cells in (own, other))
    count = graph.node("ReduceSum", [playable, graph.integers("boards.axis", [1])], "playable.count", keepdims=1)
    several = graph.clip(graph.node("Sub", [count, one], "playable.more"), "several", 0, 1)
    free = graph.node("Mul", [playable, several], "free")
    aimed = graph.node("Sub", [playable, free], "aimed")
    x = graph.node("Concat", [own, other, won, lost, drawn, aimed, free], "described", axis=2)
    return graph.node("Reshape", [x, graph.integers("boards.rows", [-1, 23])], "descriptions")


DESCRIPTIONS: dict[str, Callable[[Graph], str]] = {"uttt": uttt, "uttt-majority": uttt}
"""By game: adds the descriptions of all places of all rows to a graph, one after the other, and returns their name."""
