"""Stopping rules: the end of a tournament with a sufficiently certain result."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fiedler.support.text import only_left
from fiedler.tournament.pairing.plan import Played
from fiedler.tournament.pairing.standings import rated
from fiedler.tournament.schedule.schedule import Schedule, StopRule

if TYPE_CHECKING:
    from fiedler.tournament.ratings import PlayerRating, Rating


class _Found(NamedTuple):
    """The state of a stopping rule: whether it is met, the present value, and the required one."""

    enough: bool
    known: str
    required: str


def stop_reason(schedule: Schedule, games: Sequence[Played], benched: Set[str]) -> str:
    """Return the reason to stop after these finished games; empty without one, or without a rule."""
    found = _evaluated(schedule, games, benched)
    return found.known if found is not None and found.enough else ""


def unmet(schedule: Schedule, games: Sequence[Played], benched: Set[str]) -> str:
    """Return the state of an unmet rule after these finished games; empty if it is met, or without a rule."""
    found = _evaluated(schedule, games, benched)
    return (
        f"stop rule not met: {found.known}, wanted {found.required}" if found is not None and not found.enough else ""
    )


def too_few(schedule: Schedule, benched: Set[str]) -> str:
    """Return a sentence if only one player remains, or at most the `top` of a rule; else an empty text."""
    rule = schedule.pairing.stop
    left = [name for name in schedule.names if name not in benched]
    most = rule.top if rule is not None and rule.top is not None else 1
    return only_left(left) if len(left) <= most else ""


def _evaluated(schedule: Schedule, games: Sequence[Played], benched: Set[str]) -> _Found | None:
    rule = schedule.pairing.stop
    if rule is None or not games or too_few(schedule, benched):
        return None
    rating = rated(schedule.rating, games)
    players = [player for player in rating.players if player.name not in benched]
    if idle := set(schedule.names) - benched - {player.name for player in players if player.games}:
        return _Found(False, f"no games of {', '.join(sorted(idle))}", "games of every player")
    return _error(rule.error, players) if rule.error is not None else _lead(rule, rating, players)


def _error(most: float, players: Sequence[PlayerRating]) -> _Found:
    worst = max(max(player.plus, player.minus) for player in players)
    if math.isnan(worst):  # nothing connects the players
        return _Found(False, "the players fall into groups that never met", f"± {most:g} Elo")
    return _Found(worst <= most, f"every rating is known to ± {worst:.1f} Elo", f"± {most:g} Elo")


def _lead(rule: StopRule, rating: Rating, players: Sequence[PlayerRating]) -> _Found:
    from fiedler.tournament.ratings.answer import LEADING  # slow to import, like all ratings

    assert rule.top is not None
    place = {player.name: index for index, player in enumerate(rating.players)}
    order = [place[player.name] for player in players]
    doubt = top_doubt(rating.los()[np.ix_(order, order)], rule.top)
    best, one = ", ".join(player.name for player in players[: rule.top]), rule.top == 1
    verb = ("leads" if one else "lead") if 1 - doubt >= LEADING else ("is first" if one else "are first")
    known = f"{best} {verb} with {math.floor(1000 * (1 - doubt)) / 1000:.1%} confidence"
    return _Found(doubt <= 1 - rule.confidence, known, f"{rule.confidence:.1%}")


def top_doubt(superiority: np.ndarray[tuple[int, int], np.dtype[np.float64]], top: int) -> float:
    """Return an upper bound of the probability that the first `top` players of a ranking are not the best ones.

    `superiority` is P(row stronger than column), shape (players, players), by falling rating. The bound is Boole's
    inequality over all pairs of one player inside and one outside; 1 if a pair cannot be compared.
    """
    doubt = float((1 - superiority[:top, top:]).sum())
    return 1.0 if math.isnan(doubt) else min(1.0, doubt)
