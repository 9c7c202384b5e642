"""Incremental networks: value networks whose ONNX file the native core evaluates itself, without onnxruntime."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fiedler.games import Game
from fiedler.native import CellNet, PatternNet, pattern_inputs
from fiedler.players.model_file import (
    PROBES,
    Purpose,
    check_entries,
    check_probe_length,
    checked_metadata,
    one_line,
    probe_positions,
    read_entries,
    read_model,
    recorded_probe,
)
from fiedler.players.onnx_file import read_weights
from fiedler.support.errors import UsageError, reason

VALUE = "value"
"""The head: the expected result for the side to move, -1 to 1."""

INCREMENTAL = "incremental"
"""The entry of the metadata with the layout of the layers: PATTERNS or CELLS, or missing in other networks."""
PATTERNS = "patterns"
"""The layers of native/src/net/pattern_net.hpp, for the player descent."""
CELLS = "cells"
"""The layers of native/src/net/cell_net.hpp, for negamax."""
ROWS = "rows"
"""The input of a network of cells in the graph: `Position.patterns` (n, 2, cells), int64."""
LAYERS = ("describe", "embed", "first", "second", "last")
"""The layers of PATTERNS in the graph: each has `NAME.weight` (outputs, inputs) and `NAME.bias` (outputs)."""
CELL_LAYERS = ("first", "second", "last")
"""Those of CELLS, after the rows `rows.weight`."""
JOINED = "cells."
"""The beginning of the names of such weights in the file of a policy network (`train join`)."""
ORIGIN = "cells"
"""The entry of such a file: the name of the network of cells, and the checksum of the file that it was in."""
POLICY = "policy"
"""The player that such a file names."""
TOLERANCE = 0.02
"""The largest difference between the values in whole numbers and in floats."""
Weights = Mapping[str, Any]
"""Views of 32-bit floats by name. Any: the native core takes every such buffer, but its stub names numpy's alone."""


@dataclass(frozen=True, slots=True)
class IncrementalNet:
    """A checked incremental network."""

    net: PatternNet | CellNet
    name: str
    about: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Layout:
    """The layers of one kind of network, by their names in a file."""

    player: str
    """The kind of player that its files name."""
    make: Callable[[str, Weights], PatternNet | CellNet]
    """Returns the network of a game. Raises KeyError, TypeError or ValueError for wrong weights."""
    rows_bytes: Callable[[str, Weights], int]
    """Returns the size of the rows of its first layer in the native core, in bytes.

    Raises ArithmeticError, LookupError, TypeError or ValueError for wrong weights.
    """


def _pattern_net(game: str, weights: Weights) -> PatternNet:
    return PatternNet(game, *((weights[f"{layer}.weight"], weights[f"{layer}.bias"]) for layer in LAYERS))


