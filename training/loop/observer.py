"""The records of a run that do not change its model: strength, opponent, checkpoints, picture, numbers, ladder."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import msgspec

from fiedler.training.judge.evaluation import Evaluator
from fiedler.training.judge.opponent import RisingOpponent
from fiedler.training.loop.checkpoints import keep
from fiedler.training.loop.events import ScalarLog
from fiedler.training.loop.folder import PICTURE, TrainingFolder
from fiedler.training.loop.ladder import Ladder, rungs
from fiedler.training.loop.picture import write_picture
from fiedler.training.loop.tracker import Tracker
from fiedler.training.recipe.entry import Entry
from fiedler.training.recipe.recipe import Recipe


class Observer:
    """Looks at each new model. Every step may be done twice: a run that was killed in between repeats it."""

    def __init__(self, recipe: Recipe, folder: TrainingFolder) -> None:
        """Prepare for a run.

        Raises:
            UsageError: The recipe names a wrong reference or opponent, or a library is missing.
        """
        self._recipe = recipe
        self._folder = folder
        self._opponent = RisingOpponent(recipe)
        self._events = ScalarLog(folder.path)
        self._tracker = Tracker(recipe, folder.path)
        with ExitStack() as stack:
            self._evaluator = Evaluator(recipe)
            stack.callback(self._tracker.close)
            stack.callback(self._evaluator.close)
            self.ladder = Ladder(recipe, folder)
            stack.callback(self.ladder.close)
            self._opened = stack.pop_all()

    def after(self, entry: Entry, model: Path) -> Entry:
        """Record a finished iteration, whose entry is the last one in the log; return the entry with its matches.

        Raises:
            WorkError: The model cannot be evaluated, or a file cannot be written.
        """
        if self._evaluator.due(entry.iteration) and not entry.strength:
            entry = msgspec.structs.replace(entry, strength=self._evaluator.strength(model))
            self._folder.note(entry)
        if self._opponent.due(entry.iteration) and entry.opponent is None:
            match = self._opponent.play(entry.iteration, self._folder.log(entry.iteration - 1), model)
            entry = msgspec.structs.replace(entry, opponent=match)
            self._folder.note(entry)
        keep(self._folder, self._recipe, entry.iteration)
        log = self._folder.log(entry.iteration)
        self.draw()
        self._events.update(log)
        self._tracker.update(log)
        self.ladder.after(entry.iteration)
        return entry

    def draw(self) -> None:
        """Draw the picture of the finished iterations, with the ratings of the ladder so far.

        Raises:
            WorkError: The file cannot be written.
        """
        if log := self._folder.log():
            write_picture(self._folder.path / PICTURE, self._recipe, log, rungs(self._recipe, self._folder))

    def close(self) -> None:
        """End the tournament and the references."""
        self._opened.close()
