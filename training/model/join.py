"""A policy network and a network of cells in one file, for the player policy."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import ModelProto, TensorProto

from fiedler.games import game
from fiedler.native import CellNet
from fiedler.players.entries import SEAL
from fiedler.players.incremental import JOINED, ORIGIN, IncrementalNet, read_incremental
from fiedler.players.model_file import checked_metadata, read_entries, read_model
from fiedler.players.policy import PolicyPlayer
from fiedler.support.errors import UsageError
from fiedler.training.model.seal import reseal


def joined(policy: Path, cells: Path) -> bytes:
    """Return the content of a model file of policy that also has the weights of a network of cells.

    The file of that network may itself be such a file.

    Raises:
        UsageError: A file is missing, damaged, of another game, or not such a network.
    """
    data = read_model(policy)
    about = read_entries(data, str(policy))
    try:
        played = game(about.get("game", ""))
    except UsageError as error:
        raise UsageError(f"model {policy}: {error}") from None
    checked_metadata(data, PolicyPlayer.purpose(played), str(policy))
    found = read_incremental(played, cells)
    if not isinstance(found.net, CellNet):
        raise UsageError(f"model {cells}: expected a network of cells")
    model, other = onnx.load_from_string(data), onnx.load(cells)
    kept = [weights for weights in model.graph.initializer if not weights.name.startswith(JOINED)]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    for weights in _weights(other, found):
        model.graph.initializer.add().CopyFrom(weights)
        model.graph.initializer[-1].name = JOINED + weights.name.removeprefix(JOINED)
    entries = {entry.key: entry.value for entry in model.metadata_props}
    return reseal(model, entries | {ORIGIN: found.about.get(ORIGIN) or f"{found.name} {found.about[SEAL]}"})


def _weights(model: ModelProto, found: IncrementalNet) -> list[TensorProto]:
    beginning = JOINED if ORIGIN in found.about else ""
    own = (weights for weights in model.graph.initializer if weights.name.startswith(beginning))
    return [weights for weights in own if weights.name.endswith((".weight", ".bias"))]
