"""One network for every search of the process: searches submit leaves, evaluator threads answer them in batches."""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass

import numpy as np

from games import Game
from native import Batcher
from players.model import Model
from players.player import Evaluations

ROWS = {"cpu": 16, "cuda": 256}
"""Most rows of a batch in play, by device: the fewest that keep it busy."""


@dataclass(slots=True)
class _Current:
    """The network in use, which `Network.replace` exchanges."""

    model: Model


class Network:
    """A model behind a batcher that any number of searches share."""

    def __init__(self, game: Game, model: Model, *, rows: int | None = None, evaluators: int = 1) -> None:
        """`rows` of a batch (None: those of the model's device), `evaluators`: threads that run the model."""
        self.batcher = Batcher(game.id, list(model.heads.items()), rows or ROWS[model.device])
        self._current = _Current(model)
        shape = (self.batcher.rows, *game.position().planes_shape)
        self._threads = [
            threading.Thread(target=_evaluate, args=(self.batcher, self._current, shape), name="evaluator", daemon=True)
            for _ in range(evaluators)
        ]
        for thread in self._threads:
            thread.start()
        self._finalize = weakref.finalize(self, _close, self.batcher, self._threads)

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
        """End the threads; searches that still wait raise native.EvaluationError."""
        self._finalize()


def _evaluate(batcher: Batcher, current: _Current, shape: tuple[int, ...]) -> None:
    """Serve batches until the batcher is closed; a failure closes it, so that every search receives the error."""
    planes = np.empty(shape, np.float32)
    while ticket := batcher.collect(planes):
        try:
            model = current.model
            rows = _rows(batcher.leaves(ticket), model.step, len(planes))
            batcher.answer(ticket, model.evaluate(planes[:rows]))
        except Exception as error:  # onnxruntime has a class of its own for each failure
            batcher.close(f"the network failed: {' '.join(str(error).split())[:200]}")


def _rows(leaves: int, step: int, most: int) -> int:
    """Return the rows to evaluate, so that an answer does not depend on other searches: see Model.step."""
    return -(-leaves // step) * step if step and most % step == 0 else most


def _close(batcher: Batcher, threads: list[threading.Thread]) -> None:
    batcher.close()
    for thread in threads:
        thread.join()
