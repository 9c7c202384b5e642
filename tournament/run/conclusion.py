"""The answer of a run, by its pairing method."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from typing import NamedTuple

from support.text import only_left
from tournament.ratings import Answer, Rating, Results, answer
from tournament.ratings.answer import CONFIDENCE
from tournament.schedule.schedule import Schedule


class Standing(NamedTuple):
    """Where a run stands, beside its games."""

    over: str = ""
    """why nothing more is played; empty as long as something may be"""
    decided: bool = False
    """whether a sequential test or a stopping rule says so"""
    benched: Set[str] = frozenset()
    """players that get no more games, and so may not be called the best"""


def conclude(schedule: Schedule, standing: Standing, rating: Rating, results: Results) -> Answer:
    """Say who is best; of a sequential test its verdict, of a knockout its result.

    With a stopping rule the answer is at the level that the rule asks for, decided once the rule is, and also says why
    the run is over.
    """
    method = schedule.pairing.method
    if method == "sprt":
        return Answer(standing.over or "undecided: neither hypothesis is accepted so far", decided=standing.decided)
    if method == "knockout" and standing.over:
        return Answer(standing.over, decided=True)
    left = [player.name for player in rating.players if player.name not in standing.benched]
    if standing.benched and len(left) < 2:
        return Answer(only_left(left), decided=False)
    closed = standing.decided or method == "knockout"
    names = set(left) if standing.benched else None
    found = answer(rating, results, names, confidence=_level(schedule), closed=closed)
    return _closed(found, standing) if closed else _explained(found, schedule, standing)


def _level(schedule: Schedule) -> float:
    """Return the P(best) from which a player is called the best."""
    rule = schedule.pairing.stop
    return rule.confidence if rule is not None and rule.top is not None else CONFIDENCE


def _closed(found: Answer, standing: Standing) -> Answer:
    """Return the answer to which no more games can be played as one likes: decided, or a knockout under way."""
    said = found.text.removeprefix("undecided: ")
    if not standing.decided:
        return found if found.decided else replace(found, text=f"undecided: {said}")
    parts = (said, standing.over) if found.decided else (standing.over, said)
    return replace(found, text="; ".join(parts), decided=True)


def _explained(found: Answer, schedule: Schedule, standing: Standing) -> Answer:
    if schedule.pairing.stop is None or not standing.over:
        return found
    return replace(found, text=f"{found.text}; {standing.over}")
