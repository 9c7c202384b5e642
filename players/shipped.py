"""The checkpoints that the project ships, the measured strength of the players, and the usable ones among them."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fiedler.players.entries import NETWORK
from fiedler.support.errors import UsageError

MODELS = Path(__file__).parent.parent / "models"
"""Their folder. Its `index.json` maps a game to its models, the strongest of each player first:
{"uttt": [{"player": "checkpoint", "model": "uttt-m.onnx"}, …]}."""
STRENGTHS = "strengths.json"
"""The file of that folder with the players of each game, strongest first, as results/strengths/ measured them."""


def runtime_installed() -> bool:
    """Return whether onnxruntime, which runs the networks, is installed (by the extra `cpu` or `gpu`)."""
    return importlib.util.find_spec("onnxruntime") is not None


def default_model(game: str, player: str, folder: Path = MODELS) -> Path | None:
    """Return the strongest model that ships for a player of the game; None if there is none."""
    index = folder / "index.json"
    if not index.is_file():
        return None
    entries = json.loads(index.read_text(encoding="utf-8")).get(game, [])
    found = (folder / entry["model"] for entry in entries if entry["player"] == player)
    return next((model for model in found if model.is_file()), None)


@dataclass(frozen=True, slots=True)
class Measured:
    """A player of a game whose strength is measured."""

    player: str
    """The kind of the player."""
    options: Mapping[str, str]
    """Its options that are not the default."""
    model: Path | None
    elo: float
    """Among the players of the game in the same run."""
    error: float
    """Half of the 95 % interval, in Elo."""
    run: str
    """The name of the run that measured it."""

    @property
    def usable(self) -> bool:
        """Whether this installation can run it."""
        if self.model is None:
            return True
        if not self.model.is_file():
            return False
        return self.model.suffix != NETWORK or runtime_installed() or is_native(self.model, self.player)


def is_native(model: Path, player: str = "") -> bool:
    """Return whether the native core itself evaluates the network that a player takes from a file.

    Without a player: the one that the file names. False for a file that cannot be read.
    """
    from fiedler.players.incremental import is_incremental
    from fiedler.players.model_file import metadata

    try:
        return is_incremental(metadata(model), player)
    except UsageError:
        return False


def measured(game: str, folder: Path = MODELS) -> list[Measured]:
    """Return the measured players of the game, strongest first."""
    file = folder / STRENGTHS
    if not file.is_file():
        return []
    return [
        Measured(
            entry["player"],
            entry["options"],
            folder / entry["model"] if "model" in entry else None,
            entry["elo"],
            entry["error"],
            entry["run"],
        )
        for entry in json.loads(file.read_text(encoding="utf-8")).get(game, [])
    ]


def best(game: str, folder: Path = MODELS) -> Measured | None:
    """Return the strongest player of the game, by measured rating, that this installation can run."""
    return next((one for one in measured(game, folder) if one.usable), None)
