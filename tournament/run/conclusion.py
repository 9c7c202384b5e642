"""The answer of a run, by its pairing method."""

from __future__ import annotations

from dataclasses import replace

from fiedler.support.text import only_left
from fiedler.tournament.pairing.chosen_player import wanted
from fiedler.tournament.pairing.sprt_verdict import no_verdict
from fiedler.tournament.ratings import Answer, Rating, Results, answer
from fiedler.tournament.ratings.answer import CONFIDENCE
from fiedler.tournament.run.run_state import RunState
from fiedler.tournament.schedule.schedule import GoalRule, Schedule, StopRule


def conclude(schedule: Schedule, state: RunState, rating: Rating, results: Results) -> Answer:
    """Return the best player; of a sequential test its verdict, of a knockout its result, of a goal its choice.

    With a stopping rule the answer is decided once that is, and has the reason of the end; with a rule about the first
    players it is at the rule's level.
    """
    method = schedule.pairing.kind
    if method.is_test:
        return Answer(state.over or f"undecided: {no_verdict(schedule, results)}", decided=state.decided)
    if method.eliminates and state.over:
        return Answer(state.over, decided=True)
    left = [player.name for player in rating.players if player.name not in state.benched]
    if state.benched and len(left) < 2:
        return Answer(only_left(left), decided=False)
    if schedule.pairing.aim is not None:
        return _of_goal(schedule.pairing.aim, state)
    closed = state.decided or method.eliminates
    names = set(left) if state.benched else None
    found = answer(rating, results, names, confidence=_level(schedule.pairing.stop), closed=closed)
    if closed:
        found = _closed(found, state)
    if schedule.pairing.ends_early and state.over and not state.decided:
        return replace(found, text=f"{found.text}; {state.over}")
    return found


def _of_goal(rule: GoalRule, state: RunState) -> Answer:
    """Return the chosen player, where the goal was judged last, with what the goal decides by."""
    standing = state.standing if state.standing is not None and state.standing.player not in state.benched else None
    lack = "the goal is judged after the next batch" if standing is None else f"{standing.text}, wanted {wanted(rule)}"
    text = state.over if state.decided else f"undecided: {state.over or lack}"
    if standing is None:
        return Answer(text, decided=state.decided)
    return Answer(text, state.decided, standing.player, p_within=standing.chance, loss=standing.loss)


def _level(rule: StopRule | None) -> float:
    """Return the least P(best) of a best player."""
    return rule.confidence if rule is not None and rule.top is not None else CONFIDENCE


def _closed(found: Answer, state: RunState) -> Answer:
    """Return the answer without a number of missing games, where games cannot be added freely.

    The run is decided, or a knockout under way.
    """
    text = found.text.removeprefix("undecided: ")
    if not state.decided:
        return found if found.decided else replace(found, text=f"undecided: {text}")
    parts = (text, state.over) if found.decided else (state.over, text)
    return replace(found, text="; ".join(parts), decided=True)
