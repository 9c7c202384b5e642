"""Systems that learn with torch: their state is weights and moments of optimisers, kept as bytes."""

from __future__ import annotations

import io
import pickle
from abc import abstractmethod
from typing import Any

import torch

from training.system import System


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
        except (RuntimeError, EOFError, KeyError, TypeError, ValueError, pickle.UnpicklingError) as error:
            raise ValueError(f"state: {' '.join(str(error).split()) or 'it ends too early'}") from error

    @abstractmethod
    def _parts(self) -> dict[str, Any]:
        """Return the parts of the state by name."""

    @abstractmethod
    def _restore_parts(self, parts: dict[str, Any]) -> None:
        """Continue from the parts of a state."""
