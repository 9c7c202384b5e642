"""Elo as every room of the tournament uses it: its bounds, and a predicted error in words."""

from __future__ import annotations

from support.numbers import ROUNDED_Z95

MOST_ELO = 10_000.0
"""Elo, of any sign, that an anchor, an advantage or a prior may be at most."""


def prediction(rms: float) -> str:
    """Return the meaning of a predicted RMS error `rms`, in Elo, as a sentence."""
    return f"predicted RMS error of the ratings: {rms:.1f} Elo, 95 % intervals ± {ROUNDED_Z95 * rms:.1f} Elo"
