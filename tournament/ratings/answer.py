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
"""P(best) from which a player is called the best, unless another is asked for"""
LEADING = 0.5
"""P(best) from which a player is said to lead, in answers and in stopping rules"""
DIFFERENT = 0.05
"""chance of the results among equals below which there are differences"""
TOO_MANY = 1_000_000
"""games whose number says no more than that they are many"""


@dataclass(frozen=True, slots=True)
class Answer:
    """Who is best. Numbers in Elo as shown; None is not known, or was not asked."""

    text: str
    """The sentence, without a full stop."""
    decided: bool
    best: str | None = None
    """The player of the highest rating."""
    p_best: float | None = None
    """The probability that it is the best one."""
    second: str | None = None
    gap: float | None = None
    """How far the first is ahead of the second."""
    gap_error: float | None = None
    """Half of the 95 % interval of the gap."""
    more_games: int | None = None
    """Games missing to the P(best) asked for, spread as those so far, if the ratings stay; None if any number is too
    few, or no more can be played."""
    p_equal: float | None = None
    """The chance of such results if all are equal; asked only where nobody is known to be best."""

    @property
    def shows_difference(self) -> bool:
        """Whether the results differ by more than chance."""
        return self.decided or (self.p_equal is not None and self.p_equal < DIFFERENT)

    def document(self) -> dict[str, Any]:
        """Return it for programs."""
        return asdict(self)


def answer(
    rating: Rating,
    results: Results,
    names: Collection[str] | None = None,
    *,
    confidence: float = CONFIDENCE,
    closed: bool = False,
) -> Answer:
    """Say who is best of the players of these `names` (all, unless given); `rating` rates the `results`.

    A player is best from P(best) = `confidence` on. Of a `closed` matter the sentence says how things stand, neither
    that it is undecided nor how many games are missing.
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
    """Return an answer that has no text yet."""
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
    """Return who is first and how surely, with what is missing to the best."""
    assert found.best is not None
    assert found.second is not None
    assert found.p_best is not None
    first = printable(found.best)
    ahead = f"{found.gap:.0f} ± {found.gap_error:.0f} Elo ahead of {printable(found.second)} (95 % interval)"
    if found.decided:
        return f"{first} is best: P(best) {percent_text(found.p_best)}, {ahead}"
    if found.p_equal is None or found.p_equal < DIFFERENT:
        said = f"{first} {'leads' if found.p_best >= LEADING else 'is first'}: P(best) {percent_text(found.p_best)}"
        return f"{more}; {said}, {ahead}" if more else f"{said}, {ahead}"
    return f"no difference found (p = {found.p_equal:.2f}){', ' * bool(more)}{more}; {first} is {ahead}"


def _two_digits(number: float) -> int:
    """Round up to two digits: 1 to 99 as they are, 1201 to 1300."""
    unit = 10 ** max(0, math.floor(math.log10(max(number, 1))) - 1)
    return int(math.ceil(number / unit) * unit)
