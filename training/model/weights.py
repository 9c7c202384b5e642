"""The number of weights of a network, known before they take memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import torch
from torch import nn

from fiedler.support.errors import UsageError

MAX_WEIGHTS = 200_000_000
"""Most weights of a network that learns: 0.8 GB, and with gradients and moments four times as much."""

Net = TypeVar("Net", bound=nn.Module)


def bounded(make: Callable[[], Net], seed: int) -> Net:
    """Return a network with random weights of a seed.

    Its shapes are counted first, without memory and without random numbers.

    Raises:
        UsageError: It has too many weights.
    """
    with torch.device("meta"):
        number = sum(one.numel() for one in make().parameters())
    if number > MAX_WEIGHTS:
        raise UsageError(f"net: expected at most {MAX_WEIGHTS} weights, got {number}")
    torch.manual_seed(seed)
    return make()
