"""Random numbers that are the same on every machine and in every version."""

from __future__ import annotations

import os

SEED_BITS = 63
"""Seeds are 0 to 2**63 - 1: a signed 64-bit number, and so any protocol and any store, can hold them."""
MAX_SEED = 2**SEED_BITS - 1
FRESH = -1
"""In place of a seed: other random numbers every time."""
_MASK = 2**64 - 1


class Seeds:
    """An endless stream of seeds: SplitMix64 (Steele, Lea and Flood 2014)."""

    def __init__(self, seed: int | None = None) -> None:
        """The same `seed` gives the same stream; None gives a new one."""
        self._state = int.from_bytes(os.urandom(8), "little") if seed is None else seed & _MASK

    def next(self) -> int:
        """Return the next one, 0 to MAX_SEED."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return (mixed ^ (mixed >> 31)) >> (64 - SEED_BITS)

    def below(self, bound: int) -> int:
        """Return a number from 0 to bound - 1, as uniform as 63 bits allow."""
        return self.next() * bound >> SEED_BITS
