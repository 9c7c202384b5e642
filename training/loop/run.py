"""A training run: a system iterates in a folder until its recipe is done."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from fiedler.games import game
from fiedler.native import EvaluationError
from fiedler.players import MODEL_OPTION, create
from fiedler.support.errors import UsageError, WorkError
from fiedler.support.provenance import commit
from fiedler.training.loop.folder import LOG, MEMORY, Checkpoint, TrainingFolder
from fiedler.training.loop.ladder import OnNote
from fiedler.training.loop.observer import Observer
from fiedler.training.recipe.entry import Entry
from fiedler.training.recipe.recipe import Recipe
from fiedler.training.recipe.registry import new_system
from fiedler.training.recipe.system import DivergedError, OnProgress, Stamp

OnIteration = Callable[[Entry], None]
RATES = ("learning.rate", "learning.final_rate")
"""The keys of a recipe that a run may resume with after it has diverged; its log has the rate of each iteration."""
NOT_FINITE = "not finite"
"""The words of the native core about the answer of a network in self-play."""


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
        self.notes: list[str] = []
        """What is different from before, one sentence each, in a run that resumes."""
        self.stamp = Stamp(commit=commit() or "unknown")
        with ExitStack() as stack:
            self.observer = Observer(recipe, folder)
            stack.callback(self.observer.close)
            self.system = new_system(recipe)
            stack.callback(self.system.close)
            if folder.exists:
                self._continue()
            folder.begin(recipe)
            if not self.iteration:
                folder.start(self.system.state())
            self._opened = stack.pop_all()

    def _continue(self) -> None:
        changed = self.folder.recipe().differences(self.recipe)
        if other := [key for key in changed if key not in RATES]:
            raise UsageError(f"{self.folder.path}: begun with another recipe (different: {', '.join(other)})")
        if found := self.folder.restore(self.system):
            self.iteration, self.stamp = found.iteration, Stamp(found.seconds, found.commit)
        self.notes = [
            *self._lost(),
            *(f"{key}: another one from now on; {LOG} has that of each iteration" for key in changed),
        ]

    def _lost(self) -> Iterator[str]:
        """Yield the files that are missing and are not needed."""
        if self.lacks_samples:
            yield f"{self.folder.path}: {MEMORY} is missing, the run begins to collect samples again"
        if self.iteration and len(self.folder.log(self.iteration)) < self.iteration:
            yield f"{self.folder.path}: {LOG} lacks iterations before {self.iteration + 1}, the run resumes"

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
                self.observer.draw()
        except EvaluationError as error:
            raise WorkError(str(error)) from None

    def _observe_again(self) -> None:
        """Repeat the records of the last iteration: the run may have ended before they were whole.

        Without the samples, to which int8 is fitted, a model that is whole stays.
        """
        if not self.iteration:
            return
        if not (self.lacks_samples and self._has_whole_model()):
            self.folder.write(self.model.name, self.export())
        log = self.folder.log(self.iteration)
        if log and log[-1].iteration == self.iteration:
            self.observer.after(log[-1], self.model)

    def _has_whole_model(self) -> bool:
        try:
            create(game(self.recipe.game), self.recipe.player, {MODEL_OPTION: str(self.model)}).close()
        except UsageError:
            return False
        return True

    def _iterate(self, on_progress: OnProgress) -> Entry:
        entry, model, state = self._learned(on_progress)
        done = self.iteration + 1
        entry = msgspec.structs.replace(entry, iteration=done, seconds=round(self.stamp.seconds, 2))
        self.folder.write(self.model.name, model)
        self.folder.save(self._checkpoint(done, state), self.system.memory, entry)
        self.iteration = done  # only now: an interrupt may come while it is saved
        return self.observer.after(entry, self.model)

    def _checkpoint(self, iteration: int, state: bytes) -> Checkpoint:
        return Checkpoint(iteration, self.stamp.seconds, self.stamp.commit, state)

    def _learned(self, on_progress: OnProgress) -> tuple[Entry, bytes, bytes]:
        """Iterate; return the log line, the model and the state, whose numbers are all finite. Nothing is written."""
        began = time.monotonic()
        with self._watched():
            entry = self.system.iterate(self.iteration, on_progress)
            self.stamp = Stamp(self.stamp.seconds + time.monotonic() - began, commit() or "unknown")
            if name := entry.infinite:
                raise DivergedError(f"the {name} is not finite")
            self.system.check()
            return entry, self.export(), self.system.state()

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Turn a failure of the next iteration by numbers that are not finite into a WorkError with the way out."""
        try:
            yield
        except EvaluationError as error:
            if not isinstance(error, DivergedError) and NOT_FINITE not in str(error):
                raise
            raise self._diverged(error) from None
        except Exception:
            try:
                self.system.check()
            except DivergedError as cause:
                raise self._diverged(cause) from None
            raise

    def _diverged(self, error: EvaluationError) -> WorkError:
        kept = f"; --resume continues after iteration {self.iteration}" if self.iteration else ""
        return WorkError(f"{error} in iteration {self.iteration + 1}: lower learning.rate{kept}")
