"""The seal of a network file: the metadata that a player needs, answers that identify the network, a checksum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper

from fiedler.games import Game, game
from fiedler.players import PLAYERS, player_kind
from fiedler.players.descent import DescentPlayer
from fiedler.players.entries import PROBE, SEAL
from fiedler.players.model import examined, load_bytes, record
from fiedler.players.model_file import BLANK, FORMAT, Purpose, read_entries, read_model, sealed, shape_text
from fiedler.players.network_player import NetworkPlayer
from fiedler.players.onnx_file import other_files
from fiedler.support.errors import UsageError, nearest, quoted_input, reason

PLAYER_OF = {("policy", "value"): "checkpoint", ("q",): "dqn", ("value",): "descent"}
"""The player of a file that names none, by heads of its network: the first that has all."""


def seal(model: onnx.ModelProto, entries: Mapping[str, str], answers: Sequence[npt.NDArray[np.float32]]) -> bytes:
    """Return the file of a network with these entries in its metadata, and its `answers` to the probe of its game."""
    return reseal(model, {**entries, PROBE: record(answers)})


def reseal(model: onnx.ModelProto, entries: Mapping[str, str]) -> bytes:
    """Return the file of a network with these entries, which have its answers, and a new checksum."""
    helper.set_model_props(model, {**entries, SEAL: BLANK})
    return sealed(model.SerializeToString())


def game_entries(played: Game) -> dict[str, str]:
    """Return the entries about a game, and the format of the metadata."""
    position = played.position()
    return {
        "fiedler": FORMAT,
        "game": played.id,
        "planes": shape_text(position.planes_shape),
        "actions": str(position.num_actions),
    }


def sealed_file(path: Path, played: Game | None = None, player: str | None = None) -> bytes:
    """Return the file of another program's network with the metadata of ours, weights of other files included.

    `played` and `player` are needed where the file does not name them; a player may follow from the heads.

    Raises:
        UsageError: The network cannot be read, or cannot be used in play.
    """
    model = _loaded(path)
    known = read_entries(model.SerializeToString(), str(path))
    if played is None:
        if "game" not in known:
            raise UsageError(f"model {path}: expected --game G, the game of its network")
        played = game(known["game"])
    purpose = _purpose(path, model, played, player or known.get("player"))
    entries = {"name": path.stem} | known | game_entries(played) | {"player": purpose.player}
    _, answers = examined(model.SerializeToString(), purpose, "cpu", str(path))
    data = seal(model, entries, answers)
    load_bytes(data, purpose, "cpu", str(path))
    return data


def _loaded(path: Path) -> onnx.ModelProto:
    """Return the network of a file, with the weights of the files beside it."""
    for file in _named_files(read_model(path)):
        if not (path.parent / file).is_file():
            raise UsageError(
                f"model {path}: its weights are in another file ({quoted_input(file)[1:-1]}), which is missing"
            )
    try:
        return onnx.load(path)
    except Exception as error:  # onnx and protobuf have many, and one for weights that are not there
        raise UsageError(f"model {path}: not an ONNX network, or damaged ({reason(error)})") from None


def _named_files(data: bytes) -> tuple[str, ...]:
    """Return the files of weights that a network names; a damaged one is refused later."""
    with suppress(ValueError):
        return tuple(other_files(data))
    return ()


def _purpose(path: Path, model: onnx.ModelProto, played: Game, player: str | None) -> Purpose:
    heads = {head.name for head in model.graph.output}
    player = player or next((name for needed, name in PLAYER_OF.items() if heads.issuperset(needed)), None)
    if player is None:
        raise UsageError(f"model {path}: expected --player P, since its heads are {', '.join(sorted(heads)) or 'none'}")
    kind = player_kind(player)
    if not issubclass(kind, NetworkPlayer | DescentPlayer):
        over = [name for name in PLAYERS if issubclass(player_kind(name), NetworkPlayer | DescentPlayer)]
        raise UsageError(f"--player: expected one of {', '.join(over)}, got {player!r}{nearest(player, over)}")
    return kind.purpose(played)
