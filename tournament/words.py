"""Words for people: numbers of things."""

from __future__ import annotations

from tournament.interval import INTERVAL


def counted(number: int, thing: str) -> str:
    """Return `1 pair`, `2 pairs`."""
    return f"{number} {thing}{'s' * (number != 1)}"


def prediction(rms: float) -> str:
    """Return what an RMS error in Elo means, in words."""
    return f"predicted RMS error of the ratings: {rms:.1f} Elo, 95 % intervals ± {INTERVAL * rms:.1f} Elo"
