"""The state of a system that learns with torch, as bytes: weights, moments of optimisers."""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch


def packed(state: Mapping[str, Any]) -> bytes:
    """Return a state as bytes, for `unpacked`."""
    file = io.BytesIO()
    torch.save(dict(state), file)
    return file.getvalue()


@contextmanager
def unpacked(data: bytes) -> Iterator[dict[str, Any]]:
    """Give the state of `packed`, in the memory of the processor, to be loaded within the context.

    Raises:
        ValueError: The state is damaged, or does not fit the networks and optimisers that load it.
    """
    try:
        yield torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    except (RuntimeError, EOFError, KeyError, pickle.UnpicklingError) as error:
        raise ValueError(" ".join(str(error).split()) or "it ends too early") from error
