"""The folder of a run: whole at any moment, so that a killed run can resume."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from fiedler.players import about
from fiedler.support import lock
from fiedler.support.errors import UsageError, nearest, reason, unwritable
from fiedler.training.recipe.entry import Entry
from fiedler.training.recipe.recipe import Recipe
from fiedler.training.recipe.registry import from_json
from fiedler.training.recipe.system import DivergedError, Memory, System

RUNS = Path("results/training")
"""The folder of all runs, in the current directory."""
RECIPE, MEMORY, CHECKPOINT, LOG = "recipe.json", "samples.bin", "checkpoint.bin", "log.jsonl"
CHECKPOINTS = "checkpoints"
"""The folder of the kept models."""
MODEL, KEPT = "net.*", f"{CHECKPOINTS}/*"
"""The patterns of the model, and of the kept ones."""
BACK = "put it back, or remove the folder to begin again"
"""The advice about a file that no other one replaces."""
PICTURE = "progress.svg"


class Checkpoint(msgspec.Struct, frozen=True):
    """The progress of a run."""

    iteration: int
    """The number of finished iterations."""
    seconds: float
    """The time of these iterations."""
    commit: str
    """The commit of the checkout that ran the last one."""
    state: bytes
    """The state of the system."""


@dataclass(frozen=True, slots=True)
class TrainingFolder:
    """`recipe.json`, `checkpoint.bin`, `samples.bin`, `log.jsonl`; the model and a picture of every iteration."""

    path: Path

    @property
    def exists(self) -> bool:
        """Whether a run was begun here, of which any file may be missing."""
        return bool(self._files(RECIPE, CHECKPOINT, LOG, MEMORY, MODEL, KEPT))

    def _files(self, *patterns: str) -> list[Path]:
        return [path for pattern in patterns for path in sorted(self.path.glob(pattern)) if path.is_file()]

    @property
    def has_memory(self) -> bool:
        """Whether the samples of the run are here."""
        return (self.path / MEMORY).is_file()

    @property
    def is_running(self) -> bool:
        """Whether a process works on the run."""
        return lock.is_locked(self.path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from the run. A folder in which none begins is removed.

        Raises:
            UsageError: Another process works on the run, or the folder cannot be made.
        """
        with lock.run_lock(self.path, "train run"):
            try:
                yield
            finally:
                if not self.exists:
                    (self.path / lock.FILE).unlink(missing_ok=True)
                    with suppress(OSError):
                        self.path.rmdir()

    def begin(self, recipe: Recipe) -> None:
        """Make the folder and note the recipe."""
        self.path.mkdir(parents=True, exist_ok=True)
        self.write(RECIPE, recipe.json().encode())

    def recipe(self) -> Recipe:
        """Return the recipe of the run; that of its model takes the place of a missing one.

        Raises:
            UsageError: The recipe is missing or damaged.
        """
        path = self.path / RECIPE
        try:
            return from_json(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            if (found := self._recipe_of_model()) is None:
                raise UsageError(f"{path}: missing; {BACK}") from None
            return found
        except (OSError, UsageError, UnicodeDecodeError) as error:
            rest = BACK if self._recipe_of_model() is None else "remove this file: that of the model takes its place"
            raise UsageError(f"{path}: damaged ({reason(error)}); {rest}") from None

    def _recipe_of_model(self) -> Recipe | None:
        for path in self._files(MODEL):
            with suppress(UsageError):
                return from_json(about(path).get("recipe", ""))
        return None

    def write(self, name: str, data: bytes) -> None:
        """Write a file, whole or not at all.

        Raises:
            WorkError: The file cannot be written.
        """
        partial = self.path / f"{name}.partial"
        try:
            with partial.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(self.path / name)
        except OSError as error:
            raise unwritable(self.path / name, error) from error

    def save(self, checkpoint: Checkpoint, memory: Memory | None, entry: Entry) -> None:
        """Store the input of the next iteration; the checkpoint decides, also which samples count."""
        if memory is not None:
            self.write(_unsettled(checkpoint.iteration), memory.dump())
        self.note(entry)
        self.write(CHECKPOINT, msgspec.msgpack.encode(checkpoint))
        self._settle(checkpoint.iteration)

    def _settle(self, iteration: int) -> None:
        """Let the samples of a finished iteration take the place of older ones, if that is still to be done.

        Until then those of the iteration before are kept: a run that is killed may have to begin from them.
        """
        try:
            with suppress(FileNotFoundError):
                (self.path / _unsettled(iteration)).replace(self.path / MEMORY)
        except OSError as error:
            raise unwritable(self.path / MEMORY, error) from error

    def note(self, entry: Entry) -> None:
        """Write the log line of an iteration, the last one; it takes the place of an earlier one."""
        log = [*self.log(entry.iteration - 1), entry]
        self.write(LOG, b"".join(msgspec.json.encode(one) + b"\n" for one in log))

    def start(self, state: bytes) -> None:
        """Store the state before the first iteration: without `checkpoint.bin`, then, iterations are lost."""
        self.write(CHECKPOINT, msgspec.msgpack.encode(Checkpoint(0, 0.0, "unknown", state)))

    def restore(self, system: System[Any]) -> Checkpoint | None:
        """Restore the system and return the last checkpoint; None if the run has not begun its first iteration.

        Without `samples.bin`, which is large and is not kept in a repository, the memory begins empty.

        Raises:
            UsageError: A file is missing or damaged.
        """
        path = self.path / CHECKPOINT
        if not path.is_file():
            if remains := self._files(LOG, MODEL, MEMORY, KEPT):
                raise UsageError(
                    f"{self.path}: {CHECKPOINT} is missing, though {remains[0].relative_to(self.path)} is here; {BACK}"
                )
            return None
        try:
            found = msgspec.msgpack.decode(path.read_bytes(), type=Checkpoint)
            system.restore(found.state)
            system.check()
        except (OSError, ValueError, msgspec.MsgspecError, DivergedError) as error:
            raise UsageError(f"{path}: damaged ({reason(error)}); {BACK}") from None
        self._check_log(found.iteration)
        if system.memory is not None:
            self._load(system.memory, found.iteration)
        return found

    def _check_log(self, iteration: int) -> None:
        """Refuse the checkpoint of an iteration long before the newest one: its run would overwrite the later ones."""
        log = self.log()
        if log and log[-1].iteration > iteration + 1:
            raise UsageError(
                f"{self.path}: {CHECKPOINT} is of iteration {iteration}, {LOG} has {log[-1].iteration}; put the newer "
                f"checkpoint back, or remove {LOG} to resume after iteration {iteration}"
            )

    def _load(self, memory: Memory, iteration: int) -> None:
        """Load the samples, and let those of the finished iteration take their place."""
        path = next(iter(self._files(_unsettled(iteration), MEMORY)), None)
        if path is None:
            return
        try:
            memory.load(path.read_bytes())
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            rest = "collects samples again" if path.name == MEMORY else f"takes {MEMORY}"
            raise UsageError(f"{path}: damaged ({reason(error)}); remove this file: the run {rest}") from None
        self._settle(iteration)

    def log(self, upto: int | None = None) -> list[Entry]:
        """Return the finished iterations, the first `upto` of them.

        Raises:
            UsageError: The log or the recipe is damaged, or of another version.
        """
        path, kind = self.path / LOG, self.recipe().entry
        lines = path.read_bytes().splitlines() if path.is_file() else []
        entries = list[Entry]()
        for number, line in enumerate(lines, 1):
            try:
                entries.append(msgspec.json.decode(line, type=kind))
            except (ValueError, msgspec.MsgspecError) as error:
                rest = "remove this file: the run resumes without the record of its past iterations"
                raise UsageError(f"{path}:{number}: damaged ({reason(error)}); {rest}") from None
        return [entry for entry in entries if upto is None or entry.iteration <= upto]


def _unsettled(iteration: int) -> str:
    """Return the name of the samples of an iteration whose checkpoint may not be there yet."""
    return f"samples.{iteration}.bin"


def find(name: str) -> TrainingFolder:
    """Return the run of this name, or of this folder.

    Raises:
        UsageError: There is no such run.
    """
    found = next((one for path in (RUNS / name, Path(name)) if (one := TrainingFolder(path)).exists), None)
    if found is None:
        raise UsageError(f"expected the name or the folder of a run, got {name!r}{nearest(name, map(_name, runs()))}")
    return found


def _name(folder: TrainingFolder) -> str:
    return folder.path.name


def runs(root: Path = RUNS) -> list[TrainingFolder]:
    """Return the runs under `root`, by name."""
    folders = (TrainingFolder(path) for path in sorted(root.glob("*")))
    return [folder for folder in folders if folder.exists]
