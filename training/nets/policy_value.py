"""The interface of the networks: a policy over all actions and a value, in torch and as layers of an ONNX file."""

from __future__ import annotations

from abc import ABC, abstractmethod

from torch import Tensor, nn

from fiedler.training.model.export import Graph


class PolicyValueNet(nn.Module, ABC):
    """Planes (n, planes, rows, columns) in; policy logits (n, actions) and value (n,) in -1 to 1 out.

    The value is the expected result for the side to move.
    """

    @abstractmethod
    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Return policy logits and values."""

    @abstractmethod
    def add_to(self, g: Graph) -> None:
        """Add its layers to a graph, from the input to the heads of the player checkpoint."""
