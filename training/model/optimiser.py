"""The optimiser of a network: AdamW with a rate that rises, then falls along half a cosine.

Loshchilov and Hutter 2017 (the rate) and 2019 (AdamW).
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import torch
from torch import Tensor, nn

MAX_GRADIENT_NORM = 4.0
"""The norm to which networks of convolutions cut their gradient."""


class Rates(Protocol):
    """The keys of a recipe that define the optimiser."""

    @property
    def rate(self) -> float:
        """The highest rate."""

    @property
    def final_rate(self) -> float:
        """The rate of the last iteration."""

    @property
    def warmup(self) -> int:
        """The iterations over which the rate rises."""

    @property
    def weight_decay(self) -> float:
        """The weight decay of AdamW."""


def learning_rate(settings: Rates, iteration: int, iterations: int) -> float:
    """Return the rate of an iteration, counted from 0, of a run of `iterations`."""
    s, last = settings, iterations - 1
    if iteration < s.warmup:
        return s.rate * (iteration + 1) / (s.warmup + 1)
    done = (iteration - s.warmup) / max(last - s.warmup, 1)
    return s.final_rate + (s.rate - s.final_rate) * (1 + math.cos(math.pi * done)) / 2


class Optimiser:
    """AdamW over the weights of one network, for a run of `iterations`."""

    def __init__(self, net: nn.Module, settings: Rates, iterations: int, max_norm: float | None = None) -> None:
        """`max_norm`: longer gradients are cut to this norm."""
        self._net = net
        self._settings = settings
        self._iterations = iterations
        self._max_norm = max_norm
        self._adamw = torch.optim.AdamW(net.parameters(), lr=settings.rate, weight_decay=settings.weight_decay)

    def begin(self, iteration: int) -> float:
        """Set the learning rate to that of an iteration, counted from 0, and return it."""
        rate = learning_rate(self._settings, iteration, self._iterations)
        for group in self._adamw.param_groups:
            group["lr"] = rate
        return rate

    def step(self, loss: Tensor) -> None:
        """Change the weights once, so that the loss of a batch falls."""
        self._adamw.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        if self._max_norm is not None:
            torch.nn.utils.clip_grad_norm_(self._net.parameters(), self._max_norm)
        self._adamw.step()

    def state(self) -> dict[str, Any]:
        """Return weights and moments, for `restore`."""
        return {"net": self._net.state_dict(), "optimiser": self._adamw.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a `state`."""
        self._net.load_state_dict(state["net"])
        self._adamw.load_state_dict(state["optimiser"])
