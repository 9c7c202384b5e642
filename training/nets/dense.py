"""The dense part of a network: a trunk of layers and the two heads."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from fiedler.players.checkpoint import POLICY, VALUE
from fiedler.training.model.export import Graph


class Dense(nn.Module):
    """Vectors (n, width) in; logits (n, actions) and values (n,) in -1 to 1 out."""

    def __init__(self, width: int, hidden: Sequence[int], actions: int, value_hidden: int) -> None:
        super().__init__()
        widths = [width, *hidden]
        self.trunk = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.policy = nn.Linear(widths[-1], actions)
        self.value = Value(widths[-1], value_hidden)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return policy logits and values."""
        for layer in self.trunk:
            grown = torch.relu(layer(x))
            x = x + grown if is_residual(layer) else grown
        return self.policy(x), self.value(x)

    def add_to(self, g: Graph, x: str) -> None:
        """Add the trunk and both heads to a graph, after its output `x`."""
        for number, layer in enumerate(self.trunk):
            name = f"trunk{number}"
            grown = g.relu(g.linear(x, name, layer))
            x = g.node("Add", [x, grown], f"{name}.sum") if is_residual(layer) else grown
        g.head(g.linear(x, "policy_logits", self.policy), POLICY)
        self.value.add_to(g, x)


class Value(nn.Module):
    """Vectors (n, width) in; values (n,) in -1 to 1 out."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(width, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Return the values."""
        value: Tensor = torch.tanh(self.out(torch.relu(self.hidden(x)))).squeeze(1)
        return value

    def add_to(self, g: Graph, x: str) -> None:
        """Add the head to a graph, after its output `x`."""
        value = g.linear(g.relu(g.linear(x, "value_hidden", self.hidden)), "value_raw", self.out)
        g.single(g.node("Tanh", [value], "value_tanh"), VALUE)


def is_residual(layer: nn.Module) -> bool:
    """Return whether a trunk layer adds to its input: it does if the width does not change."""
    assert isinstance(layer, nn.Linear)
    return layer.in_features == layer.out_features
