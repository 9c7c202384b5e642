"""One network for every search of the process: searches submit leaves and evaluate them in shared batches."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from games import Game
from native import Batcher
from players.model import Model
from players.player import Evaluations
from support.cores import available


@dataclass(frozen=True, slots=True)
class Batches:
    """The batches in play on a device."""

    rows: int
    """The most of one."""
    enough: int
    """Rows that do not wait for more."""
    side_by_side: int
    """Batches that are evaluated at the same time."""


BATCHES = {
    # A hand-over between threads costs more than a fuller batch gains, so each search evaluates its own leaves.
    "cpu": Batches(rows=16, enough=6, side_by_side=8 * len(available())),
    "cuda": Batches(rows=256, enough=256, side_by_side=1),
}
"""By device."""


@dataclass(slots=True)
class _Current:
    """The network in use, which `Network.replace` exchanges."""

    model: Model


class Network:
    """A model behind a batcher that any number of searches share."""

    def __init__(self, game: Game, model: Model, batches: Batches | None = None) -> None:
        """Begin without searches; the batches None are those in play."""
        batches = batches or BATCHES[model.device]
        self.batcher = Batcher(game.id, list(model.heads.items()), batches.rows, batches.enough)
        self._current = _Current(model)
        for _ in range(batches.side_by_side):
            evaluator = _Evaluator(self._current, batches.rows, game)
            self.batcher.serve(evaluator.planes, evaluator.answers, evaluator)
        self._finalize = weakref.finalize(self, self.batcher.close)

    @property
    def model(self) -> Model:
        """The network in use."""
        return self._current.model

    def replace(self, model: Model) -> None:
        """Answer with another network of the same game and heads from the next batch on."""
        self._current.model = model

    def stats(self) -> Evaluations:
        """Return the work of the network so far."""
        stats = self.batcher.stats()
        return Evaluations(evaluations=stats.rows, batches=stats.batches)

    def close(self) -> None:
        """End the network; searches that still wait raise native.EvaluationError."""
        self._finalize()


class _Evaluator:
    """The network over the planes of one batch."""

    def __init__(self, current: _Current, rows: int, game: Game) -> None:
        self.planes = np.empty((rows, *game.position().planes_shape), np.float32)
        self.answers = current.model.answers(rows)
        self._current = current
        self._model = current.model
        self._by_rows: dict[int, Callable[[], None]] = {}

    def __call__(self, leaves: int) -> None:
        """Answer for the first `leaves` rows, at least."""
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
