"""A training run: a system iterates in a folder until its recipe is done."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import msgspec

from native import EvaluationError
from support.errors import UsageError, WorkError
from support.provenance import commit
from training.entry import Entry
from training.folder import Checkpoint, TrainingFolder
from training.ladder import OnNote
from training.observer import Observer
from training.recipe import Recipe
from training.system import OnProgress, Stamp

OnIteration = Callable[[Entry], None]


class Run:
    """One run in its folder. `run` closes it.

    The same recipe on the same machine gives the same model. A resumed run may begin new games, and then gives another
    model.
    """

    def __init__(self, recipe: Recipe, folder: TrainingFolder) -> None:
        """Begin a run, or resume the run of the folder.

        Raises:
            UsageError: The run of the folder has another recipe, or is damaged.
        """
        self.recipe = recipe
        self.folder = folder
        self.iteration = 0
        self.stamp = Stamp(commit=commit() or "unknown")
        with ExitStack() as stack:
            self.observer = Observer(recipe, folder)
            stack.callback(self.observer.close)
            self.system = recipe.begin()
            stack.callback(self.system.close)
            if folder.exists:
                self._continue()
            else:
                folder.begin(recipe)
            self._opened = stack.pop_all()

    def _continue(self) -> None:
        changed = self.folder.recipe().differences(self.recipe)
        if changed:
            raise UsageError(f"{self.folder.path}: begun with another recipe (different: {', '.join(changed)})")
        if found := self.folder.restore(self.system):
            self.iteration, self.stamp = found.iteration, Stamp(found.seconds, found.commit)
        self.folder.begin(self.recipe)

    @property
    def finished(self) -> bool:
        """Whether all iterations are done."""
        return self.iteration >= self.recipe.iterations

    @property
    def lacks_samples(self) -> bool:
        """Whether iterations are done, and their samples are not here."""
        return self.iteration > 0 and self.system.memory is not None and not self.folder.has_memory

    @property
    def model(self) -> Path:
        """The file of the newest model."""
        return self.folder.path / self.recipe.model

    def export(self) -> bytes:
        """Return the present model as a file."""
        return self.system.export(self.stamp)

    def run(self, on_progress: OnProgress, on_iteration: OnIteration, on_note: OnNote | None = None) -> None:
        """Iterate to the end. `on_note` receives warnings; without it they are logged.

        Raises:
            WorkError: The model cannot be evaluated.
        """
        self.observer.ladder.on_note = on_note or self.observer.ladder.on_note
        try:
            with self._opened:
                self._observe_again()
                while not self.finished:
                    on_iteration(self._iterate(on_progress))
                self.observer.ladder.finish()
        except EvaluationError as error:
            raise WorkError(str(error)) from None

    def _observe_again(self) -> None:
        """Repeat the records of the last iteration: the run may have ended before they were whole.

        Without the samples, to which int8 is fitted, a model that is there stays.
        """
        if log := self.folder.log(self.iteration):
            if not (self.lacks_samples and self.model.is_file()):
                self.folder.write(self.model.name, self.export())
            self.observer.after(log[-1], self.model)

    def _iterate(self, on_progress: OnProgress) -> Entry:
        began = time.monotonic()
        entry = self.system.iterate(self.iteration, on_progress)
        self.stamp = Stamp(self.stamp.seconds + time.monotonic() - began, commit() or "unknown")
        done = self.iteration + 1
        entry = msgspec.structs.replace(entry, iteration=done, seconds=round(self.stamp.seconds, 2))
        self.folder.write(self.model.name, self.export())
        checkpoint = Checkpoint(done, self.stamp.seconds, self.stamp.commit, self.system.state())
        self.folder.save(checkpoint, self.system.memory, entry)
        self.iteration = done  # only now: an interrupt may come while it is saved
        return self.observer.after(entry, self.model)
