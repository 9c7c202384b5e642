"""The answer as a sentence: the best player with its probability and lead, or the number of missing games."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from fiedler.support import stages
from fiedler.support.errors import printable
from fiedler.support.text import p_text, percent_text
from fiedler.tournament.ratings.best import best
from fiedler.tournament.ratings.homogeneity import homogeneity
from fiedler.tournament.ratings.intervals import normal_quantile
from fiedler.tournament.ratings.model import PlayerRating, Rating
from fiedler.tournament.ratings.pairs import Floats, Integers
from fiedler.tournament.ratings.results import Results
from fiedler.tournament.ratings.trend import Trend, trends

CONFIDENCE = 0.95
"""Default P(best) from which a player is called the best."""
LEADING = 0.5
"""P(best) from which a player leads, in answers and in stopping rules."""
DIFFERENT = 0.05
"""P-value of the hypothesis of equal players below which there are differences."""
TOO_MANY = 1_000_000
"""Missing games above which no number is given."""
APART = 5.5
"""Standard errors of a difference from which a player is too far behind to be a rival: a chance below 1e-7."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The best player. Numbers are scaled Elo; None is unknown, or was not requested."""

    text: str
    """The sentence, without a full stop."""
    decided: bool
    best: str | None = None
    """The player of the highest rating, or the chosen one of a goal."""
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
    """P-value of the hypothesis that all players are equal, in no order; computed only if none is known to be best."""
    trends: tuple[Trend, ...] = ()
    """The trend of every series among the players, the longest series first."""
    p_within: float | None = None
    """With a goal, which chooses `best` by its posterior: the probability that it is within the goal's `best` Elo of
    the best player."""
    loss: float | None = None
    """With a goal: its expected distance from the best player."""

    @property
    def shows_difference(self) -> bool:
        """Whether the results differ by more than chance."""
        unequal = self.p_equal is not None and self.p_equal < DIFFERENT
        return self.decided or unequal or any(trend.is_shown for trend in self.trends)

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
    >>> from fiedler.tournament.ratings import Results, answer, rate
    >>> results = Results(("Ann", "Bob"), ((0, 1, 40, 20, 10), (1, 0, 20, 20, 30)))
    >>> answer(rate(results), results).text
    'Ann is best: P(best) > 99 %, 97 ± 49 Elo ahead of Bob (95 % interval)'

    """
    places = [
        place for place, player in enumerate(rating.players) if player.games and (names is None or player.name in names)
    ]
    if len(places) < 2:
        return Answer("undecided: no two players have games", decided=False)
    compared = _Compared.of(rating, np.array(places))
    if compared is None:
        return Answer("undecided: not all players can be compared", decided=False)
    if compared.near.size < 2:
        return _first_of_many(compared)
    found = _answered(compared, results, names, confidence)
    if closed:
        return replace(found, more_games=None, text=_standing(found))
    return replace(found, text=_sentence(found, confidence))


@dataclass(frozen=True, slots=True, eq=False)
class _Compared:
    """The players to compare by falling elo, and the covariances of their ratings by their places here."""

    players: list[PlayerRating]
    covariance: Callable[[Integers], Floats]
    near: Integers
    """The places of the first two and of all others who may be the best; empty if that would take too long."""

    @classmethod
    def of(cls, rating: Rating, places: Integers) -> _Compared | None:
        """Return the players at these places of a ranking; None if some of them cannot be compared."""
        players = [rating.players[place] for place in places]
        if not all(math.isfinite(player.elo) for player in players):
            return None
        many = rating.many
        if many is None:
            matrix = rating.covariance()[np.ix_(places, places)]
            if not np.isfinite(matrix).all():
                return None
            return cls(players, lambda rows: matrix[np.ix_(rows, rows)], np.arange(len(players)))
        if not many.comparable(places):
            return None
        near = np.zeros(0, dtype=np.int64)
        if many.is_exact:
            elo, errors = np.array([player.elo for player in players]), many.difference_errors(int(places[0]))[places]
            if not np.isfinite(errors).all():
                return None
            near = np.union1d([0, 1], np.flatnonzero(elo[0] - elo <= APART * errors))
        return cls(players, lambda rows: many.covariance(places[rows]), near)

    def gap(self) -> tuple[float, float]:
        """Return the lead of the first over the second, and half of its 95 % interval."""
        covariance = self.covariance(np.arange(2))
        variance = float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
        gap = self.players[0].elo - self.players[1].elo
        return float(gap), normal_quantile() * math.sqrt(max(0.0, variance))


def _first_of_many(compared: _Compared) -> Answer:
    """Return the first of many players, without a probability."""
    first, second = (player.name for player in compared.players[:2])
    gap, error = compared.gap()
    found = Answer("", decided=False, best=first, second=second, gap=gap, gap_error=error)
    why = f"P(best) of {len(compared.players):,} players needs their covariance"
    return replace(found, text=f"undecided: {printable(first)} is first, {_ahead(found)}; {why}")


def _answered(compared: _Compared, results: Results, names: Collection[str] | None, confidence: float) -> Answer:
    """Return an answer without its text."""
    stages.begin("who is best")
    players, near = compared.players, compared.near
    elo = np.array([player.elo for player in players])
    gap, gap_error = compared.gap()
    with threadpool_limits(limits=1, user_api="blas"):
        found = best(elo[near], compared.covariance(near), confidence)
        p_best = float(found.chances[0])
        p_equal = None if p_best >= confidence else homogeneity(results, names).p_value
    missing = results.games * (found.growth - 1)
    return Answer(
        text="",
        decided=p_best >= confidence,
        best=players[0].name,
        p_best=p_best,
        second=players[1].name,
        gap=gap,
        gap_error=gap_error,
        more_games=None if missing > TOO_MANY else two_digits(missing),
        p_equal=None if p_equal is None or math.isnan(p_equal) else p_equal,
        trends=tuple(trends(players, compared.covariance, results)),
    )


def _sentence(found: Answer, confidence: float) -> str:
    if found.decided:
        return _standing(found)
    number = "more than a million" if found.more_games is None else f"about {found.more_games}"
    more = f"{number} more game{'s' * (found.more_games != 1)} for {100 * confidence:g} %"
    return f"undecided: {_standing(found, more)}"


def _standing(found: Answer, more: str = "") -> str:
    """Return the trends that are more than chance, the first player with P(best) and its lead, the games missing."""
    shown = [trend.text for trend in found.trends if trend.is_shown]
    if found.decided:
        return "; ".join([f"{_first(found, 'is best')}, {_ahead(found)}", *shown])
    if found.p_equal is None or found.p_equal < DIFFERENT:
        verb = "leads" if (found.p_best or 0.0) >= LEADING else "is first"
        return "; ".join([*filter(None, [more]), f"{_first(found, verb)}, {_ahead(found)}", *shown])
    p_equal = p_text(found.p_equal)
    name = printable(found.best or "")
    if shown:
        return "; ".join([*shown, *filter(None, [more]), f"{name} is {_ahead(found)}", f"without the order {p_equal}"])
    return f"no difference found ({p_equal}){', ' * bool(more)}{more}; {name} is {_ahead(found)}"


def _first(found: Answer, verb: str) -> str:
    """Return the player of the highest rating with P(best)."""
    assert found.best is not None
    assert found.p_best is not None
    return f"{printable(found.best)} {verb}: P(best) {percent_text(found.p_best)}"


def _ahead(found: Answer) -> str:
    """Return its lead over the second."""
    assert found.second is not None
    return f"{found.gap:.0f} ± {found.gap_error:.0f} Elo ahead of {printable(found.second)} (95 % interval)"


def two_digits(number: float) -> int:
    """Round up to two digits: 1 to 99 stay, 1201 becomes 1300."""
    unit = 10 ** max(0, math.floor(math.log10(max(number, 1))) - 1)
    return int(math.ceil(number / unit) * unit)
