"""Games that come as pairs of one opening with the colours reversed: their errors are not those of single games."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from fiedler.tournament.ratings.intervals import normal_quantile
from fiedler.tournament.ratings.meetings import NUDGE
from fiedler.tournament.ratings.model import MODELS, Rating
from fiedler.tournament.ratings.pairs import Floats, Integers
from fiedler.tournament.ratings.results import OUTCOMES

POINTS = (2, 1, 0)
"""Points of the first player by outcome, in half points."""
PlayedGame = tuple[str, str, Hashable, str]
"""First player, second player, opening, result."""


@dataclass(frozen=True, slots=True)
class PairedErrors:
    """The errors of the ratings that follow from the pairs.

    Both games of an opening favour the same side. These effects cancel, so a pair scatters less than two games of
    different openings, and the usual errors are too large.
    """

    pairs: int
    single: int
    """Games without a partner."""
    pentanomial: tuple[int, int, int, int, int]
    """Pairs in which the higher ranked player scored 0, 1/2, 1, 3/2 and 2 points."""
    variance_ratio: float
    """Scatter of the pairs over that of their games one by one; nan if it is 0."""
    plus: tuple[float, ...]
    """Half-width of each player's interval from the scatter of pairs, scaled Elo; nan if unknown."""


def paired_errors(rating: Rating, games: Iterable[PlayedGame]) -> PairedErrors | None:
    """Combine the games to pairs and return the errors that follow from them.

    In this sandwich estimator, as for clustered data, the curvature of the pairs is replaced by the squares of their
    gradients. Other games and virtual draws keep their curvature.

    Parameters
    ----------
    rating : Rating
        The rating of these games.
    games : iterable of (first, second, opening, result)
        The games one by one, the result as PGN writes it.

    Returns
    -------
    PairedErrors or None
        None if there are no pairs.

    Examples
    --------
    >>> from fiedler.tournament.ratings import Results, paired_errors, rate
    >>> games = [("Ann", "Bob", 1, "1-0"), ("Bob", "Ann", 1, "0-1"), ("Ann", "Bob", 2, "1-0"), ("Bob", "Ann", 2, "1-0")]
    >>> found = paired_errors(rate(Results.from_games((a, b, result) for a, b, _, result in games)), games)
    >>> found.pairs, found.single, found.pentanomial
    (2, 0, (0, 0, 1, 0, 1))

    """
    place = {player.name: number for number, player in enumerate(rating.players)}
    pairs, single = _pairs(games, place)
    if not pairs:
        return None
    upper, lower, first, second = np.array(pairs).T
    elo = np.array([player.elo for player in rating.players]) / rating.scale
    difference = elo[upper] - elo[lower]
    there, back = (_slopes(rating, side * difference, outcome) for side, outcome in ((1, first), (-1, second)))
    push, curvature = there[0] - back[0], there[1] + back[1]
    points = np.array(POINTS)[first] + 2 - np.array(POINTS)[second]
    none, half, one, more, two = np.bincount(points, minlength=5).tolist()
    change = np.zeros((len(place), len(place)))
    for i, j, sign in ((upper, upper, 1), (lower, lower, 1), (upper, lower, -1), (lower, upper, -1)):
        np.add.at(change, (i, j), sign * (push**2 - curvature))
    alone = float((there[0] ** 2 + back[0] ** 2).sum())
    ratio = float((push**2).sum()) / alone if alone else math.nan
    return PairedErrors(len(pairs), single, (none, half, one, more, two), ratio, _reach(rating, change))


def _slopes(rating: Rating, difference: Floats, outcome: Integers) -> tuple[Floats, Floats]:
    """Return the first, and minus the second, derivative of each game's log-likelihood by the mover's raw Elo."""
    outcomes = MODELS[rating.model].log_outcomes
    back, here, ahead = (
        outcomes(difference + nudge, rating.advantage, rating.draw_elo)[outcome, np.arange(outcome.size)]
        for nudge in (-NUDGE, 0.0, NUDGE)
    )
    return (ahead - back) / (2 * NUDGE), (2 * here - ahead - back) / NUDGE**2


def _reach(rating: Rating, change: Floats) -> tuple[float, ...]:
    covariance = rating.covariance()
    known = np.nan_to_num(covariance)
    changed = known + known @ (change / rating.scale**2) @ known
    deviation = np.sqrt(np.where(np.isnan(covariance.diagonal()), np.nan, np.maximum(changed.diagonal(), 0.0)))
    return tuple((normal_quantile(rating.confidence) * deviation).tolist())


def _pairs(games: Iterable[PlayedGame], place: dict[str, int]) -> tuple[list[tuple[int, int, int, int]], int]:
    """Return (upper, lower, outcome if upper moves first, if lower does) of each pair, and the number of others."""
    waiting: defaultdict[tuple[int, int, Hashable], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for mover, other, opening, result in games:
        first, second = place[mover], place[other]
        if first != second:
            waiting[min(first, second), max(first, second), opening][first > second].append(OUTCOMES[result])
    pairs, single = [], 0
    for (upper, lower, _), (there, back) in waiting.items():
        pairs += [(upper, lower, a, b) for a, b in zip(there, back, strict=False)]
        single += abs(len(there) - len(back))
    return pairs, single
