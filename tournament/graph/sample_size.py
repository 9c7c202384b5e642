"""The number of games for a given precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fiedler.support.stages import begin, step
from fiedler.tournament.graph.problem import Beliefs
from fiedler.tournament.graph.spectrum import Edge, rms_error

_MOST = 10**9
"""Largest mean number of games per pair in the search."""


@dataclass(frozen=True)
class Needed:
    """Games that reach an RMS error: `total` in all, and `per_pair` if all pairs play the same number."""

    rms: float
    per_pair: int | None
    total: int


@dataclass(frozen=True)
class Beyond:
    """An RMS error out of reach: with `more_than` games per pair it is still `rms` Elo (None: with any number)."""

    rms: float
    more_than: int | None


def error_after(known: Beliefs, games: Mapping[Edge, int]) -> float:
    """Return the predicted RMS error after further games.

    Parameters
    ----------
    known : Beliefs
        Ratings and earlier games.
    games : mapping from (i, j) to int
        Further games of each pair, at least 0.

    Returns
    -------
    float
        In Elo; infinite if the games do not connect all players.

    Examples
    --------
    >>> from fiedler.tournament.graph.problem import beliefs
    >>> from fiedler.tournament.graph.sample_size import error_after
    >>> round(error_after(beliefs(2, None, None, 2, []), {(0, 1): 100}), 1)
    16.0

    """
    counts = known.played.copy()
    for (i, j), number in games.items():
        counts[i, j] = counts[j, i] = counts[i, j] + number
    return rms_error(known.precision(counts))


def games_needed(
    edges: Sequence[Edge], games: Sequence[int], known: Beliefs, error: float, unit: int = 2
) -> Needed | Beyond:
    """Return the fewest games with which the pairs of a design reach an RMS error.

    The games of all pairs stay in proportion. If each pair has its own style (`style_sd`), the error may stay larger
    after any number of games.

    Parameters
    ----------
    edges : sequence of (i, j), length M
        The pairs of the design, 0-based.
    games : sequence of int, length M
        Games of each pair, at least 1; the result is a multiple.
    known : Beliefs
        Ratings and earlier games.
    error : float
        Target RMS error in Elo, above 0.
    unit : int
        The number of games is a multiple of it.

    Returns
    -------
    Needed or Beyond
        `Beyond` if the error is out of reach.

    Examples
    --------
    >>> from fiedler.tournament.graph.problem import beliefs
    >>> from fiedler.tournament.graph.sample_size import games_needed
    >>> games_needed([(0, 1)], [2], beliefs(2, None, None, 2, []), 16.1).total
    100

    """
    i, j = np.array(edges).T
    counts = np.zeros_like(known.played)
    counts[i, j] = counts[j, i] = games

    def rms(scale: float) -> float:
        step()
        return rms_error(known.precision(known.played + scale * counts))

    begin("games for the target error", 2 * _MOST.bit_length())
    return least_games(games, rms, error, unit, limited=known.style_sd > 0)


def least_games(
    games: Sequence[int], rms: Callable[[float], float], error: float, unit: int, *, limited: bool
) -> Needed | Beyond:
    """Return the fewest games whose error is at most `error`, for any function of the error.

    Parameters
    ----------
    games : sequence of int, length M
        Games of each pair, at least 1.
    rms : callable
        Returns the RMS error in Elo after a multiple (float) of `games`. It falls as the multiple grows.
    error : float
        Target RMS error in Elo, above 0.
    unit : int
        The number of games is a multiple of it.
    limited : bool
        Whether the error has a positive limit for many games.

    Returns
    -------
    Needed or Beyond
        `Beyond` if the error is out of reach.

    Examples
    --------
    >>> from fiedler.tournament.graph.sample_size import least_games
    >>> least_games([2, 2, 2], lambda times: 100 / times**0.5, 10.0, 2, limited=False)
    Needed(rms=10.0, per_pair=200, total=600)

    """
    equal = min(games) == max(games)
    base = games[0] if equal else sum(games)
    most = _MOST * (1 if equal else len(games)) // unit

    def after(units: int) -> float:
        return rms(units * unit / base)

    if (remaining := after(most)) > error:
        # Without styles the error falls with the root of the games. 10,000 times the games show the limit.
        limit = after(10_000 * most) if limited else 0.0
        return Beyond(limit, None) if limit > error else Beyond(remaining, _MOST)
    low, high = 0, 1
    while after(high) > error:
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if after(middle) > error else (low, middle)
    number = high * unit
    return Needed(after(high), number, number * len(games)) if equal else Needed(after(high), None, number)
