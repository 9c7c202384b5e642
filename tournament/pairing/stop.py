"""Stopping rules: when a tournament knows what it was played for."""

from __future__ import annotations

import math

import numpy as np

from tournament.pairing.standings import rated
from tournament.plan import History
from tournament.schedule import Schedule


def stop_reason(schedule: Schedule, history: History) -> str:
    """Return why the games that are finished are enough; empty if they are not, or nobody asked."""
    rule = schedule.pairing.stop
    if rule is None or not history.finished:
        return ""
    rating = rated(schedule, history.finished)
    players = [player for player in rating.players if player.name not in history.benched]
    if {player.name for player in players if player.games} != set(schedule.names) - history.benched:
        return ""
    if rule.error is not None:
        worst = max(max(player.plus, player.minus) for player in players)  # nan where nothing can be known
        return f"every rating is known to ± {worst:.1f} Elo" if worst <= rule.error else ""
    assert rule.top is not None
    place = {player.name: index for index, player in enumerate(rating.players)}
    order = [place[player.name] for player in players]
    doubt = top_doubt(rating.los()[np.ix_(order, order)], rule.top)
    best = ", ".join(player.name for player in players[: rule.top])
    return f"{best} lead{'s' * (rule.top == 1)} with {1 - doubt:.1%} confidence" if doubt <= 1 - rule.confidence else ""


def top_doubt(superiority: np.ndarray[tuple[int, int], np.dtype[np.float64]], top: int) -> float:
    """Return at most how likely it is that the first `top` players of a ranking are not the best ones.

    `superiority` is P(row stronger than column), by falling rating. Boole's inequality over all pairs of one inside
    and one outside; 1 where a pair cannot be compared.
    """
    doubt = float((1 - superiority[:top, top:]).sum())
    return 1.0 if math.isnan(doubt) else min(1.0, doubt)
