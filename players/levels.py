"""Levels of play by name: `models/levels.json`, which the pages read, too.

Their order was measured in connect4, uttt, cube, gomoku9, gomoku15 and renju15: docs/engine.md.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fiedler.players.shipped import MODELS

FILE = "levels.json"
"""[{"level": NAME, "player": KIND, "options": {…}}, …], the weakest first."""
STRONGEST = "strongest"
"""The default player of a game, above all levels of the file."""


def level_names(folder: Path = MODELS) -> tuple[str, ...]:
    """Return the names of all levels, the weakest first."""
    return (*(entry["level"] for entry in _entries(folder)), STRONGEST)


def level(name: str, folder: Path = MODELS) -> tuple[str | None, dict[str, str]]:
    """Return the player of one of `level_names`, None for the default player of the game, and its options."""
    if name == STRONGEST:
        return None, {}
    entry = next(entry for entry in _entries(folder) if entry["level"] == name)
    return entry["player"], {key: str(value) for key, value in entry["options"].items()}


def _entries(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / FILE).read_text(encoding="utf-8"))
    return found
