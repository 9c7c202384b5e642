"""Elo as every room of the tournament uses it: its bounds, the width of shown intervals, a predicted error in words."""

from __future__ import annotations

MOST_ELO = 10_000.0
"""Elo, of any sign, that an anchor, an advantage or a prior may be at most."""
INTERVAL = 1.96
"""Standard deviations to either side of a 95 % interval."""


def prediction(rms: float) -> str:
    """Return the meaning of a predicted RMS error `rms`, in Elo, as a sentence."""
    return f"predicted RMS error of the ratings: {rms:.1f} Elo, 95 % intervals ± {INTERVAL * rms:.1f} Elo"
