"""Supervised learning of moves: read or play games, then learn from all of them."""

from __future__ import annotations

import logging
import random
import time

import msgspec
import numpy as np

from fiedler.support.errors import UsageError
from fiedler.training.nets.learner import Losses
from fiedler.training.nets.system import NetSystem
from fiedler.training.policy.accuracy import HeldOut
from fiedler.training.policy.engines import EngineGames
from fiedler.training.policy.entry import PolicyEntry
from fiedler.training.policy.files import FileGames
from fiedler.training.policy.recipe import PolicyRecipe
from fiedler.training.policy.study import Studies, Study, shifted, taught
from fiedler.training.recipe.system import OnProgress, Stamp

logger = logging.getLogger(__name__)


class Policy(NetSystem[PolicyRecipe]):
    """Its memory is the games; a run without them reads the files again, and continues with new games of engines."""

    def __init__(self, recipe: PolicyRecipe) -> None:
        """Find the files and load the players.

        Raises:
            UsageError: There is no file of a pattern, or a player is wrong.
        """
        super().__init__(recipe)
        self._studies = Studies()
        self._learnt = 0  # of the studies, those that are in the samples
        self._held_out = HeldOut(self.game, recipe.learning.search_weight)
        self._policy = np.zeros(self.game.position().num_actions, np.float32)
        self._files = FileGames(self.game, recipe.files) if recipe.files else None
        self._engines = EngineGames(self.game, recipe.engines) if recipe.engines else None

    @property
    def memory(self) -> Studies:
        """The games so far."""
        return self._studies

    def iterate(self, iteration: int, on_progress: OnProgress) -> PolicyEntry:
        """Read the files once, or play, then learn from all games; see System.

        Raises:
            UsageError: A game of the files is wrong, none can be learned, or no opening is about even.
        """
        began = time.monotonic()
        if self._files is not None and not self._studies.games:
            self._read(self._files)
        if self._engines is not None:
            self._play(self._engines, iteration, on_progress)
        self._take_in()
        if not len(self.samples):
            left_out = self._files.about_left_out if self._files is not None else []
            raise UsageError("; ".join([f"{self.recipe.name}: expected finished games to learn, got none", *left_out]))
        ended = time.monotonic()
        losses = self._learn(iteration)
        return self._measured(
            PolicyEntry(
                games=len(self._studies.games),
                wrong=self._studies.wrong,
                positions=len(self.samples),
                held_out=len(self._held_out),
                playing_seconds=round(ended - began, 3),
                learning_seconds=round(time.monotonic() - ended, 3),
                policy_loss=round(losses.policy, 5),
                value_loss=round(losses.value, 5),
                steps=losses.steps,
                rate=losses.rate,
            )
        )

    def _read(self, files: FileGames) -> None:
        for number, one in enumerate(files.games()):
            held_out = self._stream("file", number).random() < self.recipe.learning.held_out
            none = [-1.0] * len(one.moves)
            assert one.result is not None
            self._studies.games.append(Study(list(one.moves), list(one.moves), none, one.result, held_out))
        self._studies.wrong = len(files.wrong)
        for line in files.about_left_out:
            logger.warning("warning: files.paths: %s", line)

    def _play(self, engines: EngineGames, iteration: int, on_progress: OnProgress) -> None:
        table = self.recipe.engines
        assert table is not None
        wanted = table.count if iteration < table.iterations or not self._studies.games else 0
        for number in range(wanted):
            stream = self._stream("game", iteration * table.count + number)
            held_out = stream.random() < self.recipe.learning.held_out
            self._studies.games.append(engines.play(stream, held_out=held_out))
            on_progress(number + 1, wanted)

    def _stream(self, kind: str, number: int) -> random.Random:
        return random.Random(f"{self.recipe.seed} {kind} {number}")

    def _take_in(self) -> None:
        """Add the new games to the samples, with shifted copies, or to the held-out positions."""
        for number in range(self._learnt, len(self._studies.games)):
            study = self._studies.games[number]
            if study.held_out:
                self._held_out.add(study)
                continue
            stream = self._stream("shift", number)
            copies = (shifted(self.game, study, stream) for _ in range(self.recipe.learning.shifts))
            for one in (study, *filter(None, copies)):
                self._add(one)
        self._learnt = len(self._studies.games)

    def _add(self, study: Study) -> None:
        for one in taught(self.game, study):
            self._policy[one.label] = 1
            numbers = [np.array([number], np.float32) for number in (one.result, one.value)]
            self.samples.add(one.position, [self._policy, *numbers])
            self._policy[one.label] = 0

    def _learn(self, iteration: int) -> Losses:
        return self.learner.learn(self.samples, self.recipe.learning.steps, iteration)

    def _measured(self, entry: PolicyEntry) -> PolicyEntry:
        if not len(self._held_out):
            return entry
        found = self._held_out.measure(self.learner.portable)
        numbers = {"top1": found.top1, "top5": found.top5, "held_out_value": found.value}
        return msgspec.structs.replace(entry, **{name: round(number, 4) for name, number in numbers.items()})

    def export(self, stamp: Stamp) -> bytes:
        """Return the network as an ONNX file."""
        self._take_in()  # of a run that was resumed
        return super().export(stamp)

    def close(self) -> None:
        """End the players."""
        if self._engines is not None:
            self._engines.close()
