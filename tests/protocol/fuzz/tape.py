"""A tape of random bytes that decides everything about one input: hypothesis shortens it, a long run numbers it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")
BYTES = 400
"""The length of a numbered tape."""


class Tape:
    """Reads decisions from bytes; behind their end every decision is the first choice."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @classmethod
    def numbered(cls, number: int) -> Tape:
        """Return the tape of a number."""
        return cls(random.Random(number).randbytes(BYTES))

    def below(self, count: int) -> int:
        """Return a number from 0 to `count` - 1, at most 65,535."""
        value = int.from_bytes(self.take(1 if count <= 256 else 2))
        return value % count

    def choice(self, items: Sequence[Item]) -> Item:
        """Return one of the items."""
        return items[self.below(len(items))]

    def chance(self, one_in: int) -> bool:
        """Return True once in `one_in` times."""
        return self.below(one_in) == one_in - 1

    def take(self, count: int) -> bytes:
        """Return up to `count` bytes."""
        found = self._data[self._at : self._at + count]
        self._at += count
        return found
