"""Elo in every room of the tournament: its bounds, and a predicted error in words."""

from __future__ import annotations

from fiedler.support.numbers import ROUNDED_Z95

MOST_ELO = 10_000.0
"""Largest size of an anchor, an advantage or a prior, in Elo."""
LEAST_PLAYERS = 10
"""Least players of posterior ratings: fewer do not show how far players are apart."""


def prediction(rms: float) -> str:
    """Return a predicted RMS error of `rms` Elo, with its 95 % interval, as a phrase."""
    return f"predicted RMS error of the ratings: {rms:.1f} Elo, 95 % intervals ± {ROUNDED_Z95 * rms:.1f} Elo"
