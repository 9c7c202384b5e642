"""The number of games for a given precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from support.stages import begin, step
from tournament.graph.problem import Beliefs
from tournament.graph.spectrum import Edge, laplacian, rms_error

_MOST = 10**9
"""Games per pair, on average, beyond which nobody looks for a precision."""


@dataclass(frozen=True)
class Needed:
    """Games that reach an RMS error: `total` in all; `per_pair` for each pair if all play the same number."""

    rms: float
    per_pair: int | None
    total: int


@dataclass(frozen=True)
class Beyond:
    """What is out of reach: with `more_than` games per pair the RMS error is still `rms`; None: with any number."""

    rms: float
    more_than: int | None


def error_after(known: Beliefs, games: Mapping[Edge, int]) -> float:
    """Return the predicted RMS error in Elo once pairs have played so many games more; infinite if not connected."""
    counts = known.played.copy()
    for (i, j), number in games.items():
        counts[i, j] = counts[j, i] = counts[i, j] + number
    return rms_error(laplacian(known.information(counts)))


def games_needed(
    edges: Sequence[Edge], games: Sequence[int], known: Beliefs, error: float, unit: int = 2
) -> Needed | Beyond:
    """Return the fewest games with which the pairs of a design reach an RMS error of `error` Elo.

    Pairs play more or less in proportion to `games`, in multiples of `unit`. A style of its own (`style_sd`) may leave
    a larger error after any number of games.
    """
    i, j = np.array(edges).T
    counts = np.zeros_like(known.played)
    counts[i, j] = counts[j, i] = games

    def rms(scale: float) -> float:
        step()
        return rms_error(laplacian(known.information(known.played + scale * counts)))

    begin("games for the wished error", 2 * _MOST.bit_length())
    return least_games(games, rms, error, unit, limited=known.style_sd > 0)


def least_games(
    games: Sequence[int], rms: Callable[[float], float], error: float, unit: int, *, limited: bool
) -> Needed | Beyond:
    """Return the fewest units of games whose error, `rms` of so many times `games`, is at most `error`.

    If it is `limited`, the error does not tend to 0.
    """
    alike = min(games) == max(games)
    base = games[0] if alike else sum(games)
    most = _MOST * (1 if alike else len(games)) // unit

    def after(units: int) -> float:
        return rms(units * unit / base)

    if (left := after(most)) > error:
        # The error falls with the root of the games unless styles hold it up: 10,000 times as many games show which.
        far = after(10_000 * most) if limited else 0.0
        return Beyond(far, None) if far > error else Beyond(left, _MOST)
    low, high = 0, 1
    while after(high) > error:
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if after(middle) > error else (low, middle)
    wanted = high * unit
    return Needed(after(high), wanted, wanted * len(games)) if alike else Needed(after(high), None, wanted)