def _pattern_rows_bytes(game: str, weights: Weights) -> int:
    width, inputs = weights["first.weight"].shape
    return int(2 * width * (inputs // weights["embed.weight"].shape[0]) * len(pattern_inputs(game)))


def _cell_net(game: str, weights: Weights) -> CellNet:
    layers = ((weights[f"{layer}.weight"], weights[f"{layer}.bias"]) for layer in CELL_LAYERS)
    return CellNet(game, weights["rows.weight"], *layers)


def _cell_rows_bytes(_game: str, weights: Weights) -> int:
    return int(weights["rows.weight"].nbytes // 2)


LAYOUTS = {
    PATTERNS: Layout("descent", _pattern_net, _pattern_rows_bytes),
    CELLS: Layout("negamax", _cell_net, _cell_rows_bytes),
}


def value_purpose(game: Game, player: str = "descent") -> Purpose:
    """Return the purpose of a value network of the game."""
    return Purpose(game, player, {VALUE: 1})


def read_incremental(game: Game, path: Path) -> IncrementalNet:
    """Return the network of a file: the one of cells, if it is in the file of a policy network.

    Raises:
        UsageError: The file is missing, damaged or of another game, or has no incremental network.
    """
    data = read_model(path)
    found = read_entries(data, str(path))
    if ORIGIN in found:
        return _read_joined(game, data, str(path))
    layout = LAYOUTS.get(found.get(INCREMENTAL, ""))
    purpose = value_purpose(game, layout.player) if layout else value_purpose(game)
    about = checked_metadata(data, purpose, str(path))
    if layout is None:
        raise UsageError(f"model {path}: expected an incremental network")
    return load_incremental(data, about, purpose, str(path))


def _read_joined(game: Game, data: bytes, name: str) -> IncrementalNet:
    about = checked_metadata(data, Purpose(game, POLICY, {}), name)
    net = joined_cells(game, data, name)
    if net is None:
        raise UsageError(f"model {name}: damaged, it has no network of cells")
    return IncrementalNet(net, one_line(about[ORIGIN].rpartition(" ")[0]) or one_line(name), about)


def read_patterns(game: Game, path: Path) -> PatternNet:
    """Return the network of a file for descent.

    Raises:
        UsageError: The file is missing, damaged or of another game, or its network is not such a one.
    """
    data, purpose = read_model(path), value_purpose(game)
    net = load_incremental(data, checked_metadata(data, purpose, str(path)), purpose, str(path)).net
    assert isinstance(net, PatternNet)
    return net


def is_incremental(about: Mapping[str, str], player: str = "") -> bool:
    """Return whether the network that a player takes from a model file with these metadata is an incremental one.

    Without a player: the one that the file names.
    """
    return INCREMENTAL in about or (ORIGIN in about and player == LAYOUTS[CELLS].player)


def has_rows(about: Mapping[str, str]) -> bool:
    """Return whether a model file with these metadata has an incremental network, alone or beside another one."""
    return INCREMENTAL in about or ORIGIN in about


def rows_bytes(data: bytes, about: Mapping[str, str], game: str, name: str) -> int:
    """Return the size of the rows of the first layer of an incremental network, which the native core makes.

    `name` is the name of the file in messages.

    Raises:
        UsageError: The network is damaged, or has other layers.
    """
    try:
        weights = read_weights(data)
        if ORIGIN in about:
            return _cell_rows_bytes(game, _joined(weights))
        return LAYOUTS[about[INCREMENTAL]].rows_bytes(game, weights)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # also of shapes that do not fit
        raise UsageError(f"model {name}: damaged, its network cannot be read ({reason(error)})") from None


def _joined(weights: Weights) -> Weights:
    """Return the weights of the network of cells in the file of a policy network."""
    return {key.removeprefix(JOINED): one for key, one in weights.items() if key.startswith(JOINED)}


def joined_cells(game: Game, data: bytes, name: str) -> CellNet | None:
    """Return the network of cells in the file of a policy network, which is checked; None if it has none.

    `name` is the name of the file in messages.

    Raises:
        UsageError: The network is damaged or of another game.
    """
    try:
        own = _joined(read_weights(data))
        return _cell_net(game.id, own) if own else None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise UsageError(f"model {name}: damaged, its network of cells cannot be read ({reason(error)})") from None


def _agree(value: float, recorded: float) -> bool:
    return math.isclose(value, recorded, rel_tol=0, abs_tol=TOLERANCE)


def load_incremental(data: bytes, about: Mapping[str, str], purpose: Purpose, name: str) -> IncrementalNet:
    """Return the network of a file's content, whose metadata and checksum are checked; `name` is its name in messages.

    Raises:
        UsageError: The network is damaged, or has other layers.
    """
    name_of_layout = next(text for text, one in LAYOUTS.items() if one.player == purpose.player)
    check_entries(about, {INCREMENTAL: name_of_layout}, name)
    recorded = recorded_probe(about, name)
    try:
        net = LAYOUTS[name_of_layout].make(purpose.game.id, read_weights(data))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise UsageError(f"model {name}: damaged, its network cannot be read ({reason(error)})") from None
    found = [net.value(position) for position in probe_positions(purpose.game)]
    check_probe_length(recorded, PROBES, name)
    if not all(map(_agree, found, recorded)):
        raise UsageError(f"model {name}: damaged, its network gives other answers than the file records")
    return IncrementalNet(net, one_line(about.get("name", "")) or one_line(name), about)
