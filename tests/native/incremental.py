"""Incremental networks with random weights."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from fiedler import native

Floats = npt.NDArray[np.float32]
Layers = list[tuple[Floats, Floats]]


def layers(seed: int, width: int = 64, depth: int = 16) -> Layers:
    """Random weights of a sensible size."""
    source = np.random.default_rng(seed)
    places, inputs = 9, native.pattern_inputs("uttt").shape[1]
    sizes = [(32, inputs), (depth, 32), (width, places * depth), (native.PatternNet.HIDDEN, width), (1, 32)]
    return [
        (
            (source.standard_normal(size) * 1.5 / np.sqrt(size[1])).astype(np.float32),
            source.uniform(0, 0.3, size[0]).astype(np.float32),
        )
        for size in sizes
    ]


@cache
def net(seed: int = 0, game: str = "uttt") -> native.PatternNet:
    return native.PatternNet(game, *layers(seed))


CELL_GAMES = ["gomoku9", "gomoku15", "gomoku20", "standard15", "renju15"]
"""The games with networks of cells."""


def cell_layers(game: str, seed: int, width: int = 32) -> tuple[Floats, Layers]:
    """Random rows and layers of a sensible size."""
    source, hidden = np.random.default_rng(seed), native.CellNet.HIDDEN
    cells = len(native.Position(game).patterns()) // 2
    rows = source.uniform(-0.5, 0.7, (native.cell_rows(game), width)).astype(np.float32)
    layers: Layers = []
    for size in [(hidden, width), (hidden, hidden), (1, hidden)]:
        weights = source.standard_normal(size).astype(np.float32) * (8 / cells if not layers else 1) / np.sqrt(size[1])
        layers.append((weights.astype(np.float32), source.uniform(0, 0.5, size[0]).astype(np.float32)))
    return rows, layers


@cache
def cell_net(game: str = "gomoku15", seed: int = 0) -> native.CellNet:
    rows, layers = cell_layers(game, seed)
    return native.CellNet(game, rows, *layers)
