"""The training run in whose folder the schedule of a ladder lies: its progress, from the files of that folder."""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct

from support.programs import typed
from tournament.schedule.schedule import Schedule

RECIPE, LOG = "recipe.json", "log.jsonl"


class _Recipe(Struct):
    """The part of its recipe that is needed here."""

    name: str
    iterations: int


class _Entry(Struct):
    """The part of a line of its log."""

    iteration: int


class TrainingRun(Struct, frozen=True):
    """A training run."""

    folder: Path
    name: str
    done: int
    """Its finished iterations."""
    iterations: int

    @property
    def stop(self) -> str:
        """The place where it stopped and the command that resumes it; empty if it has finished."""
        if self.done >= self.iterations:
            return ""
        command = typed("train", "run", str(self.folder / RECIPE), "--resume")
        return f"the training {self.name}, stopped after iteration {self.done} of {self.iterations}: `{command}`"


def training_of(schedule: Schedule) -> TrainingRun | None:
    """Return the training run whose checkpoints a ladder rates; None for any other schedule."""
    folder = Path(schedule.folder)
    if schedule.pairing.method != "ladder":
        return None
    try:
        recipe = msgspec.json.decode((folder / RECIPE).read_bytes(), type=_Recipe)
        lines = (folder / LOG).read_bytes().splitlines() if (folder / LOG).is_file() else []
        done = max((msgspec.json.decode(line, type=_Entry).iteration for line in lines), default=0)
    except (OSError, ValueError, msgspec.MsgspecError):
        return None
    if schedule.tournament.name != f"{recipe.name}-ladder":
        return None
    return TrainingRun(_shown(folder), recipe.name, done, recipe.iterations)


def _shown(folder: Path) -> Path:
    """Return a folder as it is typed here."""
    return folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
