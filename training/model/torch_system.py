"""Systems that learn with torch: their state is weights and moments of optimisers, kept as bytes."""

from __future__ import annotations

import io
import warnings
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from fiedler.training.recipe.system import DivergedError, Kind, System


def numbers(parts: Any) -> Iterator[Tensor | float]:  # noqa: ANN401 - of any depth
    """Yield the tensors and the single numbers in dicts and lists of any depth."""
    if isinstance(parts, Tensor | float):
        yield parts
    elif isinstance(parts, dict | list | tuple):
        for one in parts.values() if isinstance(parts, dict) else parts:
            yield from numbers(one)


def _read(state: bytes) -> Any:  # noqa: ANN401 - of any form
    """Return what torch has written; its own words about damaged bytes are advice to programmers."""
    try:
        with warnings.catch_warnings(action="ignore"):
            return torch.load(io.BytesIO(state), map_location="cpu", weights_only=True)
    except Exception as error:  # the unpickler of damaged bytes raises anything
        raise ValueError("state: cannot be read as weights and optimisers") from error


class TorchSystem(System[Kind]):
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
        parts = _read(state)
        try:
            self._restore_parts(parts)
        except Exception as error:  # torch raises anything about parts of another form, in many lines
            raise ValueError("state: does not fit the networks and optimisers of the recipe") from error

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
