"""Learning from samples: one optimiser over one network."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from fiedler.native import Samples
from fiedler.training.model.device import bfloat16, learning_device
from fiedler.training.model.optimiser import MAX_GRADIENT_NORM, Optimiser
from fiedler.training.nets.policy_value import PolicyValueNet
from fiedler.training.nets.recipe import NetRecipe


@dataclass(frozen=True, slots=True)
class Losses:
    """Means over the steps of one iteration."""

    policy: float
    """Cross entropy with the search's visits, in nats."""
    value: float
    """Squared error of the value, for values in -1 to 1."""
    steps: int
    rate: float
    """The learning rate."""


class Learner:
    """Batches of samples, each a step of the optimiser."""

    def __init__(self, net: PolicyValueNet, recipe: NetRecipe) -> None:
        self.device = torch.device(learning_device(recipe.device))
        self._layout = torch.contiguous_format if _has_volumes(net) else torch.channels_last
        self.net = net.to(self.device, memory_format=self._layout)  # type: ignore[call-overload]
        self._recipe = recipe
        self._settings = recipe.learning
        self._optimiser = Optimiser(net, recipe.learning, recipe.iterations, MAX_GRADIENT_NORM)

    def learn(self, samples: Samples, steps: int, iteration: int) -> Losses:
        """Step after each of `steps` batches."""
        s = self._settings
        rate = self._optimiser.begin(iteration)
        torch.set_num_threads(s.threads)
        self.net.train()
        policy = value = 0.0
        for step in range(steps):
            losses = self._step(samples, self._recipe.seed + (iteration + 1 << 40) + (step << 16))
            policy += losses[0].item()
            value += losses[1].item()
        self.net.eval()
        return Losses(policy / steps, value / steps, steps, rate)

    def _step(self, samples: Samples, seed: int) -> tuple[Tensor, Tensor]:
        s = self._settings
        planes, visits, results, searched = (
            torch.from_numpy(one).to(self.device) for one in samples.draw(s.batch, seed)
        )
        target = (1 - s.search_weight) * results + s.search_weight * searched
        with bfloat16(planes.device.type, wanted=s.bf16):
            logits, value = self.net(planes.contiguous(memory_format=self._layout))
        policy_loss = torch.nn.functional.cross_entropy(logits.float(), visits)
        value_loss = torch.nn.functional.mse_loss(value.float(), target)
        self._optimiser.step(policy_loss + s.value_weight * value_loss)
        return policy_loss.detach(), value_loss.detach()

    @property
    def portable(self) -> PolicyValueNet:
        """The network in the memory of the processor: itself, or a copy."""
        found: PolicyValueNet = self.net if self.device.type == "cpu" else copy.deepcopy(self.net).cpu()
        return found

    def state(self) -> dict[str, Any]:
        """Return weights and moments, for `restore`."""
        return self._optimiser.state()

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a `state`."""
        self._optimiser.restore(state)


def _has_volumes(net: PolicyValueNet) -> bool:
    """Return whether a network has convolutions in three dimensions: their weights have no layout channels_last."""
    return any(weights.dim() == 5 for weights in net.parameters())
