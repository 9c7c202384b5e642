"""How many games a wished precision takes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tournament.graph.problem import Beliefs
from tournament.graph.spectrum import Edge, laplacian, rms_error

_MOST = 1e9
"""Games per pair beyond which a precision counts as out of reach."""


@dataclass(frozen=True)
class Needed:
    """Games that reach an RMS error: `total` in all; `per_pair` for each pair if all play the same number."""

    rms: float
    per_pair: int | None
    total: int


def error_after(known: Beliefs, games: Mapping[Edge, int]) -> float:
    """Return the predicted RMS error in Elo once pairs have played so many games more; infinite if not connected."""
    counts = known.played.copy()
    for (i, j), number in games.items():
        counts[i, j] = counts[j, i] = counts[i, j] + number
    return rms_error(laplacian(known.told(counts)))


def games_needed(
    edges: Sequence[Edge], games: Sequence[int], known: Beliefs, error: float, unit: int = 2
) -> Needed | None:
    """Return the fewest games with which the pairs of a design reach an RMS error of `error` Elo.

    Pairs play more or less in proportion to `games`, in multiples of `unit`. None if no number does, as for a style of
    its own (`style_sd`) it may be.
    """
    i, j = np.array(edges).T
    counts = np.zeros_like(known.played)
    counts[i, j] = counts[j, i] = games

    def rms(scale: float) -> float:
        return rms_error(laplacian(known.told(known.played + scale * counts)))

    high = 1.0
    while rms(high) > error:
        high *= 2
        if high * max(games) > _MOST:
            return None
    low = 0.0 if high == 1.0 else high / 2
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if rms(middle) > error else (low, middle)
    if min(games) == max(games):
        per_pair = unit * max(1, math.ceil(high * games[0] / unit - 1e-6))
        return Needed(rms(per_pair / games[0]), per_pair, per_pair * len(games))
    total = sum(games)
    wanted = unit * math.ceil(high * total / unit - 1e-6)
    return Needed(rms(wanted / total), None, wanted)
