"""Incremental networks: value networks whose ONNX file the native core evaluates itself, without onnxruntime."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from native import PatternNet
from players.model import PROBES, Purpose, check_entries, one_line, probe_positions
from players.onnx_file import read_weights
from support.errors import UsageError

INCREMENTAL = "incremental"
"""The entry of the metadata with the layout of the layers: PATTERNS, or missing in other networks."""
PATTERNS = "patterns"
"""The layers of native/src/search/pattern_net.hpp."""
LAYERS = ("describe", "embed", "first", "second", "last")
"""Their names in the graph: each has `NAME.weight` (outputs, inputs) and `NAME.bias` (outputs)."""
TOLERANCE = 0.02
"""The largest difference between the values in whole numbers and in floats."""


@dataclass(frozen=True, slots=True)
class IncrementalNet:
    """A checked incremental network."""

    net: PatternNet
    name: str
    about: Mapping[str, str]


def is_incremental(about: Mapping[str, str]) -> bool:
    """Return whether the metadata of a model file are those of an incremental network."""
    return INCREMENTAL in about


def load_incremental(data: bytes, about: Mapping[str, str], purpose: Purpose, name: str) -> IncrementalNet:
    """Return the network of a file's content, whose metadata and checksum are checked; `name` is its name in messages.

    Raises:
        UsageError: The network is damaged, or has other layers.
    """
    check_entries(about, {INCREMENTAL: PATTERNS}, name)
    try:
        weights = read_weights(data)
        layers = [(weights[f"{layer}.weight"], weights[f"{layer}.bias"]) for layer in LAYERS]
        net = PatternNet(purpose.game.id, *layers)
        recorded = [float(x) for x in about["probe"].split()]
    except (KeyError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())[:120]
        raise UsageError(f"model {name}: damaged, its network cannot be read ({reason})") from None
    found = [net.value(position) for position in probe_positions(purpose.game)]
    if len(recorded) != PROBES or not np.allclose(found, recorded, rtol=0, atol=TOLERANCE):
        raise UsageError(f"model {name}: damaged, its network gives other answers than the file records")
    return IncrementalNet(net, one_line(about.get("name", "")) or one_line(name), about)
