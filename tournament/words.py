"""Words for people: numbers of things."""

from __future__ import annotations


def counted(number: int, thing: str) -> str:
    """Return `1 pair`, `2 pairs`."""
    return f"{number} {thing}{'s' * (number != 1)}"
