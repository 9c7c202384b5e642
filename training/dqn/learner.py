"""The learning of the Q-network: epochs over samples, each with fresh targets."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from fiedler.training.dqn.boards import Bitboards, Floats
from fiedler.training.dqn.games import Random
from fiedler.training.dqn.net import QNet
from fiedler.training.dqn.recipe import DqnRecipe
from fiedler.training.dqn.samples import Samples
from fiedler.training.dqn.targets import targets
from fiedler.training.model.device import bfloat16
from fiedler.training.model.optimiser import MAX_GRADIENT_NORM, Optimiser


@dataclass(frozen=True, slots=True)
class Lesson:
    """The learning of one iteration."""

    loss: float
    """Mean of the last epoch."""
    steps: int
    rate: float


class DqnLearner:
    """A network, its moving average and its optimiser."""

    def __init__(self, net: QNet, recipe: DqnRecipe) -> None:
        self.net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average = copy.deepcopy(self.net).requires_grad_(False)
        self._settings = recipe.learning
        self._optimiser = Optimiser(net, recipe.learning, recipe.iterations, MAX_GRADIENT_NORM)

    def learn(self, samples: Samples, iteration: int, random: Random) -> Lesson:
        """Pass over the samples `epochs` times."""
        s = self._settings
        rate = self._optimiser.begin(iteration)
        steps = 0
        losses: list[float] = []
        for _ in range(s.epochs):
            wanted = targets(self.net, self.average, samples, s, random)
            losses = [self._step(planes, values) for planes, values in self._batches(samples, wanted, random)]
            steps += len(losses)
        return Lesson(sum(losses) / len(losses), steps, rate)

    def _batches(self, samples: Samples, wanted: Floats, random: Random) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield planes and targets in random order, one half of each batch mirrored."""
        order, size = random.permutation(len(samples)), self._settings.batch
        for start in range(0, max(len(order) - size, 0) + 1, size):
            chosen = order[start : start + size]
            planes = Bitboards(samples["own"][chosen], samples["mask"][chosen]).planes()
            values = wanted[chosen]
            half = len(chosen) // 2
            planes[:half], values[:half] = planes[:half, :, :, ::-1].copy(), values[:half, ::-1].copy()
            yield torch.from_numpy(planes), torch.from_numpy(values)

    def _step(self, planes: Tensor, values: Tensor) -> float:
        """Lower the cross entropy of the probability of a win, (1 + Q) / 2, for the moves that have a target."""
        with bfloat16("cpu", wanted=self._settings.bf16):
            logits = self.net(planes.to(memory_format=torch.channels_last))
        has = ~torch.isnan(values)
        chances = (1 + values[has]) / 2
        weights = torch.where(values[has].abs() == 1, self._settings.end_weight, 1.0)
        loss = binary_cross_entropy_with_logits(2 * logits.float()[has], chances, weights)
        self._optimiser.step(loss)
        with torch.no_grad():
            for slow, fast in zip(self.average.parameters(), self.net.parameters(), strict=True):
                slow.lerp_(fast, 1 - self._settings.target_decay)
        return float(np.float32(loss.item()))

    def state(self) -> dict[str, Any]:
        """Return weights and moments, for `restore`."""
        return self._optimiser.state() | {"average": self.average.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a `state`."""
        self._optimiser.restore(state)
        self.average.load_state_dict(state["average"])
