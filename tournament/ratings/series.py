"""Players in an order, such as the checkpoints of one network: a curve, and the best player on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from fiedler.support.text import p_text, percent_text
from fiedler.tournament.ratings.answer import Answer, answer
from fiedler.tournament.ratings.model import PlayerRating, Rating
from fiedler.tournament.ratings.numbered import find_numbered
from fiedler.tournament.ratings.results import Results

LIKELY = 0.5
"""Least P(best) of the best player of a curve."""
UNASKED = Answer("undecided", decided=False)
_LOPSIDED = 0.15


@dataclass(frozen=True)
class Series:
    """The players of one stem in the order of their numbers: epochs, iterations or counts of steps."""

    stem: str
    numbers: tuple[int, ...]
    players: tuple[PlayerRating, ...]
    answer: Answer = UNASKED
    """The best of them."""

    @property
    def best(self) -> PlayerRating | None:
        """The best player; None if the players differ by chance only, or if another one is likelier to be best."""
        sure = self.answer.shows_difference and (self.answer.p_best or 0.0) >= LIKELY
        return next((player for player in self.players if sure and player.name == self.answer.best), None)

    @property
    def summary(self) -> str:
        """The trend and the best player as a phrase."""
        return "; ".join([*(trend.summary for trend in self.answer.trends[:1]), self._best_text])

    @property
    def _best_text(self) -> str:
        found = self.answer
        if found.p_best is None or found.best is None:
            return "no best known"
        if not found.shows_difference:
            return "no difference found" + ("" if found.p_equal is None else f" ({p_text(found.p_equal)})")
        if self.best is None:
            return f"no best known (P(best) {percent_text(found.p_best)} for {found.best})"
        return f"best: {found.best} (P(best) {percent_text(found.p_best)})"


def are_geometric(numbers: Iterable[int]) -> bool:
    """Return whether numbers grow by factors rather than by steps, such as 100, 1000, 10000."""
    rising = sorted(set(numbers))
    return rising[0] > 0 and rising[len(rising) // 2] <= _LOPSIDED * rising[-1]


def rated_series(rating: Rating, results: Results) -> list[Series]:
    """Return the curves among the rated players with the best of each, the longest curve first."""
    return [
        replace(one, answer=answer(rating, results, {player.name for player in one.players}))
        for one in find_series(rating.players)
    ]


def find_series(players: tuple[PlayerRating, ...]) -> list[Series]:
    """Return the curves among the rated players, the longest first."""
    return [
        Series(stem, tuple(one.number for one in numbered), tuple(one.player for one in numbered))
        for stem, numbered in find_numbered(players)
    ]
