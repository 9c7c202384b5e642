"""A stand-in for the network: any function of planes, which the searches of a batcher call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from fiedler import native

Floats = npt.NDArray[np.float32]
Evaluate = Callable[[Floats], Sequence[Floats]]


def policy_and_value(game: str) -> list[tuple[str, int]]:
    """The heads that PUCT needs."""
    return [("policy", native.Position(game).num_actions), ("value", 1)]


def knows_nothing(game: str) -> Callable[[Floats], tuple[Floats, Floats]]:
    """Even priors, even values."""
    actions = native.Position(game).num_actions

    def evaluate(planes: Floats) -> tuple[Floats, Floats]:
        return np.zeros((len(planes), actions), np.float32), np.zeros(len(planes), np.float32)

    return evaluate


def has_opinions(game: str, seed: int = 0) -> Callable[[Floats], tuple[Floats, Floats]]:
    """Answer every row with its own logits and value, independent of the other rows."""
    position = native.Position(game)
    cells = int(np.prod(position.planes_shape))
    random = np.random.default_rng(seed)
    policy = random.standard_normal((cells, position.num_actions)).astype(np.float32)
    value = random.standard_normal(cells).astype(np.float32)

    def evaluate(planes: Floats) -> tuple[Floats, Floats]:
        rows = planes.reshape(len(planes), -1)
        logits = np.stack([row @ policy for row in rows]) / 4
        values = np.tanh(np.array([row @ value for row in rows]) / 8)
        return logits.astype(np.float32), values.astype(np.float32)

    return evaluate


@contextmanager
def serving(
    game: str,
    evaluate: Evaluate,
    rows: int = 16,
    evaluators: int = 1,
    heads: list[tuple[str, int]] | None = None,
) -> Iterator[native.Batcher]:
    """Give a batcher whose batches `evaluate` answers, up to `evaluators` side by side."""
    batcher = native.Batcher(game, heads or policy_and_value(game), rows)
    for _ in range(evaluators):
        serve(batcher, game, evaluate)
    try:
        yield batcher
    finally:
        batcher.close()


def serve(batcher: native.Batcher, game: str, evaluate: Evaluate) -> None:
    """Let `evaluate` answer for all rows of a batch."""
    planes = np.empty((batcher.rows, *native.Position(game).planes_shape), np.float32)
    answers = [np.empty((batcher.rows, width), np.float32) for _, width in batcher.heads]

    def fill(leaves: int) -> None:
        for answer, found in zip(answers, evaluate(planes), strict=True):
            answer[:] = found.reshape(answer.shape)

    batcher.serve(planes, answers, fill)
