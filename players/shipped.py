"""The checkpoints that the project ships, and the usable ones among them."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path

MODELS = Path(__file__).parent.parent / "models"
"""Their folder. Its `index.json` maps a game to its checkpoints, strongest first:
{"uttt": [{"player": "checkpoint", "model": "uttt-m.onnx"}, …]}."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """A shipped checkpoint."""

    player: str
    """The kind of its player."""
    model: Path


def runtime_installed() -> bool:
    """Return whether onnxruntime, which runs the networks, is installed (by the extra `cpu` or `gpu`)."""
    return importlib.util.find_spec("onnxruntime") is not None


def strongest(game: str, folder: Path = MODELS) -> Shipped | None:
    """Return the strongest usable checkpoint for the game; None if there is none."""
    index = folder / "index.json"
    if not runtime_installed() or not index.is_file():
        return None
    entries = json.loads(index.read_text(encoding="utf-8")).get(game, [])
    found = (Shipped(entry["player"], folder / entry["model"]) for entry in entries)
    return next((one for one in found if one.model.is_file()), None)
