"""Learning from states: one optimiser over an incremental network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from torch import nn

from fiedler.native import Samples
from fiedler.training.model.optimiser import Optimiser
from fiedler.training.model.states import StateLearning
from fiedler.training.recipe.recipe import Recipe

Net = TypeVar("Net", bound=nn.Module)
"""A network whose input are rows of patterns (n, places), int32, and whose answers are values (n,), -1 to 1."""


@dataclass(frozen=True, slots=True)
class Learned:
    """One iteration of learning."""

    loss: float
    """The mean squared error of the value, for values in -1 to 1."""
    steps: int
    rate: float
    """The learning rate."""


class StateLearner(Generic[Net]):
    """Batches of states, each a step of the optimiser."""

    def __init__(self, net: Net, recipe: Recipe, settings: StateLearning) -> None:
        self.net = net
        self._recipe = recipe
        self._settings = settings
        self._optimiser = Optimiser(net, settings, recipe.iterations)

    def learn(self, samples: Samples, new: int, iteration: int) -> Learned:
        """Draw each of the `new` samples `passes` times on average, and step after each batch.

        `iteration` counts from 0. It and the step decide the batches: a run that resumes draws the same ones.
        """
        s = self._settings
        steps = max(1, round(new * s.passes / s.batch))
        rate = self._optimiser.begin(iteration)
        torch.set_num_threads(s.threads)
        loss = sum(
            self._step(samples, self._recipe.seed + (iteration + 1 << 40) + (step << 16)) for step in range(steps)
        )
        return Learned(loss / steps, steps, rate)

    def _step(self, samples: Samples, seed: int) -> float:
        patterns, values = samples.draw_patterns(self._settings.batch, seed)
        found = self.net(torch.from_numpy(patterns.astype(np.int32)))
        loss = torch.nn.functional.mse_loss(found, torch.from_numpy(values))
        self._optimiser.step(loss)
        return loss.item()

    def state(self) -> dict[str, Any]:
        """Return weights and moments, for `restore`."""
        return self._optimiser.state()

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a `state`."""
        self._optimiser.restore(state)
