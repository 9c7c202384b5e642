"""Systems that learn with torch: their state is weights and moments of optimisers, kept as bytes."""

from __future__ import annotations

import io
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from training.system import DivergedError, System


def numbers(parts: Any) -> Iterator[Tensor | float]:  # noqa: ANN401 - of any depth
    """Yield the tensors and the single numbers in dicts and lists of any depth."""
    if isinstance(parts, Tensor | float):
        yield parts
    elif isinstance(parts, dict | list | tuple):
        for one in parts.values() if isinstance(parts, dict) else parts:
            yield from numbers(one)


class TorchSystem(System):
    """A system whose state is a dict that torch can write: tensors, numbers, and dicts and lists of them."""

    def state(self) -> bytes:
        """Return weights and moments; see System."""
        file = io.BytesIO()
        torch.save(self._parts(), file)
        return file.getvalue()

    def restore(self, state: bytes) -> None:
        """Continue from a `state`, in the memory of the processor; see System.

        Raises:
            ValueError: The state is damaged, or does not fit the networks and optimisers.
        """
        try:
            self._restore_parts(torch.load(io.BytesIO(state), map_location="cpu", weights_only=True))
        except Exception as error:  # the unpickler of damaged bytes raises anything
            raise ValueError(f"state: {' '.join(str(error).split()) or 'it ends too early'}") from error

    def check(self) -> None:
        """Look at weights and moments; see System."""
        for found in numbers(self._parts()):
            if not torch.isfinite(torch.as_tensor(found)).all():
                raise DivergedError("the weights are not finite")

    @abstractmethod
    def _parts(self) -> dict[str, Any]:
        """Return the parts of the state by name."""

    @abstractmethod
    def _restore_parts(self, parts: dict[str, Any]) -> None:
        """Continue from the parts of a state."""
