"""The checkpoints that the project ships, and the usable ones among them."""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path

MODELS = Path(__file__).parent.parent / "models"
"""Where they lie. `index.json` there maps a game to its checkpoints, strongest first:
{"uttt": [{"player": "checkpoint", "model": "uttt-m.onnx"}, …]}."""


@dataclass(frozen=True, slots=True)
class Shipped:
    """One of them."""

    player: str
    """The kind of player that it is for."""
    model: Path


def runtime_installed() -> bool:
    """Tell whether onnxruntime, which runs the networks, is installed (the extras `cpu` and `gpu` bring it)."""
    return importlib.util.find_spec("onnxruntime") is not None


def strongest(game: str, folder: Path = MODELS) -> Shipped | None:
    """Return the strongest checkpoint for the game that is there and can be run; None if there is none."""
    index = folder / "index.json"
    if not runtime_installed() or not index.is_file():
        return None
    entries = json.loads(index.read_text(encoding="utf-8")).get(game, [])
    found = (Shipped(entry["player"], folder / entry["model"]) for entry in entries)
    return next((one for one in found if one.model.is_file()), None)
