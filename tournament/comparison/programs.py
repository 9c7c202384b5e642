"""The programs of a strength test: their contents, so that games of an older build do not count for a newer one."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from fiedler.support.errors import UsageError
from fiedler.support.files import write_whole
from fiedler.tournament.run.run_file import FILE
from fiedler.tournament.schedule.schedule import PlayerEntry, Schedule

PROGRAMS = "programs.json"
"""Player -> file of its command -> SHA-256, beside the games."""


def contents(schedule: Schedule) -> dict[str, dict[str, str]]:
    """Return the files in the commands of the players, program and arguments, with their SHA-256."""
    return {player.name: dict(_files(player, Path(schedule.folder))) for player in schedule.players}


def refuse_other_programs(schedule: Schedule, folder: Path) -> None:
    """Check that the programs are those that have played the games in the folder of a run.

    Raises:
        UsageError: one of them has changed.

    """
    file = folder / PROGRAMS
    if not (file.is_file() and (folder / FILE).is_file()):
        return
    before, now = json.loads(file.read_text("utf-8")), contents(schedule)
    for name, files in now.items():
        for path, known in before.get(name, {}).items():
            if files.get(path, known) != known:
                advice = "--fresh starts anew, --out takes another folder"
                raise UsageError(f"--{name}: {path}: its contents have changed since the games in {folder}: {advice}")


def keep_programs(schedule: Schedule, folder: Path) -> None:
    """Write the contents of the programs beside the games."""
    write_whole(folder / PROGRAMS, json.dumps(contents(schedule), indent=2) + "\n")


def _files(player: PlayerEntry, folder: Path) -> Iterator[tuple[str, str]]:
    for place, word in enumerate(player.command or ()):
        found = shutil.which(word) if place == 0 and "/" not in word else str(folder / word)
        if found is not None and Path(found).is_file():
            with Path(found).open("rb") as file:
                yield word, hashlib.file_digest(file, "sha256").hexdigest()
