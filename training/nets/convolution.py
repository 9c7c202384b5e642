"""A convolution with batch normalisation, which is folded into its weights in the file of the network."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from fiedler.training.model.export import Graph

Convolution = nn.Conv2d | nn.Conv3d
Norm = nn.BatchNorm2d | nn.BatchNorm3d


class NormedConvolution(nn.Module):
    """A convolution of 2 or 3 dimensions with step 1, then batch normalisation (Ioffe and Szegedy 2015)."""

    def __init__(self, inputs: int, outputs: int, *, kernel: int = 3, padding: int = 1, dimensions: int = 2) -> None:
        super().__init__()
        flat = dimensions == 2
        convolution: type[Convolution] = nn.Conv2d if flat else nn.Conv3d
        norm: type[Norm] = nn.BatchNorm2d if flat else nn.BatchNorm3d
        self.conv = convolution(inputs, outputs, kernel, padding=padding, bias=False)
        self.norm = norm(outputs)

    def forward(self, x: Tensor) -> Tensor:
        """Return the normalised outputs."""
        normed: Tensor = self.norm(self.conv(x))
        return normed

    def add_to(self, g: Graph, x: str, name: str) -> str:
        """Add it to a graph as one convolution; return its output."""
        weight, bias = self.folded()
        return g.convolution(x, name, weight, bias, padding=int(self.conv.padding[0]))

    def folded(self) -> tuple[Tensor, Tensor]:
        """Return weights and biases of a convolution that answers like both layers do after learning."""
        norm = self.norm
        assert norm.running_mean is not None
        assert norm.running_var is not None
        scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
        shape = (-1, *[1] * (self.conv.weight.dim() - 1))
        return self.conv.weight * scale.reshape(shape), norm.bias - norm.running_mean * scale
