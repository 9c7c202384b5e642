"""The range of an Elo axis: it has every whole interval, so that noise never fills it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median

from fiedler.support.drawing import Spot
from fiedler.tournament.ratings import PlayerRating

LEAST = 20.0
"""Least range of an axis, in Elo."""


def reach(players: Iterable[PlayerRating]) -> Spot:
    """Return the lowest and the highest end of all intervals, `LEAST` apart at least."""
    ends = [one.elo + side for one in players for side in (-one.minus, one.plus, 0.0)]
    known = [end for end in ends if math.isfinite(end)] or [0.0]
    return _apart(min(known), max(known), LEAST)


def shades(players: Iterable[PlayerRating]) -> Spot:
    """Return the ratings for the ends of a scale of colours, a median interval apart at least."""
    rated = [one for one in players if math.isfinite(one.elo)]
    known = [one.elo for one in rated] or [0.0]
    errors = [one.plus + one.minus for one in rated if math.isfinite(one.plus + one.minus)]
    return _apart(min(known), max(known), max(LEAST, median(errors or [0.0])))


def _apart(low: float, high: float, least: float) -> Spot:
    missing = max(0.0, least - (high - low)) / 2
    return low - missing, high + missing
