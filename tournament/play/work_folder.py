"""A folder of its own for each process of a player, where it may leave files."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

PREFIX = "tournament-player-"


def new_folder() -> str:
    """Return a new empty folder."""
    return tempfile.mkdtemp(prefix=PREFIX)


def remove_folder(folder: str) -> None:
    """Remove a folder with its content."""
    shutil.rmtree(folder, ignore_errors=True)


def placed(command: Sequence[str], folder: str) -> tuple[str, ...]:
    """Return a command for `folder` so that it runs in any folder: relative names of files become full paths.

    A program without a slash is still searched in PATH.
    """
    program, *arguments = command
    words = [program if "/" not in program else _placed(program, folder)]
    return (*words, *(_placed(word, folder) for word in arguments))


def _placed(word: str, folder: str) -> str:
    path = Path(folder, word)
    try:
        return str(path.resolve()) if path.is_file() and not Path(word).is_absolute() else word
    except (OSError, ValueError):  # too long for a name, or a null byte
        return word
