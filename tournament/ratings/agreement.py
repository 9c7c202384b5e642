"""A test of whether the players score at one place as they do at all places together, without ratings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fiedler.games.result import Result
from fiedler.support.text import listed
from fiedler.tournament.ratings.tails import chi_squared_tail

POINTS = {Result.FIRST_WIN: 1.0, Result.DRAW: 0.5, Result.SECOND_WIN: 0.0}
SINGULAR = 1e-9
"""Eigenvalue, relative to the largest one, below which it counts as 0."""

Strata = Mapping[tuple[str, str], Mapping[str, list[float]]]
Tally = tuple[str, str, str, str, int]
"""A place, first player, second player, result, and the number of games."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The chi-square test of one place."""

    chi_square: float
    """nan without degrees of freedom."""
    degrees: int
    p_value: float
    """The probability of differences at least as large by chance alone; nan without degrees of freedom."""
    deviations: Mapping[str, float]
    """Player -> its points there above those expected, in standard deviations."""


class _Share(NamedTuple):
    """The games of a stratum at a place."""

    first: str
    second: str
    excess: float
    """The points of the first player there, above those expected."""
    variance: float


def agreements(games: Iterable[Tally]) -> dict[str, Agreement]:
    """Return the test of each place.

    The games of one pair with the same player first are a stratum. If places do not matter, any of its games may have
    been played at any place: given the results of a stratum and the number of its games at a place, the points there
    have the mean and the variance of a sample without replacement. The test adds up the strata of each player, with
    their covariance (generalised Cochran-Mantel-Haenszel: Agresti, Categorical Data Analysis, section 8.4).
    """
    shares: dict[str, list[_Share]] = {}
    for pair, stratum in _strata(games).items():
        total, points, squares = (sum(own[power] for own in stratum.values()) for power in range(3))
        spread = (squares - points**2 / total) / (total - 1) if total > 1 else 0.0
        for place, (here, ours, _) in stratum.items():
            share = _Share(*pair, ours - here * points / total, here * (total - here) / total * spread)
            shares.setdefault(place, []).append(share)
    return {place: _agreement(own) for place, own in shares.items()}


def untested(games: Iterable[Tally], places: Iterable[str], *, meets_once: bool) -> list[str]:
    """Return a line for each reason for which these places have no test, with the fewest games that one needs.

    `meets_once`: by the plan no pair plays twice with the same player first.
    """
    strata = _strata(games)
    reasons: dict[str, list[str]] = {}
    for place in places:
        reasons.setdefault(_missing(place, strata, meets_once=meets_once), []).append(place)
    return [f"no test of {listed(found)}: {why}" for why, found in reasons.items()]


def _missing(place: str, strata: Strata, *, meets_once: bool) -> str:
    here = [stratum for stratum in strata.values() if place in stratum]
    if any(len(stratum) > 1 for stratum in here):
        return "games that compare ended alike here and elsewhere, at least 1 more with another result is missing"
    if not here:
        return f"no game yet, at least {'1 is' if strata else '2 are'} missing"
    why = "no pair has played here and elsewhere with the same player first"
    never = "; with games_per_pair = 2 each pair plays one such game, 4 or more allow a test"
    return f"{why}, at least 1 more game is missing{never if meets_once else ''}"


def _strata(games: Iterable[Tally]) -> Strata:
    """Return for each pair, in the order of its players, the sums of the powers 0 to 2 of the points at each place."""
    strata: dict[tuple[str, str], dict[str, list[float]]] = {}
    for place, first, second, result, count in games:
        own = strata.setdefault((first, second), {}).setdefault(place, [0.0, 0.0, 0.0])
        point = POINTS[Result(result)]
        for power in range(3):
            own[power] += count * point**power
    return strata


def _agreement(shares: Sequence[_Share]) -> Agreement:
    """Return the test of a place from its shares of the strata: the other strata change nothing there."""
    names = {name: number for number, name in enumerate(dict.fromkeys(name for one in shares for name in one[:2]))}
    excess, covariance = np.zeros(len(names)), np.zeros((len(names), len(names)))
    for one in shares:
        first, second = names[one.first], names[one.second]
        excess[first] += one.excess
        excess[second] -= one.excess
        covariance[(first, second), (first, second)] += one.variance
        covariance[(first, second), (second, first)] -= one.variance
    deviations = {
        name: float(excess[number] / math.sqrt(covariance[number, number]))
        for name, number in names.items()
        if covariance[number, number] > SINGULAR
    }
    values, vectors = np.linalg.eigh(covariance)
    known = values > SINGULAR * max(values.max(initial=0.0), 1e-300)
    degrees = int(known.sum()) if deviations else 0
    if not degrees:
        return Agreement(math.nan, 0, math.nan, deviations)
    chi_square = float(((excess @ vectors[:, known]) ** 2 / values[known]).sum())
    return Agreement(chi_square, degrees, chi_squared_tail(degrees, chi_square), deviations)
