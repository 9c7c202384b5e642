"""A schedule without paths of the manager's machine: its model files travel by their contents."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from fiedler.support.errors import UsageError, system_reason
from fiedler.support.player_spec import OptionValue
from fiedler.tournament.schedule.schedule import Openings, PlayerEntry, Schedule

MODEL = "model"
"""The option that names a file, in upper or lower case."""
BY_CONTENT = "sha256:"
PORTION = 1 << 20


@dataclass(frozen=True)
class Parcel:
    """What a node needs to play a schedule."""

    schedule: Schedule
    """Its model files are `sha256:DIGEST/NAME`; it has the players that nodes play alone, and no openings."""
    files: Mapping[str, Path]
    """The files by DIGEST/NAME."""


def plays_at_home(player: PlayerEntry) -> bool:
    """Return whether a player plays at the tables of the manager: it is reached by an address, or reaches ours."""
    return player.address is not None or player.listen is not None or player.dial_in or player.discover is not None


def packed(schedule: Schedule) -> Parcel:
    """Return what nodes get of a schedule.

    Raises:
        UsageError: a model file cannot be read.

    """
    files: dict[str, Path] = {}

    def by_content(path: str) -> str:
        name = f"{_digest_of(Path(path))}/{Path(path).name}"
        files[name] = Path(path)
        return BY_CONTENT + name

    players = tuple(_with_models(one, by_content) for one in schedule.players if not plays_at_home(one))
    return Parcel(replace(schedule, players=players, openings=Openings(), folder="", file="schedule", rules=""), files)


def unpacked(schedule: Schedule, folder: str, file_at: Callable[[str], Path]) -> Schedule:
    """Return the schedule of a parcel with the paths of this machine; programs start in `folder`."""

    def here(text: str) -> str:
        return str(file_at(text.removeprefix(BY_CONTENT))) if text.startswith(BY_CONTENT) else text

    return replace(schedule, players=tuple(_with_models(one, here) for one in schedule.players), folder=folder)


def files_of(schedule: Schedule) -> Collection[str]:
    """Return DIGEST/NAME of all files that the schedule of a parcel needs."""
    found: set[str] = set()

    def note(text: str) -> str:
        found.add(text.removeprefix(BY_CONTENT))
        return text

    for player in schedule.players:
        _with_models(player, note)
    return found


def _with_models(player: PlayerEntry, change: Callable[[str], str]) -> PlayerEntry:
    """Return a player with its model files changed."""
    options: dict[str, OptionValue] = {
        name: change(str(value)) if name.lower() == MODEL and player.command is None else value
        for name, value in player.options.items()
    }
    return replace(player, model=None if player.model is None else change(player.model), options=options)


def _digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, which is read again only after a change: a run adds players to many models."""
    try:
        stat = path.stat()
        return _digest(path, stat.st_size, stat.st_mtime_ns)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {system_reason(error)}") from None


@functools.cache
def _digest(path: Path, size: int, changed: int) -> str:  # noqa: ARG001 (the key of the cache)
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while portion := file.read(PORTION):
            digest.update(portion)
    return digest.hexdigest()
