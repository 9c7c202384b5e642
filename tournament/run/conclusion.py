"""The answer of a run, by its pairing method."""

from __future__ import annotations

from dataclasses import replace

from fiedler.support.text import only_left
from fiedler.tournament.pairing.sprt_verdict import no_verdict
from fiedler.tournament.ratings import Answer, Rating, Results, answer
from fiedler.tournament.ratings.answer import CONFIDENCE
from fiedler.tournament.run.run_state import RunState
from fiedler.tournament.schedule.schedule import Schedule, StopRule


def conclude(schedule: Schedule, state: RunState, rating: Rating, results: Results) -> Answer:
    """Return the best player; of a sequential test its verdict, of a knockout its result.

    With a stopping rule or a goal the answer is decided once that is, and has the reason of the end; with a rule about
    the first players it is at the rule's level.
    """
    method = schedule.pairing.kind
    if method.is_test:
        return Answer(state.over or f"undecided: {no_verdict(schedule, results)}", decided=state.decided)
    if method.eliminates and state.over:
        return Answer(state.over, decided=True)
    left = [player.name for player in rating.players if player.name not in state.benched]
    if state.benched and len(left) < 2:
        return Answer(only_left(left), decided=False)
    closed = state.decided or method.eliminates or schedule.pairing.goal is not None
    names = set(left) if state.benched else None
    found = answer(rating, results, names, confidence=_level(schedule.pairing.stop), closed=closed)
    if closed:
        found = _closed(found, state)
    if schedule.pairing.ends_early and state.over and not state.decided:
        return replace(found, text=f"{found.text}; {state.over}")
    return found


def _level(rule: StopRule | None) -> float:
    """Return the least P(best) of a best player."""
    return rule.confidence if rule is not None and rule.top is not None else CONFIDENCE


def _closed(found: Answer, state: RunState) -> Answer:
    """Return the answer without a number of missing games, where games cannot be added freely, or aim elsewhere.

    The run is decided, or a knockout under way, or a goal has games and a number of missing ones of its own.
    """
    text = found.text.removeprefix("undecided: ")
    if not state.decided:
        return found if found.decided else replace(found, text=f"undecided: {text}")
    parts = (text, state.over) if found.decided else (state.over, text)
    return replace(found, text="; ".join(parts), decided=True)
