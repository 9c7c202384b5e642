"""Games from files of any known format, by the ending of the name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from fiedler.games import psq, rif
from fiedler.games.game import Game
from fiedler.games.record import OnEmpty, OnWrong, RecordedGame, ignored, refused
from fiedler.support.errors import UsageError

Reader = Callable[[Path, Game, OnWrong, OnEmpty], Iterator[RecordedGame]]
FORMATS: dict[str, Reader] = {".rif": rif.read, ".xml": rif.read, ".psq": psq.read}
"""The ending of a file and the reader of its games."""


def read(path: Path, game: Game, on_wrong: OnWrong = refused, on_empty: OnEmpty = ignored) -> Iterator[RecordedGame]:
    """Yield the sound games of a file; `on_wrong` and `on_empty` receive the errors and the places of the others.

    Raises:
        UsageError: The file cannot be read, or has another format; by default also for a wrong game.
    """
    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"{path}: expected a file *{', *'.join(FORMATS)}")
    return FORMATS[path.suffix.lower()](path, game, on_wrong, on_empty)
