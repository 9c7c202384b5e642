"""The answer as a sentence: the best player with its probability and lead, or the number of missing games."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from support import stages
from support.errors import printable
from support.text import percent_text
from tournament.ratings.best import best
from tournament.ratings.homogeneity import homogeneity
from tournament.ratings.intervals import normal_quantile
from tournament.ratings.model import PlayerRating, Rating
from tournament.ratings.pairs import Floats
from tournament.ratings.results import Results

CONFIDENCE = 0.95
"""Default P(best) from which a player is called the best."""
LEADING = 0.5
"""P(best) from which a player leads, in answers and in stopping rules."""
DIFFERENT = 0.05
"""P-value of the hypothesis of equal players below which there are differences."""
TOO_MANY = 1_000_000
"""Missing games above which no number is given."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The best player. Numbers are scaled Elo; None is unknown, or was not requested."""

    text: str
    """The sentence, without a full stop."""
    decided: bool
    best: str | None = None
    """The player of the highest rating."""
    p_best: float | None = None
    """The probability that this player is the best one."""
    second: str | None = None
    gap: float | None = None
    """Rating of the first minus that of the second."""
    gap_error: float | None = None
    """Half of the 95 % interval of the gap."""
    more_games: int | None = None
    """Missing games to the requested P(best), distributed as those so far, if the ratings stay the same; None if no
    number suffices, or the tournament is closed."""
    p_equal: float | None = None
    """P-value of the hypothesis that all players are equal; computed only if no player is known to be best."""

    @property
    def shows_difference(self) -> bool:
        """Whether the results differ by more than chance."""
        return self.decided or (self.p_equal is not None and self.p_equal < DIFFERENT)

    def document(self) -> dict[str, Any]:
        """Return the answer as keys of a JSON document."""
        return asdict(self)


def answer(
    rating: Rating,
    results: Results,
    names: Collection[str] | None = None,
    *,
    confidence: float = CONFIDENCE,
    closed: bool = False,
) -> Answer:
    """Return the best player as a sentence and as numbers.

    Parameters
    ----------
    rating : Rating
        The rating of `results`.
    results : Results
        All games.
    names : collection of str, optional
        The players to compare. Default: all.
    confidence : float
        P(best) from which a player is the best, between 0 and 1.
    closed : bool
        No more games will be played: the sentence gives the standing, without the number of missing games.

    Returns
    -------
    Answer

    Examples
    --------
    >>> from tournament.ratings import Results, answer, rate
    >>> results = Results(("Ann", "Bob"), ((0, 1, 40, 20, 10), (1, 0, 20, 20, 30)))
    >>> answer(rate(results), results).text
    'Ann is best: P(best) > 99 %, 97 ± 49 Elo ahead of Bob (95 % interval)'

    """
    places = [
        place for place, player in enumerate(rating.players) if player.games and (names is None or player.name in names)
    ]
    if len(places) < 2:
        return Answer("undecided: no two players have games", decided=False)
    players = [rating.players[place] for place in places]
    covariance = rating.covariance()[np.ix_(places, places)]
    if not np.isfinite(covariance).all() or not all(math.isfinite(player.elo) for player in players):
        return Answer("undecided: not all players can be compared", decided=False)
    found = _compared(players, covariance, results, names, confidence)
    if closed:
        return replace(found, more_games=None, text=_standing(found))
    return replace(found, text=_sentence(found, confidence))


def _compared(
    players: list[PlayerRating],
    covariance: Floats,
    results: Results,
    names: Collection[str] | None,
    confidence: float,
) -> Answer:
    """Return an answer without its text."""
    stages.begin("who is best")
    elo = np.array([player.elo for player in players])
    with threadpool_limits(limits=1, user_api="blas"):
        found = best(elo, covariance, confidence)
        p_best = float(found.chances[0])
        p_equal = None if p_best >= confidence else homogeneity(results, names).p_value
    variance = float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    missing = results.games * (found.growth - 1)
    return Answer(
        text="",
        decided=p_best >= confidence,
        best=players[0].name,
        p_best=p_best,
        second=players[1].name,
        gap=float(elo[0] - elo[1]),
        gap_error=normal_quantile() * math.sqrt(max(0.0, variance)),
        more_games=None if missing > TOO_MANY else _two_digits(missing),
        p_equal=None if p_equal is None or math.isnan(p_equal) else p_equal,
    )


def _sentence(found: Answer, confidence: float) -> str:
    if found.decided:
        return _standing(found)
    number = "more than a million" if found.more_games is None else f"about {found.more_games}"
    more = f"{number} more game{'s' * (found.more_games != 1)} for {100 * confidence:g} %"
    return f"undecided: {_standing(found, more)}"


def _standing(found: Answer, more: str = "") -> str:
    """Return the first player with P(best) and its lead, and the missing games `more`."""
    assert found.best is not None
    assert found.second is not None
    assert found.p_best is not None
    first = printable(found.best)
    ahead = f"{found.gap:.0f} ± {found.gap_error:.0f} Elo ahead of {printable(found.second)} (95 % interval)"
    if found.decided:
        return f"{first} is best: P(best) {percent_text(found.p_best)}, {ahead}"
    if found.p_equal is None or found.p_equal < DIFFERENT:
        standing = f"{first} {'leads' if found.p_best >= LEADING else 'is first'}: P(best) {percent_text(found.p_best)}"
        return f"{more}; {standing}, {ahead}" if more else f"{standing}, {ahead}"
    return f"no difference found (p = {found.p_equal:.2f}){', ' * bool(more)}{more}; {first} is {ahead}"


def _two_digits(number: float) -> int:
    """Round up to two digits: 1 to 99 stay, 1201 becomes 1300."""
    unit = 10 ** max(0, math.floor(math.log10(max(number, 1))) - 1)
    return int(math.ceil(number / unit) * unit)
