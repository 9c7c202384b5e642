"""One network for every search of the process: searches submit leaves and evaluate them in shared batches."""

from __future__ import annotations

import weakref
from dataclasses import dataclass

import numpy as np

from fiedler.games import Game
from fiedler.native import Batcher
from fiedler.players.model import Evaluate, Model
from fiedler.players.player import Evaluations
from fiedler.support.cores import available


@dataclass(frozen=True, slots=True)
class Batches:
    """The batches of a network."""

    rows: int
    """The most rows of a batch."""
    enough: int
    """A batch of this many rows does not wait for more."""
    side_by_side: int
    """The most batches that are evaluated at the same time."""


BATCHES = {
    # A hand-over between threads costs more than a fuller batch gains, so each search evaluates its own leaves. There
    # are places for more batches than cores: if a thread loses its core in the middle of one, the others still work.
    "cpu": Batches(rows=16, enough=6, side_by_side=8 * len(available())),
    "cuda": Batches(rows=256, enough=256, side_by_side=1),
}
"""In play, by device."""


@dataclass(slots=True)
class _Current:
    """The network in use, which `Network.replace` exchanges."""

    model: Model


class Network:
    """A model behind a batcher that any number of searches share."""

    def __init__(self, game: Game, model: Model, batches: Batches | None = None) -> None:
        """`batches`: None means those of the model's device."""
        self._batches = batches or BATCHES[model.device]
        self.batcher = Batcher(game.id, list(model.heads.items()), self._batches.rows, self._batches.enough)
        self._game = game
        self._current = _Current(model)
        self._searches = 0
        self._finalize = weakref.finalize(self, self.batcher.close)
        self._add_evaluator()

    def admit(self) -> None:
        """Make room for the batches of a further search, up to the most that are evaluated at the same time."""
        self._searches += 1
        if 1 < self._searches <= self._batches.side_by_side:
            self._add_evaluator()

    def _add_evaluator(self) -> None:
        evaluator = _Evaluator(self._current, self._batches.rows, self._game)
        self.batcher.serve(evaluator.planes, evaluator.answers, evaluator)

    @property
    def model(self) -> Model:
        """The network in use."""
        return self._current.model

    def replace(self, model: Model) -> None:
        """Answer with another network of the same game and heads from the next batch on.

        The one before stays in memory until every evaluator has had a batch.
        """
        self._current.model = model

    def stats(self) -> Evaluations:
        """Return the work of the network so far."""
        stats = self.batcher.stats()
        return Evaluations(evaluations=stats.rows, batches=stats.batches)

    def close(self) -> None:
        """End the network: searches that wait, or come later, raise native.EvaluationError.

        A batch that is being evaluated ends later, and its answers are dropped.
        """
        self._finalize()


class _Evaluator:
    """The network over the planes of one batch."""

    def __init__(self, current: _Current, rows: int, game: Game) -> None:
        self.planes = np.empty((rows, *game.position().planes_shape), np.float32)
        self.answers = current.model.answers(rows)
        self._current = current
        self._model = current.model
        self._by_rows: dict[int, Evaluate] = {}

    def __call__(self, leaves: int) -> None:
        """Answer for the first `leaves` rows, at least.

        Raises:
            fiedler.players.runtime.NetworkRunError: The network cannot be run; every search gets the reason.
        """
        if self._model is not self._current.model:
            self._model = self._current.model
            self._by_rows.clear()
        rows = _rows(leaves, self._model.step, len(self.planes))
        if rows not in self._by_rows:
            self._by_rows[rows] = self._model.bind(self.planes[:rows], [answer[:rows] for answer in self.answers])
        self._by_rows[rows]()


def _rows(leaves: int, step: int, most: int) -> int:
    """Return the rows to evaluate, so that an answer does not depend on other searches: see Model.step."""
    return -(-leaves // step) * step if step and most % step == 0 else most
