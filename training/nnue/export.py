"""The network of cells as an ONNX file: the same layers over the rows of a position."""

from __future__ import annotations

import numpy as np
import torch

from fiedler.games import game
from fiedler.players.incremental import CELLS, INCREMENTAL, ROWS, VALUE
from fiedler.players.model_file import probe_positions
from fiedler.training.model.export import Graph, onnx_file
from fiedler.training.nnue.net import CellValueNet
from fiedler.training.nnue.recipe import NnueRecipe
from fiedler.training.recipe.system import Stamp


def to_onnx(net: CellValueNet, recipe: NnueRecipe, stamp: Stamp = Stamp()) -> bytes:
    """Return the model file for negamax; its input `rows` is (n, 2, cells), int64: `Position.patterns`.

    Its head `value` (n,) is the expected result for the side to move, -1 to 1.
    """
    graph = Graph()
    rows, layers = net.layers()
    table = graph.weight("rows.weight", torch.from_numpy(rows))
    x = graph.node("Gather", [table, ROWS], "rows.of.cells", axis=0)
    x = graph.node("ReduceSum", [x, graph.integers("owners", [1])], "cells.sum", keepdims=0)
    x = graph.clip(x, "cells", 0, 1)
    x = graph.node("ReduceSum", [x, graph.integers("cells.axis", [1])], "board", keepdims=0)
    for name, (weight, bias) in zip(("first", "second", "last"), layers, strict=True):
        x = graph.affine(x, name, torch.from_numpy(weight), torch.from_numpy(bias))
        if name != "last":
            x = graph.clip(x, f"{name}.clipped", 0, 1)
    x = graph.node("Tanh", [graph.node("Mul", [x, graph.constant("half", 0.5)], "half.odds")], "squashed")
    graph.single(x, VALUE)
    probes = np.array([position.patterns() for position in probe_positions(game(recipe.game))], np.int64)
    probes = probes.reshape(len(probes), 2, -1)
    return onnx_file(graph, {VALUE: 1}, recipe, stamp, entries={INCREMENTAL: CELLS}, probes={ROWS: probes})
