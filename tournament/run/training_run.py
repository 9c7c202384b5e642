"""The training run whose checkpoints a ladder rates: its progress, from the files of its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from fiedler.support.lock import is_locked
from fiedler.support.programs import typed
from fiedler.tournament.schedule.schedule import Schedule

RECIPE, LOG = "recipe.json", "log.jsonl"
FOLDER = "training"
"""The folder of the training runs, beside those of the tournaments."""
LADDER = "-ladder"
"""The end of the name of a ladder, after that of its training."""


class _Recipe(Struct):
    """The part of its recipe that is needed here."""

    name: str
    iterations: int
    rating: Any = None
    """Its ladder; None without one."""


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
        return "" if self.done >= self.iterations else self._stop

    @property
    def awaited(self) -> str:
        """What its ladder waits for as long as it has no plan."""
        return self._stop if self.is_stopped else next_checkpoint(self.name)

    @property
    def is_stopped(self) -> bool:
        """Whether no process works on it."""
        return not is_locked(self.folder)

    @property
    def _stop(self) -> str:
        command = typed("train", "run", str(self.folder / RECIPE), "--resume")
        where = f"after iteration {self.done}" if self.done else "in iteration 1"
        return f"the training {self.name}, stopped {where} of {self.iterations}: `{command}`"


def next_checkpoint(name: str) -> str:
    """Return what the ladder of a training at work waits for."""
    return f"the next checkpoint of the training {name}"


def training_of(schedule: Schedule) -> TrainingRun | None:
    """Return the training run whose checkpoints a ladder rates; None for any other schedule."""
    found = _read(Path(schedule.folder)) if schedule.pairing.kind.awaits else None
    return found if found and schedule.tournament.name == found.name + LADDER else None


def training_of_run(folder: Path) -> TrainingRun | None:
    """Return the training run whose ladder the run in `folder` is, also before it begins; None for any other run."""
    whole = folder.resolve()
    name = whole.name.removesuffix(LADDER)
    found = _read(whole.parent / FOLDER / name) if name != whole.name else None
    return found if found and found.name == name else None


def _read(folder: Path) -> TrainingRun | None:
    """Return the training run in a folder; None if there is none, or one without a ladder."""
    try:
        recipe = msgspec.json.decode((folder / RECIPE).read_bytes(), type=_Recipe)
        lines = (folder / LOG).read_bytes().splitlines() if (folder / LOG).is_file() else []
        done = max((msgspec.json.decode(line, type=_Entry).iteration for line in lines), default=0)
    except (OSError, ValueError, msgspec.MsgspecError):
        return None
    return TrainingRun(_shown(folder), recipe.name, done, recipe.iterations) if recipe.rating is not None else None


def _shown(folder: Path) -> Path:
    """Return a folder as it is typed here."""
    return folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
